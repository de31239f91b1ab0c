// hierarchical: hierarchical divisible load scheduling (2012). It divides the load over nodes and
// over the units of a node, and cuts an accelerator's share into groups of blocks (the paper's
// sub-distributions): a group fits into the accelerator's memory, and the copies of its blocks
// overlap computation. It learns speeds as functions of size, round by round. Its section 5:
//
//     initialization phase                                              determine_distributions
//       alpha_i = N / |D|,  beta_ij = alpha_i / (m_i + w_i)             initial_plan
//       gamma_l = beta / 2^l, split until it fits (10)                  halving_groups
//     process the load                                                  process
//     iterative phase: extend the models                                PerformanceModels
//         psi_omega, phi_iota, phi_o by the load fractions              finished_fraction
//         psi_tau by the sub-distributions                              follow_group
//         Psi_tau by the overall execution                              end_round
//       if the times of the nodes agree, stop: load balanced            agree
//       step 1: alpha by Psi_tau (1)                                    learned_plan
//       step 2: beta by psi_tau (2)                                     learned_plan
//       step 3: gamma in six steps (3-8)                                plan_six_steps
//       process the load, and repeat                                    process
//
// Steps 1 and 2 and the first distributions are in hierarchical_plan.cpp, step 3 is in
// six_steps.cpp. These files also say where the paper is garbled or silent (the search for the
// first blocks, the accuracy that ends the rounds). What we add is at the end of the class, and in
// block_groups.cpp.
//
// fpm-limited: the policy that the paper compares it with (its reference [9]). The division over
// nodes and units by functional performance models is the same, but a unit does its share as one
// block, and the part that does not fit into its memory goes to other units. If the memory of all
// units together holds less than the load, a further round does the rest.
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "shared_policies/policies/block_plan.hpp"
#include "shared_policies/policies/event_policy.hpp"
#include "shared_policies/policies/hierarchical/hierarchical_plan.hpp"
#include "shared_policies/policies/hierarchical/performance_models.hpp"
#include "shared_policies/policies/policies.hpp"

namespace equipoise {
namespace {

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

struct HierarchicalOptions {
  ShareRule rule;
  RoundMode mode = RoundMode::repeat;
  std::vector<double> slice_shares;  ///< shares of the items; at least one entry
  double threshold = 0.05;  ///< epsilon: relative difference of times that counts as balanced
  OldTotals old_totals = OldTotals::replaced;
  BalanceOf balance = BalanceOf::nodes;
};

/// A policy that works in rounds: all blocks of a plan are handed out at once. When the last block
/// is back, the measurements are added to the models and the next round is planned.
class Hierarchical final : public EventPolicy {
 public:
  explicit Hierarchical(HierarchicalOptions options) : options_(std::move(options)) {}

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

  // The paper, section 5.
  void begin_round();
  void determine_distributions(const Nodes& nodes, Items load);
  void explain() const;
  Items process();
  void on_finished(const BlockFinished& finished) override;
  void finished_fraction(const BlockFinished& finished);
  void follow_group(const BlockFinished& finished);
  void end_round();
  [[nodiscard]] bool agree(const std::vector<double>& times_s) const;

  // What we add.
  void on_phase() override;
  void on_iteration() override;
  void on_idle(UnitId unit) override;
  void on_block_lost(const BlockLost& /*lost*/) override { disturb(); }
  void on_unit_lost(UnitId /*unit*/) override { disturb(); }
  void on_unit_joined(UnitId /*unit*/) override { disturb(); }
  void on_late_end(const LateEnd& /*late*/) override { begin_round_if_all_are_done(); }
  void disturb();
  bool begin_round_if_all_are_done();
  [[nodiscard]] Items next_load(const Nodes& nodes);

  HierarchicalOptions options_;
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

// -- Section 5: a round ------------------------------------------------------------------------

/// One round of the initialization phase or of the iterative phase: determines alpha, beta and
/// gamma, and has the load processed.
void Hierarchical::begin_round() {
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
void Hierarchical::determine_distributions(const Nodes& nodes, Items load) {
  KernelKnowledge& kernel = *kernel_;
  if (kernel.balanced && load == kernel.plan_items && nodes == kernel.plan_nodes) {
    kernel.models.begin_round(true);
    return;
  }
  const bool knows_one = std::any_of(view().units().begin(), view().units().end(),
                                     [&](const auto& u) { return kernel.models.knows(u.id); });
  kernel.is_plan_learned = knows_one;
  kernel.models.begin_round(knows_one);
  kernel.plan = knows_one ? learned_plan(view(), kernel.models, load, options_.rule)
                          : initial_plan(view(), load, options_.rule);
  kernel.plan_items = load;
  kernel.plan_nodes = nodes;
  if (knows_one) explain();
}

void Hierarchical::explain() const {
  Decision decision{{}, DecisionKind::rebalance, {}};
  for (const UnitState& unit : view().units()) {
    if (unit.present && kernel_->models.knows(unit.id)) {
      const ModelPoints points = kernel_->models.points(unit.id);
      decision.estimates.push_back(
          {unit.id,
           fmt::format("speeds at {} sizes, {} repeated", points.sizes, points.repeated),
           {},
           {},
           kernel_->plan.share(unit.id)});
    }
  }
  decisions().decided(decision);
}

/// Hands out all blocks of the plan, every gamma of every unit; returns the number of items that
/// the plan asks for.
Items Hierarchical::process() {
  Items sum = 0;
  rounds_.assign(view().units().size(), UnitRound{});
  for (const UnitState& unit : view().units()) {
    UnitRound& round = rounds_[unit.id.index];
    round.end = round.group_begin = round_begin_;
    for (const std::vector<Items>& blocks : kernel_->plan.units[unit.id.index]) {
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

void Hierarchical::on_finished(const BlockFinished& finished) {
  finished_fraction(finished);
  if (view().outstanding() == 0) end_round();
  begin_round_if_all_are_done();
}

/// "Intra-node performance models (psi_omega, phi_iota, phi_o and psi_tau) are constructed from the
/// values obtained from each load-fraction."
void Hierarchical::finished_fraction(const BlockFinished& finished) {
  kernel_->models.add_block(finished.unit, finished.block.items, finished.times);

  UnitRound& round = rounds_[finished.unit.index];
  round.end = at();
  round.items += finished.block.items;
  round.setup += finished.times.setup;
  follow_group(finished);
}

/// "psi_tau is further extended with the values from each sub-distribution execution." A unit does
/// its groups one after another. A group with lost blocks stays incomplete and is not measured.
void Hierarchical::follow_group(const BlockFinished& finished) {
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
void Hierarchical::end_round() {
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
                      agree(options_.balance == BalanceOf::units ? unit_times_s : node_times_s);
  if (kernel_->balanced && !was_balanced) decisions().note("load_balanced");
}

/// max |T_i - T_j| / max T <= threshold.
bool Hierarchical::agree(const std::vector<double>& times_s) const {
  const auto [shortest, longest] = std::minmax_element(times_s.begin(), times_s.end());
  return *longest - *shortest <= options_.threshold * *longest;
}

// -- What we add -------------------------------------------------------------------------------
//
// The paper processes one load again and again, all of it, on units that are present throughout.
//
//  - With mode=slices, a load that is done only once is learned in slices of growing size; when the
//    times of a slice agree, all the rest is one round. As published, it is done by the first plan.
//  - Lost blocks return to the pool. A later round includes them; in the last round, idle units
//    take them in pieces.
//  - Units that join take part from the next round on. A round in which units joined or were lost
//    adds nothing to the models of nodes.
//  - Phases: the models of a kernel are kept.
//  - The setup of a unit's first blocks does not predict later blocks and is left out of all times.

void Hierarchical::on_phase() {
  const std::size_t n = view().units().size();
  kernel_ = &kernels_.try_emplace(view().workload().kernel, n, options_.old_totals).first->second;
  unplanned_.clear(view());
}

void Hierarchical::on_iteration() {
  const bool in_slices = options_.mode == RoundMode::slices && kernel_->iterations == 0;
  next_slice_ = in_slices ? 0 : options_.slice_shares.size();
  ++kernel_->iterations;
  begin_round_if_all_are_done();
}

/// In the last round, the items in the pool are those of lost blocks.
void Hierarchical::on_idle(UnitId unit) {
  if (begin_round_if_all_are_done() || !is_last_) return;
  is_disturbed_ = true;
  unplanned_.offer(view(), unit, decisions());
}

void Hierarchical::disturb() {
  is_disturbed_ = true;
  kernel_->balanced = false;
  begin_round_if_all_are_done();
}

bool Hierarchical::begin_round_if_all_are_done() {
  const bool are_done = view().remaining() > 0 && view().outstanding() == 0;
  if (are_done) begin_round();
  return are_done;
}

/// All remaining items, or the next slice: at least one grain per unit, so that all are measured.
Items Hierarchical::next_load(const Nodes& nodes) {
  const bool learned_enough = kernel_->balanced && next_slice_ > 0;
  if (learned_enough || next_slice_ >= options_.slice_shares.size()) return view().remaining();
  std::size_t units = 0;
  for (const std::vector<UnitId>& node : nodes) units += node.size();
  const Items grain = view().workload().grain_items;
  const double share =
      options_.slice_shares[next_slice_++] * static_cast<double>(view().workload().items);
  const Items grains =
      std::max(static_cast<Items>(units), static_cast<Items>(share / static_cast<double>(grain)));
  return std::min(view().remaining(), grains * grain);
}

// -- Catalog -----------------------------------------------------------------------------------

/// The default differs between the two policies.
ParameterInfo old_totals_parameter(const std::string& default_text, const std::string& source) {
  return {"old_totals", default_text, "",
          "totals of earlier rounds: averaged with those of the same size, or replaced by newer "
          "ones of nearly the same size",
          source};
}

std::vector<ParameterInfo> shared_parameters(const ParameterInfo& old_totals) {
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
      old_totals,
      {"balance", "nodes", "", "whose times are compared: nodes, or units",
       "section 5: the times at the inter-node level are compared"}};
}

Preset robust_preset() {
  return {"robust",
          "for a load that is done once: learns while it is done",
          {{"mode", "slices"}, {"balance", "units"}}};
}

HierarchicalOptions read_options(const Parameters& read) {
  HierarchicalOptions options;
  options.mode = static_cast<RoundMode>(read.choice("mode", {"slices", "repeat"}));
  options.slice_shares = read.positive_list("slice_shares");
  options.threshold = read.number("threshold", 0.0, 1.0);
  options.old_totals = static_cast<OldTotals>(read.choice("old_totals", {"replaced", "averaged"}));
  options.balance = static_cast<BalanceOf>(read.choice("balance", {"units", "nodes"}));
  return options;
}

constexpr double least_memory_share = 1e-3;

std::unique_ptr<Policy> make_hierarchical(const Parameters& read, const KnownCosts* /*known*/) {
  HierarchicalOptions options = read_options(read);
  options.rule.memory_share = read.number("memory_share", least_memory_share, 1.0);
  options.rule.gamma = static_cast<GammaRule>(read.choice("gamma", {"steps", "search"}));
  return std::make_unique<Hierarchical>(std::move(options));
}

std::unique_ptr<Policy> make_fpm_limited(const Parameters& read, const KnownCosts* /*known*/) {
  HierarchicalOptions options = read_options(read);
  options.rule.in_groups = false;
  return std::make_unique<Hierarchical>(std::move(options));
}

}  // namespace

PolicyInfo hierarchical_info() {
  std::vector<ParameterInfo> parameters = shared_parameters(
      old_totals_parameter("replaced",
                           "section 6: an accuracy point updates the value of an earlier point, "
                           "and the fourth iteration is balanced, which it never is if totals of "
                           "the first, even plan stay in the models"));
  parameters.push_back({"memory_share", "1", "share of a unit's memory",
                        "what the overlapping blocks of one group may hold together",
                        "section 4, condition 4: what fits into the device's memory"});
  parameters.push_back({"gamma", "steps", "",
                        "how an accelerator's share is cut into groups of blocks: by the paper's "
                        "six steps, or by a search among whole lists of blocks (search)",
                        "section 4, steps 3.1 to 3.6"});
  Preset robust = robust_preset();
  robust.values.emplace("gamma", "search");
  return {
      .name = "hierarchical",
      .line = "divides over nodes, then units; overlaps copies and computing inside accelerators",
      .source = "Hierarchical divisible load scheduling (2012), sections 4 and 5",
      .parameters = std::move(parameters),
      .make = make_hierarchical,
      .presets = {robust}};
}

PolicyInfo fpm_limited_info() {
  Preset robust = robust_preset();
  robust.values.emplace("old_totals", "replaced");
  return {.name = "fpm-limited",
          .line = "divides over nodes, then units; one block each that fits into memory",
          .source = "Hierarchical divisible load scheduling (2012), section 6.1, its reference [9]",
          .parameters = shared_parameters(old_totals_parameter(
              "averaged",
              "section 6.1: as many points of a unit's total as iterations, so none is removed")),
          .make = make_fpm_limited,
          .presets = {robust}};
}

}  // namespace equipoise
