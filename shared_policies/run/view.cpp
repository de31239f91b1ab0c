// Updates the state of a run with each of its events.
#include "shared_policies/run/view.hpp"

#include <algorithm>
#include <utility>

#include "shared_policies/model/failure.hpp"

namespace equipoise {

View::View(std::vector<Unit> units, std::vector<Workload> phases) : phases_(std::move(phases)) {
  EQ_CHECK(!phases_.empty(), "a run has at least one workload");
  units_.reserve(units.size());
  for (Unit& unit : units) {
    UnitState state;
    state.id = UnitId{static_cast<std::uint32_t>(units_.size())};
    state.unit = std::move(unit);
    units_.push_back(std::move(state));
  }
  begin_phase(0);
}

void View::begin_phase(int phase) {
  phase_ = phase;
  iteration_ = 0;
  remaining_ = workload().items;
  for (UnitState& unit : units_) unit.cap_items = largest_block(unit.unit, workload());
}

void View::include(const Event& event) {
  pass(event.at);
  if (const auto* finished = std::get_if<BlockFinished>(&event.what)) {
    remove(units_[finished->unit.index].outstanding, finished->block.id);
    --outstanding_;
  } else if (const auto* lost = std::get_if<BlockLost>(&event.what)) {
    lose(*lost);
  } else if (const auto* late = std::get_if<LateEnd>(&event.what)) {
    remove(units_[late->unit.index].going_on, late->block.id);
    --going_on_;
  } else if (const auto* gone = std::get_if<UnitLost>(&event.what)) {
    mark_absent(gone->unit);
  } else if (const auto* joined = std::get_if<UnitJoined>(&event.what)) {
    units_[joined->unit.index].present = true;
  } else if (const auto* phase = std::get_if<PhaseStarted>(&event.what)) {
    begin_phase(phase->phase);
  } else if (const auto* iteration = std::get_if<IterationStarted>(&event.what)) {
    iteration_ = iteration->iteration;
    remaining_ = workload().items;
  }
}

void View::lose(const BlockLost& lost) {
  UnitState& unit = units_[lost.unit.index];
  const OutstandingBlock block = remove(unit.outstanding, lost.block.id);
  --outstanding_;
  if (lost.goes_on) {
    unit.going_on.push_back(block);
    ++going_on_;
  }
  if (lost.returns_items) remaining_ += lost.block.items;
  unit.cap_items = std::min(unit.cap_items, lost.cap_items.value_or(unit.cap_items));
}

void View::mark_absent(UnitId unit) {
  UnitState& state = units_[unit.index];
  state.present = false;
  going_on_ -= state.going_on.size();
  state.going_on.clear();
}

void View::grant(const OutstandingBlock& block, UnitId unit) {
  units_[unit.index].outstanding.push_back(block);
  if (!block.block.copy_of) remaining_ -= block.block.items;
  ++outstanding_;
  pass(block.assigned);
}

void View::pass(Seconds now) { now_ = std::max(now_, now); }

OutstandingBlock View::remove(std::deque<OutstandingBlock>& blocks, std::uint64_t block_id) {
  const auto found = std::find_if(blocks.begin(), blocks.end(),
                                  [&](const auto& entry) { return entry.block.id == block_id; });
  EQ_CHECK(found != blocks.end(), "a block that came back was handed out");
  OutstandingBlock block = *found;
  blocks.erase(found);
  return block;
}

}  // namespace equipoise
