// static-steal: the schedule static_steal of LLVM's OpenMP runtime, which is also what it makes of
// nonmonotonic:dynamic (openmp/runtime/src/kmp_dispatch.cpp, kmp_sch_static_steal). Every unit has
// a part of the loop and takes chunks from its front; a unit whose part is empty takes from the end
// of another's. The idea is that of affinity scheduling (Markatos, LeBlanc: Using processor
// affinity in loop scheduling on shared-memory multiprocessors, IEEE Transactions on Parallel and
// Distributed Systems 5(4), 1994, doi:10.1109/71.273046).
//
//     C = ceil(N / c) chunks of c items;                            divide
//       fewer chunks than units: as schedule(dynamic, c)            on_idle
//     part of unit p: C div n chunks, one more for the first        equal_parts
//       C mod n units, one part after another
//     p takes the first chunk of its part                           take
//     its part is empty: the next unit, or the one that it stole    steal
//       from last, and so on in a circle, until a part is not empty;
//       the last r div 4 of the r chunks there, or 1 if r < 8,
//       are its part now
//
// Where we depart:
//  - A chunk is not asked for by position: the run loop gives the next items of its pool. Who does
//    how many chunks is as in LLVM; which ones is not.
//  - Parts may follow given or measured speeds (LLVM has such a division, 60 to 40, for the two
//    kinds of cores of one processor).
//  - A unit with several slots has taken the chunks that wait there, and nobody can steal them.
//  - What a lost unit had belongs to the unit that asks next, from which others steal. A unit that
//    joins begins with an empty part. (In LLVM a thread that has not arrived is robbed of all.)
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "shared_policies/model/failure.hpp"
#include "shared_policies/policies/event_policy.hpp"
#include "shared_policies/policies/loop/item_times.hpp"
#include "shared_policies/policies/loop/speed_shares.hpp"
#include "shared_policies/policies/policies.hpp"
#include "shared_policies/solve/integer_rounding.hpp"

namespace equipoise {
namespace {

constexpr const char* equal_shares = "equal";
constexpr const char* measured_shares = "measured";

/// The shares that the user gives; empty if they are equal or measured.
std::vector<double> shares_as_typed(const Parameters& parameters) {
  const std::string& text = parameters.text("shares");
  if (text == equal_shares || text == measured_shares) return {};
  return parameters.positive_list("shares");
}

class StaticSteal final : public EventPolicy {
 public:
  explicit StaticSteal(const Parameters& read)
      : given_chunk_items_(read.items_or_auto("chunk_items", 1)),
        is_measured_(read.text("shares") == measured_shares),
        shares_(shares_as_typed(read)),
        times_(TimedPart::block) {}

 private:
  void on_event(const Event& event) override { times_.include(view(), event); }
  void on_iteration() override { is_divided_ = false; }

  void on_idle(UnitId unit) override {
    if (!is_divided_) divide();
    if (is_dynamic_) {
      decisions().assign(unit, chunk_items_);
      return;
    }
    adopt(unit);
    if (parts_[unit.index] > 0 || steal(unit)) take(unit);
  }

  // -- Parts -----------------------------------------------------------------------------------

  /// Gives every present unit its part of the iteration.
  void divide() {
    const std::size_t n = view().units().size();
    const Items grain = view().workload().grain_items;
    const Items wanted = given_chunk_items_.value_or(grain);
    chunk_items_ = (wanted + grain - 1) / grain * grain;
    std::vector<UnitId> who;
    for (const UnitState& unit : view().units()) {
      if (unit.present) who.push_back(unit.id);
    }
    const Items chunks = chunks_in(view().remaining());
    const auto present = static_cast<Items>(who.size());
    is_divided_ = true;
    is_dynamic_ = present < 2 || chunks < present;
    parts_.assign(n, 0);
    victims_.clear();
    for (std::size_t p = 0; p < n; ++p) victims_.push_back((p + 1) % n);
    if (is_dynamic_) return;
    const std::vector<Items> parts =
        is_measured_ || !shares_.empty() ? weighted_parts(who) : equal_parts(chunks, present);
    Items given = 0;
    for (std::size_t i = 0; i < who.size(); ++i) {
      const Items part = std::min(parts[i], view().remaining() - given);
      parts_[who[i].index] = part;
      given += part;
    }
  }

  [[nodiscard]] Items chunks_in(Items items) const {
    return (items + chunk_items_ - 1) / chunk_items_;
  }

  /// The items of whole chunks; the last part may have fewer.
  [[nodiscard]] std::vector<Items> equal_parts(Items chunks, Items present) const {
    std::vector<Items> parts;
    for (Items i = 0; i < present; ++i) {
      parts.push_back((chunks / present + (i < chunks % present ? 1 : 0)) * chunk_items_);
    }
    return parts;
  }

  [[nodiscard]] std::vector<Items> weighted_parts(const std::vector<UnitId>& who) const {
    SpeedShares measured;
    measured.begin(view(), times_.mean_s());
    std::vector<double> weights;
    for (const UnitId unit : who) {
      weights.push_back(is_measured_ ? measured.of(unit, UnknownUnit::as_fastest)
                                     : shares_[unit.index]);
    }
    const Items items = view().remaining();
    const std::vector<Items> caps(who.size(), items + chunk_items_);
    return apportion({weights, caps, items, chunk_items_});
  }

  // -- Chunks ----------------------------------------------------------------------------------

  void take(UnitId unit) {
    Items& part = parts_[unit.index];
    const Items items = decisions().assign(unit, std::min(chunk_items_, part));
    part = items > 0 ? std::max<Items>(0, part - items) : 0;
  }

  /// Makes the end of another unit's part the part of `thief`, whose own is empty; false if all
  /// parts are empty.
  bool steal(UnitId thief) {
    std::size_t& victim = victims_[thief.index];
    for (std::size_t tried = 0; tried < parts_.size(); ++tried) {
      if (parts_[victim] > 0) {
        const Items left = chunks_in(parts_[victim]);
        const Items stolen = left > 7 ? left / 4 : 1;
        const Items kept = (left - stolen) * chunk_items_;
        parts_[thief.index] = parts_[victim] - kept;
        parts_[victim] = kept;
        decisions().decided(
            {.what = OwnDecisionKind{"steal"},
             .estimates = {{.unit = thief,
                            .cost = fmt::format("from {}", view().units()[victim].unit.name),
                            .block_items = parts_[thief.index]}}});
        return true;
      }
      victim = (victim + 1) % parts_.size();
    }
    return false;
  }

  // -- Units that are lost ---------------------------------------------------------------------

  void on_unit_lost(UnitId unit) override {
    if (is_divided_) parts_[unit.index] = 0;
  }

  /// What is in nobody's part becomes part of the unit's.
  void adopt(UnitId unit) {
    const Items planned = std::reduce(parts_.begin(), parts_.end());
    parts_[unit.index] += std::max<Items>(0, view().remaining() - planned);
  }

  std::optional<Items> given_chunk_items_;
  bool is_measured_;
  std::vector<double> shares_;  // (n), given; empty: equal, or measured
  ItemTimes times_;
  Items chunk_items_ = 1;
  bool is_divided_ = false;           // this iteration
  bool is_dynamic_ = false;           // without parts
  std::vector<Items> parts_;          // (n): items left in each unit's part
  std::vector<std::size_t> victims_;  // (n): whom the unit asks first
};

void check_parts(const Parameters& parameters, std::span<const Unit> units) {
  const std::vector<double> shares = shares_as_typed(parameters);
  if (shares.empty() || shares.size() == units.size()) return;
  throw InputError("policy", fmt::format("shares={} has {} numbers for {} units; give one for each",
                                         parameters.text("shares"), shares.size(), units.size()));
}

}  // namespace

PolicyInfo static_steal_info() {
  return {
      .name = "static-steal",
      .line = "a part for every unit, done in chunks; a unit without work steals from the others",
      .source = "LLVM's OpenMP runtime: schedule static_steal; Markatos and LeBlanc (1994)",
      .parameters =
          {{"chunk_items", "auto", "items", "c, the size of a block; auto: one grain",
            "LLVM, kmp_dispatch.cpp: one iteration of the loop, unless the schedule has a chunk"},
           {"shares", equal_shares, "",
            "parts at the start of an iteration: equal, measured (by the speeds that earlier "
            "iterations showed), or relative sizes in the order of the units, 4/1/1",
            "LLVM, kmp_dispatch.cpp: equal on equal cores"}},
      .make = make_a<StaticSteal>,
      .check_units = check_parts};
}

}  // namespace equipoise
