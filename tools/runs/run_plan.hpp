// One run in any world: a policy, an executor, a journal, and the report.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "shared_policies/machine/trace.hpp"
#include "shared_policies/policies/catalog.hpp"
#include "shared_policies/run/executor.hpp"
#include "shared_policies/run/inserting_journals.hpp"
#include "shared_policies/run/metrics.hpp"
#include "shared_policies/run/recorded_run.hpp"
#include "shared_policies/run/results.hpp"
#include "shared_policies/run/run_loop.hpp"
#include "traces/run_file.hpp"

namespace equipoise {

/// A policy as the user chose it.
struct PolicyChoice {
  const PolicyInfo* info = nullptr;
  /// Its name in results: as typed, "plb-hec:threshold=0.1"; for a policy of a library with the
  /// policy's name instead of the file's, "mine:k=v", or "mine@LIBRARY:k=v" if the file LIBRARY.so
  /// is called otherwise than its policy.
  std::string spelling;
  std::map<std::string, std::string> parameters;  ///< the given ones
  /// The traces of the file that the parameter `profile` names; null if it is not given.
  std::shared_ptr<const std::vector<Trace>> profile;
  /// The run whose decisions are issued again instead of new decisions of the policy; or null.
  std::shared_ptr<const RecordedRun> recorded;
  std::string recorded_file;  ///< its file
  /// What is known from earlier runs; null unless there is experience and the policy uses it.
  std::shared_ptr<const Experience> experience{};
  std::string typed{};        ///< as typed: "./mine.so:k=v"
  std::string loaded_from{};  ///< of a policy from a library; empty: it is one of the catalog
  std::string loaded_hash{};  ///< of that file's contents

  [[nodiscard]] bool is_experienced() const { return experience != nullptr; }
};

/// Parses `NAME[:k=v,...]`, where NAME may be the path of a library (see loaded_policy.hpp), and
/// reads its profile. Paths are relative to `folder` if that is not empty. Throws InputError, at
/// `--policy`, at the library or at the profile.
[[nodiscard]] PolicyChoice parse_policy(const std::string& typed, const std::string& folder = {});

/// Opens the library of `choice`, if it has one, in a process that was sent the choice. Throws
/// InputError if that is another library by now.
void open_library(PolicyChoice& choice);

/// Makes the policy of `choice`. Throws as `make_policy` and `make_loaded_policy` do.
[[nodiscard]] std::unique_ptr<Policy> make_policy(const PolicyChoice& choice,
                                                  const KnownCosts* known,
                                                  std::span<const Unit> units);

/// The policy's parameters, including defaults.
[[nodiscard]] std::map<std::string, std::string> all_parameters(const PolicyChoice& policy);

/// Notes of a real executor at the end of a run.
struct ExecutorNotes {
  std::optional<PacingNote> pacing;  ///< nullopt if no unit was paced
  std::vector<LoadNote> loads;
};

/// The description of a run, without the executor.
struct RunPlan {
  std::vector<Unit> units;
  std::vector<Workload> phases;
  PolicyChoice policy;
  const KnownCosts* known = nullptr;                 ///< for informed policies and oracles
  std::vector<std::vector<RecordedSizes>> recorded;  ///< [phase][unit]; empty on real units
  CopyTimesAlone copy_times_alone;                   ///< empty on real units
  std::string on;                                    ///< "sim", "real" or "paced"
  Scenario scenario;                                 ///< the scenario that the executor applies
  std::uint64_t seed = 1;
  std::uint64_t repetition = 0;
  std::optional<double> lower_bound_s;   ///< for simulated runs, if there is a bound
  std::vector<BoundPhase> bound_phases;  ///< of that bound
  std::string decision_cost = "none";
  /// Notes that the executor fills during the run. Null for simulations.
  const ExecutorNotes* notes = nullptr;
  /// What meters read during the run. Null where there is nothing to measure.
  MeterReadings* readings = nullptr;
  RunSettings settings;      ///< for the header
  std::string journal_file;  ///< empty: no run file
  bool learns = false;       ///< whether the report says what the run has shown
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
  Experience shown;                     ///< what the run has shown; empty unless the plan learns
  std::vector<UnitLoss> unit_losses;    ///< in the order of time
  bool left_recorded = false;           ///< recorded decisions could not be kept to up to the end
};

/// What a run lost over its lower bound; nothing if it is not known.
[[nodiscard]] std::optional<Losses> loss_of(const RunReport& report);

/// What the last line of a run file says of the run on `units`.
[[nodiscard]] RunSummary summary_of(const RunReport& report, const std::vector<Unit>& units);

/// Runs `plan` on `executor`. `verify` is called after a complete run; an empty text means that the
/// results are right. Simulations compute nothing and have no `verify`.
[[nodiscard]] RunReport run_plan(const RunPlan& plan, Executor& executor,
                                 const std::function<std::string()>& verify);

/// The traces from which an informed policy learns the units' speeds: its profile if given,
/// otherwise the run's own traces, `own`.
[[nodiscard]] const std::vector<Trace>& profile_of(const PolicyChoice& choice,
                                                   const std::vector<Trace>& own);

/// The names of the units, indexed by UnitId.
[[nodiscard]] std::vector<std::string> names_of(const std::vector<Unit>& units);

}  // namespace equipoise
