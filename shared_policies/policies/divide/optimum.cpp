// optimum: an oracle that is given the true costs of this run and, if a search in the simulator was
// made, the best schedule that it found. It knows mean times and what each item costs, and keeps to
// its plan; with reacts=true it reacts to what happens.
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <vector>

#include "shared_policies/model/failure.hpp"
#include "shared_policies/policies/block_plan.hpp"
#include "shared_policies/policies/divide/energy_split.hpp"
#include "shared_policies/policies/divide/planned_division.hpp"
#include "shared_policies/policies/event_policy.hpp"
#include "shared_policies/policies/known_work.hpp"
#include "shared_policies/policies/policies.hpp"

namespace equipoise {
namespace {

/// One share for each unit, so that all finish together. A share is one block, or several if these
/// take less time than one (costs that grow more than in proportion) or if memory requires it. The
/// division takes into account neither the overlap of copies and computation nor links shared by
/// units: on platforms with these it is a very good division, not a bound. For energy or EDP the
/// shares are those of `divide_for`.
class KnownDivision final : public PlannedPolicy {
 public:
  KnownDivision(const Parameters& read, const KnownCosts& known)
      : PlannedPolicy(known, "known", KnownWork(known)), objective_(objective_of(read)) {}

 private:
  [[nodiscard]] std::vector<Items> divide(const Costs& costs) const override {
    if (objective_ != Objective::time) return divide_for(objective_, view(), costs);
    return divide_among(view(), present_units(view()), view().workload().items, costs,
                        BlockRule::cheapest);
  }

  [[nodiscard]] Items count_blocks(const UnitState& unit, const CostModel& cost,
                                   Items share) const override {
    return cheapest_count(cost, share, view().workload().grain_items, unit.cap_items);
  }

  Objective objective_;
};

/// Hands out a known schedule: all blocks of a unit when an iteration starts or when the unit
/// joins, so that they overlap if the unit can do that. The work of lost units goes to idle units.
class KnownSchedule final : public EventPolicy {
 public:
  explicit KnownSchedule(const BlockLists& schedule) : schedule_(schedule) {}

 private:
  void on_iteration() override {
    left_ = schedule_[static_cast<std::size_t>(view().phase())];
    rest_.clear(view());
    Decision decision{.what = DecisionKind::schedule};
    for (const UnitState& unit : view().units()) {
      const std::vector<Items>& blocks = left_[unit.id.index];
      if (!blocks.empty()) {
        decision.estimates.push_back(
            {.unit = unit.id, .cost = "known", .block_items = blocks.front()});
      }
    }
    decisions().decided(decision);
    for (const UnitState& unit : view().units()) {
      if (unit.present) hand_out(unit.id);
    }
  }
  void on_unit_joined(UnitId unit) override { hand_out(unit); }
  void on_idle(UnitId unit) override {
    if (view().unit(unit).outstanding.empty()) rest_.offer(view(), unit, decisions());
  }
  void on_unit_lost(UnitId unit) override { rest_.drop(view(), unit, decisions()); }

  void hand_out(UnitId unit) {
    for (const Items items : left_[unit.index]) decisions().assign(unit, items);
    left_[unit.index].clear();
  }

  const BlockLists& schedule_;
  BlockLists::value_type left_;  // (n) of this iteration, not yet handed out
  BlockPlan rest_;               // without planned blocks: gives remaining work to idle units
};

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

/// optimum:reacts=true. Hands out the shares of the best known schedule (or, if there is none, of
/// the division by known costs) piece by piece. A unit that asks gets
///
///     x_p = part s_p / sum_q(s_q) R
///
/// of the R items that remain, where s_q are the shares of the units that are present, so that luck
/// with block times is made up for by the pieces that follow. If items differ, all of these are
/// work, in items of mean work. x_p is kept between the least and the greatest size at which an
/// item costs at most (1 + dearer) times the unit's least cost; the setup, which is paid once, does
/// not count. A block raised to the least size is given only if the
/// others would end later without it, as list scheduling does; otherwise half of it is tried, and
/// so on. A unit whose blocks spend time on copies has two blocks at least.
///
/// O(n) for each of the last blocks, else O(1). Source: guided and factoring self-scheduling; the
/// weights and sizes are ours.
class ReactingPlan final : public EventPolicy {
 public:
  ReactingPlan(const Parameters& read, const KnownCosts& known)
      : known_(known),
        work_(known),
        part_(read.number("part", 0.01, 1.0)),
        dearer_(read.number("dearer", 0.0, 10.0)) {}

 private:
  void on_iteration() override { plan(); }
  void on_idle(UnitId unit) override { offer(unit); }
  void on_finished(const BlockFinished& finished) override {
    expect_end(finished.unit);
    if (!view().unit(finished.unit).outstanding.empty()) offer(finished.unit);
  }
  void on_block_lost(const BlockLost& lost) override { expect_end(lost.unit); }
  void on_unit_lost(UnitId /*unit*/) override { add_shares(); }
  void on_unit_joined(UnitId /*unit*/) override { add_shares(); }

  void plan() {
    const auto phase = static_cast<std::size_t>(view().phase());
    std::vector<const CostModel*> costs;
    for (const auto& cost : known_.phases[phase]) costs.push_back(cost.get());
    const std::vector<double> shares = shares_by(costs);
    units_.assign(costs.size(), {});
    for (std::size_t p = 0; p < costs.size(); ++p) {
      units_[p].cost = costs[p];
      units_[p].has_setup = view().workload().bytes_of_an_iteration() > 0.0;
      units_[p].share_items = shares[p];
      units_[p].end_s = view().now().value;
      choose_sizes(units_[p]);
    }
    add_shares();
  }

  /// The shares (n) of the work. Blocks of a schedule are handed out in the order of the units.
  [[nodiscard]] std::vector<double> shares_by(const std::vector<const CostModel*>& costs) const {
    if (known_.schedule.empty()) {
      const std::vector<Items> shares = divide_among(
          view(), present_units(view()), view().workload().items, costs, BlockRule::cheapest);
      return {shares.begin(), shares.end()};
    }
    std::vector<double> shares;
    Items first = 0;
    for (const auto& blocks : known_.schedule[static_cast<std::size_t>(view().phase())]) {
      const Items items = std::accumulate(blocks.begin(), blocks.end(), Items{0});
      // The last block of whole grains may be larger than what is left for it.
      const Items left = view().workload().items - first;
      shares.push_back(work_.differs(view()) ? work_.of(view(), first, std::min(items, left))
                                             : static_cast<double>(items));
      first += std::min(items, left);
    }
    return shares;
  }

  void choose_sizes(PlannedUnit& unit) const {
    const double ratio = std::max(1.0, unit.share_items / grain());
    const auto size = [&](int i) {
      return grain() * std::pow(ratio, static_cast<double>(i) / (sizes_tried - 1));
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

  void add_shares() {
    shares_items_ = 0.0;
    for (const UnitState& unit : view().units()) {
      if (unit.present && !units_.empty()) shares_items_ += units_[unit.id.index].share_items;
    }
  }

  void expect_end(UnitId id) {
    PlannedUnit& unit = units_[id.index];
    unit.end_s = view().now().value;
    for (const OutstandingBlock& block : view().unit(id).outstanding) {
      unit.end_s += unit.seconds(work_.of(view(), block.block));
    }
  }

  void offer(UnitId id) {
    PlannedUnit& unit = units_[id.index];
    const UnitState& state = view().unit(id);
    const std::size_t queue = std::max(unit.queue, static_cast<std::size_t>(state.unit.slots));
    while (view().remaining() > 0 && state.outstanding.size() < queue) {
      unit.end_s = std::max(unit.end_s, view().now().value);
      const double work = wanted(id);
      if (work <= 0.0) return;
      const Items first = view().not_handed_out().begin()->first;
      const double items = work_.next_items(view(), work);
      const Items granted = decisions().assign(id, static_cast<Items>(std::ceil(items)));
      if (granted == 0) return;
      unit.end_s += unit.seconds(work_.of(view(), first, granted));
    }
  }

  /// The size of the next block of the unit; 0 if it should wait.
  [[nodiscard]] double wanted(UnitId id) const {
    const PlannedUnit& unit = units_[id.index];
    const double left = work_.remaining(view());
    if (left <= 0.0) return grain();  // the items that are left cost nothing
    const double part = shares_items_ > 0.0 ? part_ * unit.share_items / shares_items_ * left : 0.0;
    if (part >= unit.least_items) return std::min(part, unit.most_items);
    const double last = std::min(unit.least_items, left);
    if (view().outstanding() == 0) return last;
    if (unit.share_items <= 0.0) return 0.0;
    const double others_end_s = end_of_others(id);
    for (double items = last; items >= std::min(grain(), last); items *= 0.5) {
      if (unit.end_s + unit.seconds(items) <= others_end_s) return items;
    }
    return 0.0;
  }

  /// When the other units would have done all that remains, each at its speed with least blocks and
  /// beginning when its blocks end; infinity if there are none.
  [[nodiscard]] double end_of_others(UnitId but) const {
    struct Other {
      double from_s;
      double items_per_s;
    };
    std::vector<Other> others;
    for (const UnitState& state : view().units()) {
      const PlannedUnit& unit = units_[state.id.index];
      if (!state.present || state.id == but || unit.share_items <= 0.0) continue;
      others.push_back({std::max(unit.end_s, view().now().value), unit.items_per_s()});
    }
    std::ranges::sort(others, {}, &Other::from_s);
    const double left = work_.remaining(view());
    double rate = 0.0;
    double done_before = 0.0;  // what would be done at time 0 if the units so far had begun then
    double end_s = std::numeric_limits<double>::infinity();
    for (const Other& other : others) {
      if (other.from_s >= end_s) break;
      rate += other.items_per_s;
      done_before -= other.items_per_s * other.from_s;
      end_s = (left - done_before) / rate;
    }
    return end_s;
  }

  const KnownCosts& known_;
  KnownWork work_;
  double part_;
  double dearer_;
  std::vector<PlannedUnit> units_;
  double shares_items_ = 0.0;  ///< of the units that are present
};

std::unique_ptr<Policy> make_optimum(const Parameters& read, const KnownCosts* known) {
  if (read.flag("reacts")) return make_a<ReactingPlan>(read, known);
  if (objective_of(read) == Objective::time && !known->schedule.empty()) {
    return std::make_unique<KnownSchedule>(known->schedule);
  }
  return make_a<KnownDivision>(read, known);
}

void check_optimum(const Parameters& parameters, std::span<const Unit> units) {
  check_objective(parameters, units, "optimum");
  if (parameters.flag("reacts") && objective_of(parameters) != Objective::time) {
    throw InputError("policy", "optimum reacts only for objective=time; leave one of them out");
  }
}

}  // namespace

PolicyInfo optimum_info() {
  return {
      .name = "optimum",
      .line = "follows the best schedule found for this run's mean times, without reacting",
      .source = "policies of the papers are measured against it",
      .parameters =
          {objective_parameter(),
           {"reacts", "false", "",
            "true: hands out its shares in smaller and smaller pieces, to whoever is free, instead "
            "of keeping to the plan",
            "false: the papers' optimum is a fixed division"},
           {"part", "0.5", "share of what the unit would still get",
            "with reacts=true: size of a block", "factoring halves what remains, too"},
           {"dearer", "0.02", "share of the least cost of an item",
            "with reacts=true: an item may cost so much more than in blocks of the best size",
            "ours; the best known makespan is the least of several such runs"}},
      .foresight = Foresight::oracle,
      .make = make_optimum,
      .check_units = check_optimum,
      .knows_costs = true};
}

}  // namespace equipoise
