// Computes the shares of nodes, the shares of units, and the blocks of units.
#include "shared_policies/policies/hierarchical/hierarchical_plan.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <memory>
#include <numeric>
#include <optional>

#include "shared_policies/model/failure.hpp"
#include "shared_policies/policies/hierarchical/six_steps.hpp"
#include "shared_policies/solve/equal_finish.hpp"
#include "shared_policies/solve/integer_rounding.hpp"

namespace equipoise {
namespace {

constexpr int node_points = 8;  // sizes at which a node's time is computed from its units

/// What both kinds of plan use: sizes in whole grains, and the largest shares of units and nodes.
class Limits {
 public:
  Limits(const View& view, Items items, const ShareRule& rule)
      : view_(view), rule_(rule), grain_(view.workload().grain_items) {
    items_ = (items + grain_ - 1) / grain_ * grain_;
  }

  [[nodiscard]] Items items() const { return items_; }
  [[nodiscard]] Items grain() const { return grain_; }
  [[nodiscard]] bool has_groups(UnitId unit) const {
    return rule_.in_groups && view_.unit(unit).unit.kind != UnitKind::cpu;
  }

  /// What the memory of a unit holds, in whole grains, at least one grain.
  [[nodiscard]] Items cap(UnitId unit) const {
    const Items cap = view_.unit(unit).cap_items;
    return cap >= view_.workload().items ? items_ : std::max(grain_, cap / grain_ * grain_);
  }
  /// What one group of the unit's blocks may hold.
  [[nodiscard]] Items group_cap(UnitId unit) const {
    const Items grains = cap(unit) / grain_;
    const double part = rule_.memory_share * static_cast<double>(grains);
    return std::max(grain_, static_cast<Items>(std::floor(part)) * grain_);
  }
  [[nodiscard]] Items largest_share(UnitId unit) const {
    return rule_.in_groups ? items_ : std::min(items_, cap(unit));
  }
  [[nodiscard]] Items largest_share(const std::vector<UnitId>& node) const {
    Items sum = 0;
    for (const UnitId unit : node) sum = std::min(items_, sum + largest_share(unit));
    return sum;
  }

 private:
  const View& view_;
  ShareRule rule_;
  Items grain_;
  Items items_ = 0;
};

/// Equal blocks, as few as memory allows; each is a group of its own.
BlockGroups single_blocks(Items items, Items grain, Items cap) {
  BlockGroups groups;
  for (Items blocks = (items + cap - 1) / cap; blocks > 0; --blocks) {
    const Items even = (items + blocks - 1) / blocks;
    groups.push_back({std::min(items, (even + grain - 1) / grain * grain)});
    items -= groups.back().front();
  }
  return groups;
}

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

/// Shares in whole grains that take equal times.
template <typename Curve>
std::vector<Items> equal_time_shares(const std::vector<Curve>& curves,
                                     const std::vector<Items>& caps, Items items, Items grain) {
  std::vector<const CostModel*> costs;
  for (const Curve& curve : curves) costs.push_back(&curve);
  const std::vector<double> limits(caps.begin(), caps.end());
  const Split split = solve_equal_finish({costs, limits, static_cast<double>(items)});
  return round_to_sum({costs, split.items, caps, items, grain});
}

/// Divides a load by the models.
class LearnedDivision {
 public:
  LearnedDivision(const View& view, const PerformanceModels& models, const Limits& limits)
      : view_(view), models_(models), limits_(limits), slowest_(slowest_unit()) {}

  [[nodiscard]] std::vector<Items> node_shares(const Nodes& nodes) {
    std::vector<SpeedCurve> curves;
    std::vector<Items> caps;
    for (const std::vector<UnitId>& node : nodes) {
      const std::optional<SpeedCurve> measured = models_.node_total(node);
      curves.push_back(measured ? *measured : modelled_by_units(node));
      caps.push_back(limits_.largest_share(node));
    }
    return equal_time_shares(curves, caps, limits_.items(), limits_.grain());
  }

  [[nodiscard]] std::vector<Items> unit_shares(const std::vector<UnitId>& node, Items items) {
    return equal_time_shares(curves_of(node), caps_of(node), items, limits_.grain());
  }

 private:
  [[nodiscard]] UnitId slowest_unit() const {
    const double even =
        static_cast<double>(limits_.items()) / static_cast<double>(view_.units().size());
    std::optional<UnitId> slowest;
    double longest_s = 0.0;
    for (const UnitState& unit : view_.units()) {
      if (models_.knows(unit.id)) {
        const double seconds = models_.total(unit.id).at(even).seconds;
        if (!slowest || seconds > longest_s) {
          slowest = unit.id;
          longest_s = seconds;
        }
      }
    }
    EQ_CHECK(slowest.has_value(), "something was learned");
    return *slowest;
  }

  [[nodiscard]] std::vector<ShareTime> curves_of(const std::vector<UnitId>& node) const {
    std::vector<ShareTime> curves;
    for (const UnitId unit : node) {
      curves.push_back(models_.total(models_.knows(unit) ? unit : slowest_));
    }
    return curves;
  }

  [[nodiscard]] std::vector<Items> caps_of(const std::vector<UnitId>& node) const {
    std::vector<Items> caps;
    for (const UnitId unit : node) caps.push_back(limits_.largest_share(unit));
    return caps;
  }

  /// A curve through the times at which the node's units finish together, at sizes from one grain
  /// to the node's largest share.
  [[nodiscard]] SpeedCurve modelled_by_units(const std::vector<UnitId>& node) const {
    const std::vector<ShareTime> curves = curves_of(node);
    std::vector<const CostModel*> costs;
    for (const ShareTime& curve : curves) costs.push_back(&curve);
    const std::vector<Items> caps = caps_of(node);
    const std::vector<double> limits(caps.begin(), caps.end());
    const auto least = static_cast<double>(limits_.grain());
    const auto most = static_cast<double>(limits_.largest_share(node));
    std::vector<CostSample> samples;
    for (int k = 0; k < node_points; ++k) {
      const double items =
          least * std::pow(most / least, static_cast<double>(k) / (node_points - 1));
      add_sample(samples, items, solve_equal_finish({costs, limits, items}).finish_s);
    }
    return SpeedCurve(samples);
  }

  const View& view_;
  const PerformanceModels& models_;
  const Limits& limits_;
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
    auto node = std::find_if(nodes.begin(), nodes.end(), [&](const std::vector<UnitId>& units) {
      return view.unit(units.front()).unit.node == unit.unit.node;
    });
    if (node == nodes.end()) node = nodes.insert(nodes.end(), std::vector<UnitId>{});
    node->push_back(unit.id);
  }
  return nodes;
}

HierarchicalPlan initial_plan(const View& view, Items items, const ShareRule& rule) {
  const Limits limits(view, items, rule);
  HierarchicalPlan plan;
  plan.units.resize(view.units().size());
  Nodes nodes = present_nodes(view);
  std::vector<Items> node_caps;
  for (const std::vector<UnitId>& node : nodes) node_caps.push_back(limits.largest_share(node));
  const std::vector<Items> alpha = even_shares(limits.items(), limits.grain(), node_caps);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    std::vector<UnitId>& node = nodes[i];
    std::stable_partition(node.begin(), node.end(),
                          [&](UnitId unit) { return view.unit(unit).unit.kind != UnitKind::cpu; });
    std::vector<Items> caps;
    for (const UnitId unit : node) caps.push_back(limits.largest_share(unit));
    const std::vector<Items> beta = even_shares(alpha[i], limits.grain(), caps);
    for (std::size_t j = 0; j < node.size(); ++j) {
      plan.units[node[j].index] =
          limits.has_groups(node[j])
              ? halving_groups(beta[j], limits.grain(), limits.group_cap(node[j]))
              : single_blocks(beta[j], limits.grain(), limits.cap(node[j]));
    }
  }
  return plan;
}

HierarchicalPlan learned_plan(const View& view, const PerformanceModels& models, Items items,
                              const ShareRule& rule) {
  const Limits limits(view, items, rule);
  LearnedDivision division(view, models, limits);
  HierarchicalPlan plan;
  plan.units.resize(view.units().size());
  const Nodes nodes = present_nodes(view);
  const std::vector<Items> alpha = division.node_shares(nodes);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (alpha[i] == 0) continue;
    const std::vector<Items> beta = division.unit_shares(nodes[i], alpha[i]);
    for (std::size_t j = 0; j < nodes[i].size(); ++j) {
      const UnitId unit = nodes[i][j];
      if (!limits.has_groups(unit)) {
        plan.units[unit.index] = single_blocks(beta[j], limits.grain(), limits.cap(unit));
      } else if (!models.knows(unit)) {
        plan.units[unit.index] = halving_groups(beta[j], limits.grain(), limits.group_cap(unit));
      } else {
        const std::unique_ptr<CostModel> in = models.in(unit);
        const SpeedCurve compute = models.compute(unit);
        const std::unique_ptr<CostModel> out = models.out(unit);
        const SpeedCurve alone = models.alone(unit);
        const GroupProblem problem{in.get(),
                                   &compute,
                                   out.get(),
                                   beta[j],
                                   limits.grain(),
                                   limits.group_cap(unit),
                                   view.unit(unit).unit.copy_engines,
                                   &alone};
        plan.units[unit.index] =
            rule.gamma == GammaRule::steps ? plan_six_steps(problem) : plan_groups(problem);
      }
    }
  }
  return plan;
}

}  // namespace equipoise
