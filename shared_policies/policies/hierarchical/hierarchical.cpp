// hierarchical: hierarchical divisible load scheduling (2012). It divides the load over nodes and
// over the units of a node, and cuts an accelerator's share into groups of blocks (the paper's
// sub-distributions): a group fits into the accelerator's memory, and the copies of its blocks
// overlap computation. It learns speeds as functions of size, round by round. Its section 5:
//
//     initialization phase                                              determine_distributions
//       alpha_i = N / |D|,  beta_ij = alpha_i / (m_i + w_i)             node_shares, unit_shares
//       gamma_l = beta / 2^l, split until it fits (10)                  halving_groups
//     process the load                                                  process
//     iterative phase: extend the models                                PerformanceModels
//         psi_omega, phi_iota, phi_o by the load fractions              finished_fraction
//         psi_tau by the sub-distributions                              follow_group
//         Psi_tau by the overall execution                              end_round
//       if the times of the nodes agree, stop: load balanced            agree
//       step 1: alpha by Psi_tau (1)                                    node_shares
//       step 2: beta by psi_tau (2)                                     unit_shares
//       step 3: gamma in six steps (3-8)                                plan_six_steps
//       process the load, and repeat                                    process
//
// Step 3 is in six_steps.cpp, which also says where the paper is garbled or silent. What we add is
// under "What we add", and in block_groups.cpp.
//
// fpm-limited: the policy that the paper compares it with (its reference [9]). The division over
// nodes and units by functional performance models is the same, but a unit does its share as one
// block, and the part that does not fit into its memory goes to other units. If the memory of all
// units together holds less than the load, a further round does the rest.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "shared_policies/model/failure.hpp"
#include "shared_policies/policies/block_plan.hpp"
#include "shared_policies/policies/block_sizes.hpp"
#include "shared_policies/policies/event_policy.hpp"
#include "shared_policies/policies/hierarchical/block_groups.hpp"
#include "shared_policies/policies/hierarchical/performance_models.hpp"
#include "shared_policies/policies/policies.hpp"
#include "shared_policies/solve/equal_finish.hpp"

namespace equipoise {
namespace {

// -- Section 4: steps 1 and 2, and the first distributions -------------------------------------

/// How the groups of an accelerator's share are found.
enum class GammaRule {
  steps,  ///< `plan_six_steps`: the paper
  search  ///< `plan_groups`: ours
};

/// How a unit does its share.
struct ShareRule {
  /// If true, an accelerator does a share of any size, in groups of blocks that overlap. If false,
  /// it gets a single block, at most what its memory holds, and the other units get the rest.
  bool in_groups = true;
  /// The part of a unit's memory that the blocks of a group may use together, above 0.
  double memory_share = 1.0;
  GammaRule gamma = GammaRule::steps;
};

/// The blocks of every unit (n), in order.
using HierarchicalPlan = std::vector<BlockGroups>;

/// Units, by node.
using Nodes = std::vector<std::vector<UnitId>>;

/// The present units. Units keep their order; nodes are in the order of their first units.
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

/// Divides a load over nodes, then units, and cuts the shares of accelerators into groups of
/// blocks.
///
/// Without models: every node gets the same share, and every unit of a node the same. Indivisible
/// remainders go to the first nodes and, in a node, to accelerators first, which do their shares in
/// halving blocks.
///
/// By models, which know at least one unit:
///
///     alpha_i / Psi_i(alpha_i) equal for all nodes i,       sum alpha_i = items          (eq. 1)
///     beta_ij / psi_ij(beta_ij) equal for units of a node,  sum_j beta_ij = alpha_i      (eq. 2)
///
/// in grains, using the monotone envelope of the times; then groups of blocks for accelerators
/// (`ShareRule::gamma`, step 3). A CPU's share is one block, or as many equal blocks as memory
/// requires. Ours: a node whose present units were never measured together is modelled from its
/// units, and a unit without measurements is assumed to be as slow as the slowest measured unit.
///
/// Where a unit's memory limits its share, the rest goes to other units; if the memory of all units
/// is too small, the plan holds less than the load.
class Planner {
 public:
  /// `models`: nullptr if no unit was measured. `items` > 0 is rounded up to whole grains.
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
    HierarchicalPlan plan(view_.units().size());
    const std::vector<Items> alpha = node_shares(nodes);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (alpha[i] == 0) continue;
      const std::vector<Items> beta = unit_shares(nodes[i], alpha[i]);
      for (std::size_t j = 0; j < nodes[i].size(); ++j) {
        plan[nodes[i][j].index] = groups(nodes[i][j], beta[j]);
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
    const Items grains = cap(unit) / grain_;
    const double part = rule_.memory_share * static_cast<double>(grains);
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

/// The load of one round.
enum class RoundMode {
  slices,  ///< in a kernel's first iteration: given shares of the items, then the rest
  repeat   ///< always all items of an iteration, as in the paper
};

/// Whose times must agree for a plan to be kept.
enum class BalanceOf {
  units,  ///< those of all units that had a share
  nodes   ///< those of the nodes, as in the paper; one node, or equal nodes, always agree
};

/// A policy that works in rounds: all blocks of a plan are handed out at once. When the last block
/// is back, the measurements are added to the models and the next round is planned.
class Hierarchical final : public EventPolicy {
 public:
  Hierarchical(const Parameters& read, const ShareRule& rule)
      : rule_(rule),
        mode_(read.choice<RoundMode>("mode", {"slices", "repeat"})),
        slice_shares_(read.positive_list("slice_shares")),
        threshold_(read.number("threshold", 0.0, 1.0)),
        old_totals_(read.choice<OldTotals>("old_totals", {"replaced", "averaged"})),
        balance_(read.choice<BalanceOf>("balance", {"units", "nodes"})) {}

 private:
  /// What is known about one kernel.
  struct KernelKnowledge {
    KernelKnowledge(std::size_t units, OldTotals old_totals) : models(units, old_totals) {}

    PerformanceModels models;
    int iterations = 0;     ///< how many have begun
    bool balanced = false;  ///< the times of the last round agreed, under a plan from the models
    bool is_plan_learned = false;
    HierarchicalPlan plan;  ///< the plan of the last round
    Items plan_items = 0;
    Nodes plan_nodes;  ///< the nodes present when the plan was made
  };

  /// The progress of a group (the paper's sub-distribution) that was handed out.
  struct GroupProgress {
    std::uint32_t group = 0;
    std::size_t blocks = 0;
    Items items = 0;       ///< items of the blocks that are back
    std::size_t back = 0;  ///< blocks that are back
    Seconds setup{};       ///< of these blocks
  };

  /// The progress of one unit in a round.
  struct UnitRound {
    std::vector<GroupProgress> groups;
    std::size_t current = 0;  ///< position in `groups`
    Items items = 0;          ///< items of the blocks that are back
    Seconds end;              ///< end of the last block
    Seconds group_begin;      ///< end of the group before it
    Seconds setup{};          ///< of the blocks that are back
  };

  // -- Section 5: a round ------------------------------------------------------------------------

  /// One round of the initialization phase or of the iterative phase: determines alpha, beta and
  /// gamma, and has the load processed.
  void begin_round() {
    const Nodes nodes = present_nodes(view());
    if (nodes.empty()) return;
    const Items left = view().remaining();
    round_begin_ = view().now();
    determine_distributions(nodes, next_load(nodes));
    is_disturbed_ = false;
    is_last_ = process() >= left;
  }

  /// Initialization phase: alpha_i = N / |D|, beta_ij = alpha_i / (m_i + w_i), gamma by eq. 10.
  /// Iterative phase, from the models: alpha by eq. 1, beta by eq. 2, gamma by the six steps. "The
  /// procedure stops by marking the current distributions as load balanced": a plan under which the
  /// times agreed is kept as long as the load and the nodes stay the same.
  void determine_distributions(const Nodes& nodes, Items load) {
    KernelKnowledge& kernel = *kernel_;
    if (kernel.balanced && load == kernel.plan_items && nodes == kernel.plan_nodes) {
      kernel.models.begin_round(true);
      return;
    }
    const bool knows_one = std::ranges::any_of(
        view().units(), [&](const auto& unit) { return kernel.models.knows(unit.id); });
    kernel.is_plan_learned = knows_one;
    kernel.models.begin_round(knows_one);
    kernel.plan = Planner(view(), knows_one ? &kernel.models : nullptr, load, rule_).plan();
    kernel.plan_items = load;
    kernel.plan_nodes = nodes;
    if (knows_one) explain();
  }

  void explain() const {
    Decision decision{.what = DecisionKind::rebalance};
    for (const UnitState& unit : view().units()) {
      if (unit.present && kernel_->models.knows(unit.id)) {
        const ModelPoints points = kernel_->models.points(unit.id);
        Items share = 0;
        for (const std::vector<Items>& group : kernel_->plan[unit.id.index]) {
          share = std::accumulate(group.begin(), group.end(), share);
        }
        decision.estimates.push_back(
            {.unit = unit.id,
             .cost = fmt::format("speeds at {} sizes, {} repeated", points.sizes, points.repeated),
             .block_items = share});
      }
    }
    decisions().decided(decision);
  }

  /// Hands out all blocks of the plan, every gamma of every unit; returns the number of items that
  /// the plan asks for.
  Items process() {
    Items sum = 0;
    rounds_.assign(view().units().size(), UnitRound{});
    for (const UnitState& unit : view().units()) {
      UnitRound& round = rounds_[unit.id.index];
      round.end = round.group_begin = round_begin_;
      for (const std::vector<Items>& blocks : kernel_->plan[unit.id.index]) {
        round.groups.push_back({++last_group_, blocks.size()});
        for (const Items items : blocks) {
          decisions().assign(unit.id, items, BlockTag::run, last_group_);
          sum += items;
        }
      }
    }
    return sum;
  }

  // -- Section 5: the models ---------------------------------------------------------------------

  void on_finished(const BlockFinished& finished) override {
    finished_fraction(finished);
    if (view().outstanding() == 0) end_round();
    begin_round_if_all_are_done();
  }

  /// "Intra-node performance models (psi_omega, phi_iota, phi_o and psi_tau) are constructed from
  /// the values obtained from each load-fraction."
  void finished_fraction(const BlockFinished& finished) {
    kernel_->models.add_block(finished.unit, finished.block.items, finished.times);

    UnitRound& round = rounds_[finished.unit.index];
    round.end = at();
    round.items += finished.block.items;
    round.setup += finished.times.setup;
    follow_group(finished);
  }

  /// "psi_tau is further extended with the values from each sub-distribution execution." A unit
  /// does its groups one after another. A group with lost blocks stays incomplete and is not
  /// measured.
  void follow_group(const BlockFinished& finished) {
    if (finished.block.group == 0) return;
    UnitRound& round = rounds_[finished.unit.index];
    while (round.current < round.groups.size() &&
           round.groups[round.current].group != finished.block.group) {
      ++round.current;
    }
    if (round.current == round.groups.size()) return;
    GroupProgress& group = round.groups[round.current];
    group.items += finished.block.items;
    group.setup += finished.times.setup;
    if (++group.back < group.blocks) return;
    if (group.blocks > 1) {
      kernel_->models.add_together(finished.unit, group.items,
                                   at() - round.group_begin - group.setup);
    }
    round.group_begin = at();
  }

  /// "Inter-node models (Psi_tau) are constructed from the overall load execution values", and then
  /// "the execution times at the inter-node level are compared". The initial plan never counts as
  /// balanced: under it equal units have equal times even if their blocks overlap badly.
  void end_round() {
    const bool was_balanced = kernel_->balanced;
    kernel_->balanced = false;
    if (is_disturbed_) return;
    std::vector<double> unit_times_s;
    std::vector<double> node_times_s;
    for (const std::vector<UnitId>& node : kernel_->plan_nodes) {
      Items items = 0;
      double longest_s = 0.0;
      for (const UnitId unit : node) {
        const UnitRound& round = rounds_[unit.index];
        if (round.items == 0) continue;
        const Seconds time = round.end - round_begin_ - round.setup;
        unit_times_s.push_back(time.value);
        items += round.items;
        longest_s = std::max(longest_s, time.value);
        if (round.groups.size() > 1) kernel_->models.add_together(unit, round.items, time);
      }
      if (items > 0) {
        kernel_->models.add_node(node, items, Seconds{longest_s});
        node_times_s.push_back(longest_s);
      }
    }
    kernel_->balanced = kernel_->is_plan_learned &&
                        agree(balance_ == BalanceOf::units ? unit_times_s : node_times_s);
    if (kernel_->balanced && !was_balanced) decisions().note("load_balanced");
  }

  /// max |T_i - T_j| / max T <= threshold.
  [[nodiscard]] bool agree(const std::vector<double>& times_s) const {
    const auto [shortest, longest] = std::minmax_element(times_s.begin(), times_s.end());
    return *longest - *shortest <= threshold_ * *longest;
  }

  // -- What we add -------------------------------------------------------------------------------
  //
  // The paper processes one load again and again, all of it, on units that are present throughout.
  //
  //  - With mode=slices, a load that is done only once is learned in slices of growing size; when
  //    the times of a slice agree, all the rest is one round. As published, it is done by the first
  //    plan.
  //  - Lost blocks return to the pool. A later round includes them; in the last round, idle units
  //    take them in pieces.
  //  - Units that join take part from the next round on. A round in which units joined or were lost
  //    adds nothing to the models of nodes.
  //  - Phases: the models of a kernel are kept.
  //  - The setup of a unit's first blocks does not predict later blocks and is left out of all
  //    times.

  void on_phase() override {
    const std::size_t n = view().units().size();
    kernel_ = &kernels_.try_emplace(view().workload().kernel, n, old_totals_).first->second;
    unplanned_.clear(view());
  }

  void on_iteration() override {
    const bool in_slices = mode_ == RoundMode::slices && kernel_->iterations == 0;
    next_slice_ = in_slices ? 0 : slice_shares_.size();
    ++kernel_->iterations;
    begin_round_if_all_are_done();
  }

  /// In the last round, the items in the pool are those of lost blocks.
  void on_idle(UnitId unit) override {
    if (begin_round_if_all_are_done() || !is_last_) return;
    is_disturbed_ = true;
    unplanned_.offer(view(), unit, decisions());
  }

  void on_block_lost(const BlockLost& /*lost*/) override { disturb(); }
  void on_unit_lost(UnitId /*unit*/) override { disturb(); }
  void on_unit_joined(UnitId /*unit*/) override { disturb(); }
  void on_late_end(const LateEnd& /*late*/) override { begin_round_if_all_are_done(); }

  void disturb() {
    is_disturbed_ = true;
    kernel_->balanced = false;
    begin_round_if_all_are_done();
  }

  bool begin_round_if_all_are_done() {
    const bool are_done = view().remaining() > 0 && view().outstanding() == 0;
    if (are_done) begin_round();
    return are_done;
  }

  /// All remaining items, or the next slice: at least one grain per unit, so that all are measured.
  [[nodiscard]] Items next_load(const Nodes& nodes) {
    const bool learned_enough = kernel_->balanced && next_slice_ > 0;
    if (learned_enough || next_slice_ >= slice_shares_.size()) return view().remaining();
    std::size_t units = 0;
    for (const std::vector<UnitId>& node : nodes) units += node.size();
    const Items grain = view().workload().grain_items;
    const double share = slice_shares_[next_slice_++] * all_items();
    const Items grains =
        std::max(static_cast<Items>(units), static_cast<Items>(share / static_cast<double>(grain)));
    return std::min(view().remaining(), grains * grain);
  }

  ShareRule rule_;
  RoundMode mode_;
  std::vector<double> slice_shares_;  ///< of the items; at least one entry
  double threshold_;  ///< epsilon: relative difference of times that counts as balanced
  OldTotals old_totals_;
  BalanceOf balance_;
  std::map<std::string, KernelKnowledge> kernels_;
  KernelKnowledge* kernel_ = nullptr;  ///< of this phase's kernel
  Seconds round_begin_;
  std::vector<UnitRound> rounds_;  ///< (n)
  std::uint32_t last_group_ = 0;

  std::size_t next_slice_ = 0;
  bool is_last_ = false;       ///< the round was given all remaining items
  bool is_disturbed_ = false;  ///< units joined or were lost, or did more than planned
  BlockPlan unplanned_;        ///< without planned blocks: gives the pool's items to idle units
};

// -- Catalog -----------------------------------------------------------------------------------

/// The parameters of both policies; the default of `old_totals`, and its source, differ.
std::vector<ParameterInfo> shared_parameters(const std::string& old_totals,
                                             const std::string& source) {
  return {
      {"mode", "repeat", "",
       "repeat: a plan for each whole iteration; slices: learn in growing parts of the first one",
       "section 5: the load is processed, and the procedure repeated (6: in 4 iterations)"},
      {"slice_shares", "0.0625/0.125/0.25", "share of the items",
       "with slices: those before the rest",
       "does not say for a load that is done once; chosen because slices that double cost little "
       "before speeds are known"},
      {"threshold", "0.05", "", "relative difference of times up to which a plan is kept",
       "section 5: a given accuracy, whose value it does not say; chosen because block times "
       "scatter by about as much"},
      {"old_totals", old_totals, "",
       "totals of earlier rounds: averaged with those of the same size, or replaced by newer ones "
       "of nearly the same size",
       source},
      {"balance", "nodes", "", "whose times are compared: nodes, or units",
       "section 5: the times at the inter-node level are compared"}};
}

Preset robust_preset(const TypedParameters::value_type& also) {
  return {"robust",
          "for a load that is done once: learns while it is done",
          {{"mode", "slices"}, {"balance", "units"}, also}};
}

std::unique_ptr<Policy> make_hierarchical(const Parameters& read, const KnownCosts* /*known*/) {
  const ShareRule rule{.memory_share = read.number("memory_share", 1e-3, 1.0),
                       .gamma = read.choice<GammaRule>("gamma", {"steps", "search"})};
  return std::make_unique<Hierarchical>(read, rule);
}

std::unique_ptr<Policy> make_fpm_limited(const Parameters& read, const KnownCosts* /*known*/) {
  return std::make_unique<Hierarchical>(read, ShareRule{.in_groups = false});
}

}  // namespace

PolicyInfo hierarchical_info() {
  std::vector<ParameterInfo> parameters = shared_parameters(
      "replaced",
      "section 6: an accuracy point updates the value of an earlier point, and the fourth "
      "iteration is balanced, which it never is if totals of the first, even plan stay in the "
      "models");
  parameters.push_back({"memory_share", "1", "share of a unit's memory",
                        "what the overlapping blocks of one group may hold together",
                        "section 4, condition 4: what fits into the device's memory"});
  parameters.push_back({"gamma", "steps", "",
                        "how an accelerator's share is cut into groups of blocks: by the paper's "
                        "six steps, or by a search among whole lists of blocks (search)",
                        "section 4, steps 3.1 to 3.6"});
  return {
      .name = "hierarchical",
      .line = "divides over nodes, then units; overlaps copies and computing inside accelerators",
      .source = "Hierarchical divisible load scheduling (2012), sections 4 and 5",
      .parameters = std::move(parameters),
      .make = make_hierarchical,
      .presets = {robust_preset({"gamma", "search"})}};
}

PolicyInfo fpm_limited_info() {
  return {.name = "fpm-limited",
          .line = "divides over nodes, then units; one block each that fits into memory",
          .source = "Hierarchical divisible load scheduling (2012), section 6.1, its reference [9]",
          .parameters = shared_parameters(
              "averaged",
              "section 6.1: as many points of a unit's total as iterations, so none is removed"),
          .make = make_fpm_limited,
          .presets = {robust_preset({"old_totals", "replaced"})}};
}

}  // namespace equipoise
