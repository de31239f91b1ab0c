// Pieces of known shares, smaller and smaller, to whoever asks.
#include "shared_policies/policies/divide/reacting_plan.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <variant>
#include <vector>

#include "shared_policies/policies/divide/division.hpp"

namespace equipoise {
namespace {

constexpr int sizes_tried = 64;
constexpr double worth_overlapping = 0.01;  ///< share of copies in a block's time

/// What is known of a unit in this iteration.
struct PlannedUnit {
  const CostModel* cost = nullptr;
  bool has_setup = false;  ///< `cost` contains a setup, which only its first block pays
  double share_items = 0.0;
  double least_items = 0.0;
  double most_items = 0.0;
  std::size_t queue = 1;  ///< blocks that it should have
  double end_s = 0.0;     ///< when its blocks will have ended

  [[nodiscard]] double seconds(double items) const {
    return has_setup ? cost->computing_s(items) : cost->at(items).seconds;
  }
  [[nodiscard]] double items_per_s() const { return least_items / seconds(least_items); }
};

class ReactingPlan final : public Policy {
 public:
  ReactingPlan(const KnownCosts& known, double part, double dearer)
      : known_(known), part_(part), dearer_(dearer) {}

  void decide(const View& view, const Event& event, Decisions& decisions) override {
    if (std::holds_alternative<IterationStarted>(event.what)) {
      plan(view);
    } else if (const auto* idle = std::get_if<UnitIdle>(&event.what)) {
      offer(view, idle->unit, decisions);
    } else if (const auto* finished = std::get_if<BlockFinished>(&event.what)) {
      expect_end(view, finished->unit);
      if (!view.unit(finished->unit).outstanding.empty()) offer(view, finished->unit, decisions);
    } else if (const auto* lost = std::get_if<BlockLost>(&event.what)) {
      expect_end(view, lost->unit);
    }
    if (std::holds_alternative<UnitLost>(event.what) ||
        std::holds_alternative<UnitJoined>(event.what)) {
      add_shares(view);
    }
  }

 private:
  void plan(const View& view);
  void choose_sizes(const View& view, PlannedUnit& unit) const;
  void add_shares(const View& view);
  void expect_end(const View& view, UnitId id);
  void offer(const View& view, UnitId id, Decisions& decisions);
  [[nodiscard]] double wanted(const View& view, UnitId id) const;
  [[nodiscard]] double end_of_others(const View& view, UnitId but) const;

  const KnownCosts& known_;
  double part_;
  double dearer_;
  std::vector<PlannedUnit> units_;
  double shares_items_ = 0.0;  ///< of the units that are present
};

void ReactingPlan::plan(const View& view) {
  const auto phase = static_cast<std::size_t>(view.phase());
  std::vector<const CostModel*> costs;
  for (const auto& cost : known_.phases[phase]) costs.push_back(cost.get());
  std::vector<Items> shares;
  if (known_.schedule.empty()) {
    shares =
        divide_among(view, present_units(view), view.workload().items, costs, BlockRule::cheapest);
  } else {
    for (const std::vector<Items>& blocks : known_.schedule[phase]) {
      shares.push_back(std::accumulate(blocks.begin(), blocks.end(), Items{0}));
    }
  }
  units_.assign(costs.size(), {});
  for (std::size_t p = 0; p < costs.size(); ++p) {
    units_[p].cost = costs[p];
    units_[p].has_setup = view.workload().bytes_of_an_iteration() > 0.0;
    units_[p].share_items = static_cast<double>(shares[p]);
    units_[p].end_s = view.now().value;
    choose_sizes(view, units_[p]);
  }
  add_shares(view);
}

void ReactingPlan::choose_sizes(const View& view, PlannedUnit& unit) const {
  const auto grain = static_cast<double>(view.workload().grain_items);
  const double ratio = std::max(1.0, unit.share_items / grain);
  const auto size = [&](int i) {
    return grain * std::pow(ratio, static_cast<double>(i) / (sizes_tried - 1));
  };
  double cheapest = std::numeric_limits<double>::infinity();
  for (int i = 0; i < sizes_tried; ++i) {
    cheapest = std::min(cheapest, unit.seconds(size(i)) / size(i));
  }
  for (int i = 0; i < sizes_tried; ++i) {
    if (unit.seconds(size(i)) > (1.0 + dearer_) * cheapest * size(i)) continue;
    if (unit.least_items == 0.0) unit.least_items = size(i);
    unit.most_items = size(i);
  }
  const double whole_s = unit.cost->at(unit.most_items).seconds;
  const double copies_s = whole_s - unit.cost->computing_s(unit.most_items);
  if (copies_s > worth_overlapping * whole_s) unit.queue = 2;
}

void ReactingPlan::add_shares(const View& view) {
  shares_items_ = 0.0;
  for (const UnitState& unit : view.units()) {
    if (unit.present && !units_.empty()) shares_items_ += units_[unit.id.index].share_items;
  }
}

void ReactingPlan::expect_end(const View& view, UnitId id) {
  PlannedUnit& unit = units_[id.index];
  unit.end_s = view.now().value;
  for (const OutstandingBlock& block : view.unit(id).outstanding) {
    unit.end_s += unit.seconds(static_cast<double>(block.block.items));
  }
}

void ReactingPlan::offer(const View& view, UnitId id, Decisions& decisions) {
  PlannedUnit& unit = units_[id.index];
  const UnitState& state = view.unit(id);
  const std::size_t queue = std::max(unit.queue, static_cast<std::size_t>(state.unit.slots));
  while (view.remaining() > 0 && state.outstanding.size() < queue) {
    unit.end_s = std::max(unit.end_s, view.now().value);
    const double items = wanted(view, id);
    if (items <= 0.0) return;
    const Items granted = decisions.assign(id, static_cast<Items>(std::ceil(items)));
    if (granted == 0) return;
    unit.end_s += unit.seconds(static_cast<double>(granted));
  }
}

/// The size of the next block of the unit; 0 if it should wait.
double ReactingPlan::wanted(const View& view, UnitId id) const {
  const PlannedUnit& unit = units_[id.index];
  const auto remaining = static_cast<double>(view.remaining());
  const double part =
      shares_items_ > 0.0 ? part_ * unit.share_items / shares_items_ * remaining : 0.0;
  if (part >= unit.least_items) return std::min(part, unit.most_items);
  const double last = std::min(unit.least_items, remaining);
  if (view.outstanding() == 0) return last;
  if (unit.share_items <= 0.0) return 0.0;
  const double others_end_s = end_of_others(view, id);
  const auto grain = static_cast<double>(view.workload().grain_items);
  for (double items = last; items >= std::min(grain, last); items *= 0.5) {
    if (unit.end_s + unit.seconds(items) <= others_end_s) return items;
  }
  return 0.0;
}

/// When the other units would have done all that remains, each at its speed with least blocks and
/// beginning when its blocks end; infinity if there are none.
double ReactingPlan::end_of_others(const View& view, UnitId but) const {
  struct Other {
    double from_s;
    double items_per_s;
  };
  std::vector<Other> others;
  for (const UnitState& state : view.units()) {
    const PlannedUnit& unit = units_[state.id.index];
    if (!state.present || state.id == but || unit.share_items <= 0.0) continue;
    others.push_back({std::max(unit.end_s, view.now().value), unit.items_per_s()});
  }
  std::ranges::sort(others, {}, &Other::from_s);
  double rate = 0.0;
  double done_before = 0.0;  // what would be done at time 0 if the units so far had begun then
  double end_s = std::numeric_limits<double>::infinity();
  for (const Other& other : others) {
    if (other.from_s >= end_s) break;
    rate += other.items_per_s;
    done_before -= other.items_per_s * other.from_s;
    end_s = (static_cast<double>(view.remaining()) - done_before) / rate;
  }
  return end_s;
}

}  // namespace

std::unique_ptr<Policy> make_reacting_plan(const KnownCosts& known, double part, double dearer) {
  return std::make_unique<ReactingPlan>(known, part, dearer);
}

}  // namespace equipoise
