// One run in any world: a policy, an executor, a journal, and the report.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "shared_policies/machine/item_costs.hpp"
#include "shared_policies/policies/catalog.hpp"
#include "shared_policies/run/executor.hpp"
#include "shared_policies/run/inserting_journals.hpp"
#include "shared_policies/run/metrics.hpp"
#include "shared_policies/run/results.hpp"
#include "shared_policies/run/run_loop.hpp"
#include "shared_policies/run/two_levels.hpp"
#include "tools/runs/policy_choice.hpp"
#include "traces/run_file.hpp"

namespace equipoise {

/// What a real executor reports at the end of a run besides its events.
struct ExecutorNotes {
  std::optional<PacingNote> pacing;  ///< nullopt if no unit was paced
  std::vector<LoadNote> loads;
  std::vector<ClockNote> clocks{};  ///< of the nodes of the run
};

/// In what the machine of a simulation differs from its traces: which recording of the same machine
/// its block times are of. Policies know the traces as they are.
struct Redrawing {
  bool means = false;  ///< other means of recorded sizes (`redrawn`)
  bool ends = false;   ///< other times outside of them (`with_other_ends`)
  std::uint64_t number = 0;
};

/// Where a run is written.
struct RunFileTarget {
  std::string path;                          ///< empty: nowhere
  std::optional<std::uint64_t> bytes_max{};  ///< a file that would reach this is given up; none:
                                             ///< it may have any size
};

/// What distinguishes a run from others of the same world, so that the simulation server is sent
/// nothing else of it.
struct PlannedRun {
  PolicyChoice policy;
  std::uint64_t seed = 1;
  std::uint64_t repetition = 0;
  std::string decision_cost = "none";
  RunSettings settings;
  RunFileTarget run_file;
  bool learns = false;  ///< whether the report has the run's block times, for the experience file
  std::optional<double> lower_bound_s;   ///< on the makespan, if it is known
  std::vector<BoundPhase> bound_phases;  ///< of that bound
  Redrawing redrawing{};                 ///< of simulations
};

/// A run and the world that it takes place in; the executor is given apart.
struct RunPlan {
  PlannedRun run;
  std::vector<Unit> units;
  std::vector<Workload> phases;
  std::vector<ItemCostsPtr> item_costs{};                  ///< (phases); empty: all items are alike
  const KnownCosts* known = nullptr;                       ///< for informed policies and oracles
  std::vector<std::vector<RecordedSizes>> recorded_sizes;  ///< (phases, units); empty on real units
  CopyTimesAlone copy_times_alone;  ///< undisturbed times of copies; empty on real units
  std::string on;                   ///< "sim", "real" or "paced"
  Scenario scenario;                ///< the scenario that the executor applies
  /// Notes that the executor fills during the run. Null for simulations.
  const ExecutorNotes* notes = nullptr;
  /// Of a run of two levels: the policy of nodes, what it knows, and what the executor lets the
  /// agents do, which `run_plan` says.
  std::optional<PolicyChoice> per_node{};
  const KnownCosts* known_to_agents = nullptr;
  std::shared_ptr<NodeAgents> agents{};
  /// What meters read during the run. Null where there is nothing to measure.
  MeterReadings* readings = nullptr;
  std::function<bool()> stop_requested;
};

/// A unit that a run lost.
struct UnitLoss {
  UnitId unit;
  Seconds at;
  Items items = 0;  ///< of its unfinished blocks, which went back to the pool
};

/// The result of a run.
struct RunReport {
  PolicyRun run;
  RunOutcome outcome;
  std::string problem;                  ///< why the run is not verified; empty if it is
  std::optional<double> lower_bound_s;  ///< from the plan
  ExecutorNotes notes;                  ///< from the plan
  Experience shown;                     ///< block times of the run; empty unless the plan learns
  std::vector<UnitLoss> unit_losses;    ///< in the order of time
  bool has_too_many_blocks = false;     ///< it ended early because of `PolicyChoice::blocks_max`
  bool left_recorded = false;  ///< a replay could not issue all decisions as they were recorded
};

/// What a run lost over its lower bound; nothing if it is not known.
[[nodiscard]] std::optional<Losses> loss_of(const RunReport& report);

/// What the last line of a run file says of the run on `units`.
[[nodiscard]] RunSummary summary_of(const RunReport& report, const std::vector<Unit>& units);

/// What the results of a complete run are worth.
struct Judgement {
  std::string problem;     ///< what is wrong with them; empty if nothing is
  bool unchecked = false;  ///< nobody can check them
};

/// Runs `plan` on `executor`. `verify` is called after a complete run. Simulations compute nothing
/// and have no `verify`.
[[nodiscard]] RunReport run_plan(const RunPlan& plan, Executor& executor,
                                 const std::function<Judgement()>& verify);

/// The names of the units, indexed by UnitId.
[[nodiscard]] std::vector<std::string> names_of(const std::vector<Unit>& units);

}  // namespace equipoise
