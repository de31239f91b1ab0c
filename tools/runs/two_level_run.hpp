// A run of two levels: the master's policy, which divides among nodes, and that of their agents.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "shared_policies/run/executor.hpp"
#include "shared_policies/run/journal.hpp"
#include "shared_policies/run/recorded_decisions.hpp"
#include "shared_policies/run/run_loop.hpp"
#include "shared_policies/run/two_levels.hpp"
#include "tools/runs/run_plan.hpp"

namespace equipoise {

/// What the master's policy knows of nodes, if it knows `known` of `units`: a block takes what its
/// best division among the units of its node takes. No experience: nodes have none.
[[nodiscard]] KnownCosts costs_of_nodes(const KnownCosts& known, const std::vector<Unit>& units,
                                        const std::vector<Workload>& phases);

/// Runs `plan`, which has agents, on `executor`, whose units are the nodes of the plan's units. All
/// levels record in `journal`. `meter`: of the master; those of agents are like it.
/// `left_recorded`: as of RunReport. Throws what makers of policies throw.
[[nodiscard]] RunOutcome run_two_levels(const RunPlan& plan, Executor& executor, CostMeter* meter,
                                        const std::function<bool()>& stops, Journal& journal,
                                        bool& left_recorded);

/// The decisions of a recorded run of two levels for a new one on `units`: those of the master, and
/// of the agent of each node; null for a node that the recorded run did not have. Throws as
/// RecordedDecisions does.
[[nodiscard]] std::vector<std::shared_ptr<const RecordedDecisions>> recorded_levels(
    const std::vector<RecordedRun>& levels, const std::vector<Unit>& units,
    const std::vector<Workload>& phases, const std::string& where);

/// `known` of the units `ids` alone; what is in `known` outlives it.
[[nodiscard]] KnownCosts costs_of(const KnownCosts& known, const std::vector<UnitId>& ids);

/// Throws what makers of policies throw, if `choice` cannot divide among the nodes of `units`, or
/// `per_node` among the units of one of them.
void check_two_levels(const PolicyChoice& choice, const KnownCosts& known,
                      const PolicyChoice& per_node, const KnownCosts& known_to_agents,
                      const std::vector<Unit>& units, const std::vector<Workload>& phases);

/// The ids in `plan` that are absent when it starts, of these units.
[[nodiscard]] std::vector<UnitId> absent_at_start(const Scenario& scenario,
                                                  const std::vector<Unit>& units);

/// What decisions of `choice` cost in a run of `phases`, if that is determined as `decision_cost`
/// says; null: nothing.
[[nodiscard]] std::unique_ptr<CostMeter> cost_meter_of(const PolicyChoice& choice,
                                                       const std::vector<Workload>& phases,
                                                       const std::string& decision_cost);

/// An agent, before its node begins.
struct AgentSetup {
  PolicyChoice policy;
  KnownCosts known;         ///< of its units; what is in it outlives the agent
  std::vector<Unit> units;  ///< of its node, as it sees them
  std::vector<Workload> phases;
  Scenario scenario;
  std::string decision_cost;
  std::size_t node = 0;           ///< the number of its node in the run
  std::function<bool()> stops{};  ///< as RunSetup::stop_requested
  /// Of a replay: what it decides instead; null: its policy does.
  std::shared_ptr<const RecordedDecisions> recorded{};
};

/// Makes an agent whose records go to `journal`. Throws what makers of policies throw.
[[nodiscard]] DivideBlocks make_agent(AgentSetup setup, std::shared_ptr<Journal> journal);

}  // namespace equipoise
