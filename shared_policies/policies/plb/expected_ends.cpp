// Keeps the expected times of requested blocks and compares them with finished blocks.
#include "shared_policies/policies/plb/expected_ends.hpp"

#include <algorithm>

namespace equipoise {

void ExpectedEnds::ask(UnitId unit, Items items, Seconds span) {
  units_[unit.index].asked.push_back({items, span});
}

std::optional<ExpectedEnds::Outcome> ExpectedEnds::finish(const BlockFinished& finished,
                                                          Seconds at) {
  Expecting& unit = units_[finished.unit.index];
  const Seconds begun = std::max(unit.last_end, finished.assigned);
  unit.last_end = at;
  const std::optional<Seconds> expected = take(finished.unit, finished.block.items);
  if (!expected) return {};
  const Seconds setup = finished.times.setup;
  return Outcome{*expected, at - begun - setup, begun + setup + *expected};
}

Seconds ExpectedEnds::idle_at(const UnitState& state) const {
  const Expecting& unit = units_[state.id.index];
  Seconds idle = unit.last_end;
  if (!state.outstanding.empty()) {
    idle = std::max(idle, state.outstanding.front().assigned);
    for (const Asked& asked : unit.asked) idle += asked.span;
  }
  return idle;
}

std::optional<Seconds> ExpectedEnds::take(UnitId id, Items items) {
  std::deque<Asked>& asked = units_[id.index].asked;
  const auto found = std::find_if(asked.begin(), asked.end(),
                                  [items](const Asked& entry) { return entry.items == items; });
  if (found == asked.end()) return {};
  const Seconds span = found->span;
  asked.erase(found);
  return span;
}

}  // namespace equipoise
