// Computes the shares of nodes, the shares of units, and the blocks of units.
#include "shared_policies/policies/hierarchical/hierarchical_plan.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <numeric>
#include <optional>

#include "shared_policies/model/failure.hpp"
#include "shared_policies/policies/block_sizes.hpp"
#include "shared_policies/policies/hierarchical/six_steps.hpp"
#include "shared_policies/solve/equal_finish.hpp"

namespace equipoise {
namespace {

constexpr int node_points = 8;  // sizes at which a node's time is computed from its units

/// Even shares of `items`, at most `caps`; the remainder goes to the first shares, one grain each.
std::vector<Items> even_shares(Items items, Items grain, const std::vector<Items>& caps) {
  std::vector<Items> shares(caps.size(), 0);
  while (items > 0) {
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < caps.size(); ++i) {
      if (shares[i] < caps[i]) open.push_back(i);
    }
    if (open.empty()) return shares;
    const Items even = std::max(grain, items / static_cast<Items>(open.size()) / grain * grain);
    for (const std::size_t i : open) {
      const Items given = std::min({even, caps[i] - shares[i], items});
      shares[i] += given;
      items -= given;
    }
  }
  return shares;
}

/// Divides a load by the models or, without any, evenly.
class Planner {
 public:
  Planner(const View& view, const PerformanceModels* models, Items items, const ShareRule& rule)
      : view_(view), models_(models), rule_(rule), grain_(view.workload().grain_items) {
    items_ = (items + grain_ - 1) / grain_ * grain_;
    if (models != nullptr) slowest_ = slowest_unit();
  }

  [[nodiscard]] HierarchicalPlan plan() const {
    Nodes nodes = present_nodes(view_);
    if (models_ == nullptr) {
      for (std::vector<UnitId>& node : nodes) {
        std::stable_partition(node.begin(), node.end(),
                              [this](UnitId unit) { return is_accelerator(unit); });
      }
    }
    HierarchicalPlan plan;
    plan.units.resize(view_.units().size());
    const std::vector<Items> alpha = node_shares(nodes);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (alpha[i] == 0) continue;
      const std::vector<Items> beta = unit_shares(nodes[i], alpha[i]);
      for (std::size_t j = 0; j < nodes[i].size(); ++j) {
        plan.units[nodes[i][j].index] = groups(nodes[i][j], beta[j]);
      }
    }
    return plan;
  }

 private:
  [[nodiscard]] bool is_accelerator(UnitId unit) const {
    return view_.unit(unit).unit.kind != UnitKind::cpu;
  }

  /// What the memory of a unit holds, in whole grains, at least one grain.
  [[nodiscard]] Items cap(UnitId unit) const {
    const Items cap = view_.unit(unit).cap_items;
    return cap >= view_.workload().items ? items_ : std::max(grain_, cap / grain_ * grain_);
  }
  /// What one group of the unit's blocks may hold.
  [[nodiscard]] Items group_cap(UnitId unit) const {
    const double part = rule_.memory_share * static_cast<double>(cap(unit) / grain_);
    return std::max(grain_, static_cast<Items>(std::floor(part)) * grain_);
  }
  [[nodiscard]] std::vector<Items> largest_shares(const std::vector<UnitId>& node) const {
    std::vector<Items> caps;
    for (const UnitId unit : node) {
      caps.push_back(rule_.in_groups ? items_ : std::min(items_, cap(unit)));
    }
    return caps;
  }
  [[nodiscard]] Items largest_share(const std::vector<UnitId>& node) const {
    Items sum = 0;
    for (const Items cap : largest_shares(node)) sum = std::min(items_, sum + cap);
    return sum;
  }

  [[nodiscard]] UnitId slowest_unit() const {
    const double even = static_cast<double>(items_) / static_cast<double>(view_.units().size());
    std::optional<UnitId> slowest;
    double longest_s = 0.0;
    for (const UnitState& unit : view_.units()) {
      if (!models_->knows(unit.id)) continue;
      const double seconds = models_->total(unit.id).at(even).seconds;
      if (slowest && seconds <= longest_s) continue;
      slowest = unit.id;
      longest_s = seconds;
    }
    EQ_CHECK(slowest.has_value(), "something was learned");
    return *slowest;
  }

  /// alpha: by eq. 1, or even.
  [[nodiscard]] std::vector<Items> node_shares(const Nodes& nodes) const {
    std::vector<SpeedCurve> curves;
    std::vector<Items> caps;
    for (const std::vector<UnitId>& node : nodes) {
      caps.push_back(largest_share(node));
      if (models_ == nullptr) continue;
      const std::optional<SpeedCurve> measured = models_->node_total(node);
      curves.push_back(measured ? *measured : modelled_by_units(node));
    }
    if (models_ == nullptr) return even_shares(items_, grain_, caps);
    return equal_time_shares(pointers_to(curves), items_, grain_, caps);
  }

  /// beta: by eq. 2, or even.
  [[nodiscard]] std::vector<Items> unit_shares(const std::vector<UnitId>& node, Items items) const {
    const std::vector<Items> caps = largest_shares(node);
    if (models_ == nullptr) return even_shares(items, grain_, caps);
    return equal_time_shares(pointers_to(curves_of(node)), items, grain_, caps);
  }

  /// gamma: by the six steps, or by eq. 10.
  [[nodiscard]] BlockGroups groups(UnitId unit, Items items) const {
    if (!rule_.in_groups || !is_accelerator(unit)) {
      BlockGroups single;
      const Items blocks = (items + cap(unit) - 1) / cap(unit);
      for (const Items size : equal_blocks(items, blocks, grain_)) single.push_back({size});
      return single;
    }
    if (models_ == nullptr || !models_->knows(unit)) {
      return halving_groups(items, grain_, group_cap(unit));
    }
    const std::unique_ptr<CostModel> in = models_->in(unit);
    const SpeedCurve compute = models_->compute(unit);
    const std::unique_ptr<CostModel> out = models_->out(unit);
    const SpeedCurve alone = models_->alone(unit);
    const GroupProblem problem{.in = in.get(),
                               .compute = &compute,
                               .out = out.get(),
                               .items = items,
                               .grain_items = grain_,
                               .cap_items = group_cap(unit),
                               .copy_engines = view_.unit(unit).unit.copy_engines,
                               .alone = &alone};
    return rule_.gamma == GammaRule::steps ? plan_six_steps(problem) : plan_groups(problem);
  }

  [[nodiscard]] std::vector<ShareTime> curves_of(const std::vector<UnitId>& node) const {
    std::vector<ShareTime> curves;
    for (const UnitId unit : node) {
      curves.push_back(models_->total(models_->knows(unit) ? unit : slowest_));
    }
    return curves;
  }

  /// A curve through the times at which the node's units finish together, at sizes from one grain
  /// to the node's largest share.
  [[nodiscard]] SpeedCurve modelled_by_units(const std::vector<UnitId>& node) const {
    const std::vector<ShareTime> curves = curves_of(node);
    const std::vector<const CostModel*> costs = pointers_to(curves);
    const std::vector<Items> caps = largest_shares(node);
    const std::vector<double> limits(caps.begin(), caps.end());
    const auto least = static_cast<double>(grain_);
    const auto most = static_cast<double>(largest_share(node));
    std::vector<CostSample> samples;
    for (int k = 0; k < node_points; ++k) {
      const double items =
          least * std::pow(most / least, static_cast<double>(k) / (node_points - 1));
      add_sample(samples, items, solve_equal_finish({costs, limits, items}).finish_s);
    }
    return SpeedCurve(samples);
  }

  const View& view_;
  const PerformanceModels* models_;
  ShareRule rule_;
  Items grain_;
  Items items_ = 0;
  UnitId slowest_;
};

}  // namespace

Items HierarchicalPlan::share(UnitId unit) const {
  Items sum = 0;
  for (const std::vector<Items>& group : units[unit.index]) {
    sum = std::accumulate(group.begin(), group.end(), sum);
  }
  return sum;
}

Nodes present_nodes(const View& view) {
  Nodes nodes;
  for (const UnitState& unit : view.units()) {
    if (!unit.present) continue;
    auto node = std::ranges::find_if(nodes, [&](const std::vector<UnitId>& units) {
      return view.unit(units.front()).unit.node == unit.unit.node;
    });
    if (node == nodes.end()) node = nodes.insert(nodes.end(), std::vector<UnitId>{});
    node->push_back(unit.id);
  }
  return nodes;
}

HierarchicalPlan initial_plan(const View& view, Items items, const ShareRule& rule) {
  return Planner(view, nullptr, items, rule).plan();
}

HierarchicalPlan learned_plan(const View& view, const PerformanceModels& models, Items items,
                              const ShareRule& rule) {
  return Planner(view, &models, items, rule).plan();
}

}  // namespace equipoise
