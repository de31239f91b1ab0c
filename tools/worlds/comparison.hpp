// A comparison of policies, from the user's options to the contents of results.json; used by
// `compare`, `validate` and `sweep`.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "shared_policies/run/results.hpp"
#include "tools/runs/options.hpp"
#include "tools/runs/run_plan.hpp"
#include "tools/search/what_if.hpp"
#include "tools/simulations/sim_machine.hpp"
#include "tools/worlds/experiment_facts.hpp"

namespace equipoise {

/// The contents of results.json.
struct Comparison {
  std::optional<Environment> environment;
  ExperimentFacts experiment;
  std::string
      assumptions;  ///< about resident data and the costs of decisions; empty: none to state
  std::optional<double> lower_bound_s;
  std::string bound_by;  ///< binding constraint: compute, copies, or the name of a link
  /// Under the noise of the results: the best of the search (see `best_reached`) and, after
  /// `relate_results`, of every simulated result. Nothing if there was no search, or it found
  /// nothing.
  std::optional<BestReached> best_known;
  ResidentPath resident;  ///< empty if no platform is known
  /// From what predictions know the errors of the model: "12 validations of this machine"; empty:
  /// there are no intervals.
  std::string model_errors_from;
  std::vector<std::string> units;
  std::vector<PolicyChoice> policies;
  std::string reference;              ///< the policy with which others are paired; empty: none
  std::vector<PolicyResult> results;  ///< `policy` is the choice's spelling
  std::optional<WhatIf> what_if;      ///< of the simulated results, if it was asked for
  bool interrupted = false;           ///< repetitions or policies are missing
};

/// What a world writes into the header of results.json.
struct WorldSettings {
  bool is_simulated = false;
  RunSettings settings;
};

/// The runs of each policy, by its spelling.
using RunsByPolicy = std::map<std::string, std::vector<PolicyRun>>;

/// The policies that `options` asks for, each once, with the baseline in any case. "all" stands for
/// the catalog without what `options.without` names. Paths of profiles are relative to `folder` if
/// that is not empty. Throws InputError, at `where` or at a profile.
[[nodiscard]] std::vector<PolicyChoice> choose_policies(const ComparisonOptions& options,
                                                        const std::string& where,
                                                        const std::string& folder = {});

/// Warns that the policy `spelling` is left out because a run of it makes more than `most` blocks:
/// `blocks`, if that is known.
void warn_of_too_many_blocks(const std::string& spelling, std::uint64_t most,
                             std::optional<double> blocks = std::nullopt);

/// Removes the policies of which is known beforehand that a run makes more than their `blocks_max`,
/// and warns of them.
void leave_out_slow(std::vector<PolicyChoice>& policies, const std::vector<Workload>& phases);

/// The spellings of the policies, in their order.
[[nodiscard]] std::vector<std::string> spellings_of(const std::vector<PolicyChoice>& policies);

/// The spelling of the policy with which others are paired: `asked` or, if that is empty, our own
/// policy `equipoise`. Empty if `policies` does not contain it.
[[nodiscard]] std::string choose_reference(const std::vector<PolicyChoice>& policies,
                                           const std::string& asked);

/// Adds the results of all policies with runs, in the comparison's order of policies. `timings`:
/// where the block times of these runs come from, if they are not measured.
void add_results(Comparison& comparison, const RunsByPolicy& runs, const std::string& on,
                 const std::optional<TimingsFacts>& timings);

/// Computes the values that need other policies: speedups over `baseline`, and ratios to the
/// comparison's reference. A simulated result whose mean makespan is less than the best known
/// becomes the best known, whatever its policy knew beforehand. It must be verified and have as
/// many repetitions as any other; results on real units do not count, for they met another noise.
void relate_results(Comparison& comparison, const std::string& baseline);

/// Sets `experiment`, the header of results.json (the options, where resident data lie, how items
/// differ, the input files with hashes of their contents, and the settings of the worlds that are
/// used), and `assumptions`. Throws InputError if an input cannot be read.
void describe_experiment(Comparison& comparison, const ComparisonOptions& options,
                         const std::vector<Workload>& phases,
                         const std::vector<ItemCostsPtr>& costs,
                         const std::vector<WorldSettings>& worlds);

/// The result of `policy` (a spelling) in the world `on`; nullptr if none.
[[nodiscard]] const PolicyResult* find_result(const Comparison& comparison,
                                              const std::string& policy, const std::string& on);

/// The verified result in the world `on` with the least mean makespan, oracles aside; nullptr if
/// there is none.
[[nodiscard]] const PolicyResult* fastest_result(const Comparison& comparison,
                                                 const std::string& on);
/// When the last of all runs in the world `on` ended; nothing if it has no results, or one that is
/// not verified, whose run may have been ended by an event.
[[nodiscard]] std::optional<Seconds> last_end(const Comparison& comparison, const std::string& on);

/// What the policy of `result` knew from before the run.
[[nodiscard]] Foresight foresight_of(const Comparison& comparison, const PolicyResult& result);

/// Whether the policy of `result` was given what each item costs, in a comparison whose items
/// differ.
[[nodiscard]] bool knows_costs(const Comparison& comparison, const PolicyResult& result);

/// Mean makespan of `result` over the best that is known to be reached: at least 1 for a simulated
/// one. Nullopt if that is unknown, and for a simulated result that is not verified or lacks
/// repetitions that others have.
[[nodiscard]] std::optional<double> over_best_known(const Comparison& comparison,
                                                    const PolicyResult& result);

/// Whether any result has an interval for a real run.
[[nodiscard]] bool knows_intervals(const Comparison& comparison);

/// Whether the energy of any run or unit is known.
[[nodiscard]] bool knows_energy(const Comparison& comparison);

}  // namespace equipoise
