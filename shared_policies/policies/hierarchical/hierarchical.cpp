// hierarchical: hierarchical divisible load scheduling (2012). It divides the load over nodes and
// over the units of a node, and cuts an accelerator's share into groups of blocks: a group fits
// into the accelerator's memory, and the copies of its blocks overlap computation. It learns speeds
// as functions of size, round by round.
//
// This file has the iterative procedure of section 5. The three steps of section 4 that it repeats
// are in hierarchical_plan.cpp (steps 1 and 2: eqs 1 and 2; the first distributions: eq. 10) and
// six_steps.cpp (step 3: conditions 3 to 8). These files also say where the paper is garbled or
// silent (the search for the first blocks, the accuracy that ends the rounds). What we add is in
// hierarchical_changes.cpp and block_groups.cpp.
#include "shared_policies/policies/hierarchical/hierarchical.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <variant>

#include "shared_policies/policies/policies.hpp"

namespace equipoise {

// -- Section 5: a round ------------------------------------------------------------------------

/// One round of the initialization phase or of the iterative phase: determines alpha, beta and
/// gamma, and has the load processed.
void Hierarchical::begin_round(const View& view, Decisions& decisions) {
  const std::vector<std::vector<UnitId>> nodes = present_nodes(view);
  if (nodes.empty()) return;
  const Items left = view.remaining();
  round_begin_ = view.now();
  determine_distributions(view, nodes, next_load(view, nodes), decisions);
  is_disturbed_ = false;
  is_last_ = process(view, decisions) >= left;
}

/// Initialization phase: alpha_i = N / |D|, beta_ij = alpha_i / (m_i + w_i), gamma by eq. 10.
/// Iterative phase, from the models: alpha by eq. 1, beta by eq. 2, gamma by the six steps. "The
/// procedure stops by marking the current distributions as load balanced": a plan under which the
/// times agreed is kept as long as the load and the nodes stay the same.
void Hierarchical::determine_distributions(const View& view,
                                           const std::vector<std::vector<UnitId>>& nodes,
                                           Items load, Decisions& decisions) {
  KernelKnowledge& kernel = *kernel_;
  if (kernel.balanced && load == kernel.plan_items && nodes == kernel.plan_nodes) {
    kernel.models.begin_round(true);
    return;
  }
  const bool knows_one = std::any_of(view.units().begin(), view.units().end(),
                                     [&](const auto& u) { return kernel.models.knows(u.id); });
  kernel.is_plan_learned = knows_one;
  kernel.models.begin_round(knows_one);
  kernel.plan = knows_one ? learned_plan(view, kernel.models, load, options_.rule)
                          : initial_plan(view, load, options_.rule);
  kernel.plan_items = load;
  kernel.plan_nodes = nodes;
  if (knows_one) explain(view, decisions);
}

void Hierarchical::explain(const View& view, Decisions& decisions) const {
  Decision decision{{}, DecisionKind::rebalance, {}};
  for (const UnitState& unit : view.units()) {
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
  decisions.decided(decision);
}

/// Hands out all blocks of the plan, every gamma of every unit; returns the number of items that
/// the plan asks for.
Items Hierarchical::process(const View& view, Decisions& decisions) {
  Items sum = 0;
  rounds_.assign(view.units().size(), UnitRound{});
  for (const UnitState& unit : view.units()) {
    UnitRound& round = rounds_[unit.id.index];
    round.end = round.group_begin = round_begin_;
    for (const std::vector<Items>& blocks : kernel_->plan.units[unit.id.index]) {
      round.groups.push_back({++last_group_, blocks.size()});
      for (const Items items : blocks) {
        decisions.assign(unit.id, items, BlockTag::run, last_group_);
        sum += items;
      }
    }
  }
  return sum;
}

// -- Section 5: the models ---------------------------------------------------------------------

/// "Intra-node performance models (psi_omega, phi_iota, phi_o and psi_tau) are constructed from the
/// values obtained from each load-fraction."
void Hierarchical::finished_fraction(Seconds at, const BlockFinished& finished) {
  kernel_->models.add_block(finished.unit, finished.block.items, finished.times);

  UnitRound& round = rounds_[finished.unit.index];
  round.end = at;
  round.items += finished.block.items;
  round.setup += finished.times.setup;
  follow_group(finished, at);
}

/// "psi_tau is further extended with the values from each sub-distribution execution." A unit does
/// its groups one after another. A group with lost blocks stays incomplete and is not measured.
void Hierarchical::follow_group(const BlockFinished& finished, Seconds at) {
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
    kernel_->models.add_together(finished.unit, group.items, at - round.group_begin - group.setup);
  }
  round.group_begin = at;
}

/// "Inter-node models (Psi_tau) are constructed from the overall load execution values", and then
/// "the execution times at the inter-node level are compared". The initial plan never counts as
/// balanced: under it equal units have equal times even if their blocks overlap badly.
void Hierarchical::end_round(Decisions& decisions) {
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
  if (kernel_->balanced && !was_balanced) decisions.note("load_balanced");
}

/// max |T_i - T_j| / max T <= threshold.
bool Hierarchical::agree(const std::vector<double>& times_s) const {
  const auto [shortest, longest] = std::minmax_element(times_s.begin(), times_s.end());
  return *longest - *shortest <= options_.threshold * *longest;
}

// -- Events ------------------------------------------------------------------------------------

void Hierarchical::decide(const View& view, const Event& event, Decisions& decisions) {
  if (std::holds_alternative<RunStarted>(event.what) ||
      std::holds_alternative<PhaseStarted>(event.what)) {
    return change(view, event);
  }
  if (const auto* finished = std::get_if<BlockFinished>(&event.what)) {
    finished_fraction(event.at, *finished);
    if (view.outstanding() == 0) end_round(decisions);
  } else {
    change(view, event);
  }
  if (view.remaining() > 0 && view.outstanding() == 0) {
    begin_round(view, decisions);
  } else if (const auto* idle = std::get_if<UnitIdle>(&event.what)) {
    offer_lost_work(view, idle->unit, decisions);
  }
}

// -- Catalog -----------------------------------------------------------------------------------

ParameterInfo old_totals_parameter(const std::string& default_text, const std::string& source) {
  return {"old_totals", default_text, "",
          "totals of earlier rounds: averaged with those of the same size, or replaced by newer "
          "ones of nearly the same size",
          source};
}

std::vector<ParameterInfo> hierarchical_parameters(const ParameterInfo& old_totals) {
  return {
      {"mode", "repeat", "",
       "repeat: a plan for each whole iteration; slices: learn in growing parts of the first one",
       "section 5: the load is processed, and the procedure repeated (6: in 4 iterations)"},
      {"slice_shares", "0.0625/0.125/0.25", "share of the items",
       "with slices: those before the rest",
       "does not say for a load that is done once; chosen because slices that double cost little "
       "before "
       "speeds are known"},
      {"threshold", "0.05", "", "relative difference of times up to which a plan is kept",
       "section 5: a given accuracy, whose value it does not say; chosen because block times "
       "scatter by "
       "about as much"},
      old_totals,
      {"balance", "nodes", "", "whose times are compared: nodes, or units",
       "section 5: the times at the inter-node level are compared"}};
}

Preset hierarchical_robust() {
  return {"robust",
          "for a load that is done once: learns while it is done",
          {{"mode", "slices"}, {"balance", "units"}}};
}

HierarchicalOptions read_hierarchical_options(const Parameters& read) {
  HierarchicalOptions options;
  options.mode = static_cast<RoundMode>(read.choice("mode", {"slices", "repeat"}));
  options.slice_shares = read.positive_list("slice_shares");
  options.threshold = read.number("threshold", 0.0, 1.0);
  options.old_totals = static_cast<OldTotals>(read.choice("old_totals", {"replaced", "averaged"}));
  options.balance = static_cast<BalanceOf>(read.choice("balance", {"units", "nodes"}));
  return options;
}

namespace {

constexpr double least_memory_share = 1e-3;

std::unique_ptr<Policy> make_hierarchical(const Parameters& read, const KnownCosts* /*known*/) {
  HierarchicalOptions options = read_hierarchical_options(read);
  options.rule.memory_share = read.number("memory_share", least_memory_share, 1.0);
  options.rule.gamma = static_cast<GammaRule>(read.choice("gamma", {"steps", "search"}));
  return std::make_unique<Hierarchical>(std::move(options));
}

}  // namespace

PolicyInfo hierarchical_info() {
  std::vector<ParameterInfo> parameters = hierarchical_parameters(old_totals_parameter(
      "replaced",
      "section 6: an accuracy point updates the value of an earlier point, and the fourth "
      "iteration "
      "is balanced, which it never is if totals of the first, even plan stay in the models"));
  parameters.push_back({"memory_share", "1", "share of a unit's memory",
                        "what the overlapping blocks of one group may hold together",
                        "section 4, condition 4: what fits into the device's memory"});
  parameters.push_back(
      {"gamma", "steps", "",
       "how an accelerator's share is cut into groups of blocks: by the paper's six "
       "steps, or by a search among whole lists of blocks (search)",
       "section 4, steps 3.1 to 3.6"});
  Preset robust = hierarchical_robust();
  robust.values.emplace("gamma", "search");
  return {"hierarchical",
          "divides over nodes, then units; overlaps copies and computing inside accelerators",
          "Hierarchical divisible load scheduling (2012), sections 4 and 5",
          std::move(parameters),
          Foresight::none,
          0.0,
          make_hierarchical,
          nullptr,
          {robust}};
}

}  // namespace equipoise
