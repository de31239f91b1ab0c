// One run, whatever the world: a policy, an executor, a journal, and the report of how it went.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "shared_policies/machine/trace.hpp"
#include "shared_policies/policies/catalog.hpp"
#include "shared_policies/run/executor.hpp"
#include "shared_policies/run/metrics.hpp"
#include "shared_policies/run/recorded_run.hpp"
#include "shared_policies/run/results.hpp"
#include "shared_policies/run/run_loop.hpp"

namespace equipoise {

/// A policy as the user chose it.
struct PolicyChoice {
  const PolicyInfo* info = nullptr;
  std::string spelling;                           ///< "plb-hec:threshold=0.1", as typed
  std::map<std::string, std::string> parameters;  ///< those given
  /// Of this run the decisions are issued again, instead of what the policy would decide; or null.
  const RecordedRun* recorded = nullptr;
  std::string recorded_file;  ///< where it stands
};

/// Reads `NAME[:k=v,...]`. Throws InputError at `--policy`.
[[nodiscard]] PolicyChoice parse_policy(const std::string& spelling);

/// A load that a scenario started beside a real unit.
struct LoadNote {
  std::string unit;
  Seconds at;
  double share = 0.0;           ///< of the unit's cores, as the scenario says
  double measured_share = 0.0;  ///< as it was
};

/// How well paced units kept the time.
struct PacingNote {
  double time_scale = 1.0;
  Seconds late_mean;  ///< from the end of a block to when it was noticed, on the run's clock
  Seconds late_most;
};

/// What a real executor tells of itself when a run ends.
struct ExecutorNotes {
  std::optional<PacingNote> pacing;  ///< none: no unit was paced
  std::vector<LoadNote> loads;
};

/// What is to be run: everything but the executor.
struct RunPlan {
  std::vector<Unit> units;
  std::vector<Workload> phases;
  PolicyChoice policy;
  const KnownCosts* known = nullptr;                 ///< for informed policies and oracles
  std::vector<std::vector<RecordedSizes>> recorded;  ///< [phase][unit]; empty on real units
  std::string on;                                    ///< "sim", "real" or "paced"
  Scenario scenario;                                 ///< what the executor does to the units
  std::uint64_t seed = 1;
  std::uint64_t repetition = 0;
  std::optional<double> lower_bound_s;  ///< of simulated runs, if there is one
  std::string decision_cost = "none";
  /// Filled while the run lasts: what its executor tells of itself. None for simulations.
  const ExecutorNotes* notes = nullptr;
  std::string settings;      ///< further facts for the header: a JSON object as text
  std::string journal_file;  ///< empty: no run file
  std::function<bool()> stop_requested;
};

/// How a run went.
struct RunReport {
  PolicyRun run;
  RunOutcome outcome;
  std::string problem;                  ///< why it is not verified; empty when it is
  std::optional<double> lower_bound_s;  ///< the plan's
  ExecutorNotes notes;                  ///< the plan's
};

/// Runs `plan` on `executor`. `verify` is asked after a complete run: an empty answer means that
/// the numbers are right (simulations compute nothing and have no `verify`).
[[nodiscard]] RunReport run_plan(const RunPlan& plan, Executor& executor,
                                 const std::function<std::string()>& verify);

/// The traces that tell an informed policy how fast units are: its parameter `profile` (a file) if
/// given, else the run's own.
[[nodiscard]] std::vector<Trace> profile_of(const PolicyChoice& choice,
                                            const std::vector<Trace>& own);

/// The names of the units, by UnitId.
[[nodiscard]] std::vector<std::string> names_of(const std::vector<Unit>& units);

}  // namespace equipoise
