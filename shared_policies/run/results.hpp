// Many runs, compared: means with confidence intervals, speedups, distances from the bound.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "shared_policies/run/metrics.hpp"

namespace equipoise {

/// A sample's summary.
struct Statistics {
  double mean = 0.0;
  double sd = 0.0;  ///< with n - 1; 0 for one value
  double ci95_low = 0.0;
  double ci95_high = 0.0;  ///< of the mean, by Student's t; the mean itself for one value
  double min = 0.0;
  double max = 0.0;
};

/// Summarises (n) values, n >= 1.
[[nodiscard]] Statistics summarise(const std::vector<double>& values);

/// What became of the cores that units compute on while something ran.
struct CoreUse {
  double cores_s = 0.0;   ///< time that passed, times cores; 0 where this is not known
  double others_s = 0.0;  ///< of it: what other programs had
};

/// What other programs had of the cores, 0 to 1. Nothing where the cores were watched for less than
/// half a second together: systems count in ticks of 10 ms.
[[nodiscard]] std::optional<double> share_of_others(const CoreUse& use);

/// With a larger share of others, what was measured is not the units' own.
constexpr double most_of_others = 0.10;

/// One run of a policy, as results need it.
struct PolicyRun {
  RunNumbers numbers;
  bool verified = false;
  bool policy_stalled = false;
  std::uint64_t repetition = 0;
  CoreUse core_use = {};  ///< of real runs
};

/// How long one repetition took.
struct RepetitionTime {
  std::uint64_t repetition = 0;
  double makespan_s = 0.0;
};

/// What the runs of a policy were like in one phase.
struct PhaseResult {
  double end_s = 0.0;                 ///< mean over runs, since the runs began
  std::vector<double> share_by_unit;  ///< (units), means over runs; they add to 1
};

/// A policy's runs, summarised: one entry of results.json.
struct PolicyResult {
  std::string policy;
  std::string on;  ///< "sim" or "real"
  std::size_t reps = 0;
  Statistics makespan_s;
  std::vector<RepetitionTime> repetitions;    ///< (reps), in the order of the runs
  CoreUse core_use;                           ///< of all runs together
  std::optional<double> speedup_vs_baseline;  ///< of mean makespans; nothing until compared
  std::optional<Statistics> paired_ratio;     ///< over the reference; nothing until compared
  std::optional<double> over_lower_bound;     ///< mean makespan over the bound
  double idle_fraction = 0.0;                 ///< mean over units and runs
  std::vector<double> idle_by_unit;           ///< (units), means over runs
  std::vector<double> share_by_unit;          ///< (units), means over runs; they add to 1
  std::vector<PhaseResult> phases;            ///< (phases)
  double blocks = 0.0;                        ///< mean over runs, like all that follows
  double rebalances = 0.0;
  double decisions = 0.0;
  double decisions_total_s = 0.0;
  double decisions_max_s = 0.0;  ///< the largest of all runs
  double finish_spread_s = 0.0;
  std::optional<double> energy_j;                       ///< of all units
  std::vector<std::optional<double>> energy_by_unit_j;  ///< (units)
  double items_redone = 0.0;
  double extrapolated_share = 0.0;
  bool verified = false;        ///< all runs were
  bool policy_stalled = false;  ///< some run was
};

/// Summarises the runs (at least one, all on the same units) of one policy.
[[nodiscard]] PolicyResult summarise(const std::string& policy, const std::string& on,
                                     const std::vector<PolicyRun>& runs,
                                     std::optional<double> lower_bound_s);

/// Sets every speedup: the mean makespan of the result called `baseline` on the same world over the
/// result's own. Leaves them empty where there is none.
void compare_with_baseline(std::vector<PolicyResult>& results, const std::string& baseline);

/// The ratios of the makespans of `a` over those of `b`, one for each repetition that both have:
/// equal repetitions meet equal luck, so the ratio says more than two means do. Nothing when they
/// have no repetition in common or ran on different worlds.
[[nodiscard]] std::optional<Statistics> paired_ratio(const PolicyResult& a, const PolicyResult& b);

/// Sets every `paired_ratio`: over the result called `reference` on the same world. Leaves them
/// empty where there is none.
void compare_with_reference(std::vector<PolicyResult>& results, const std::string& reference);

}  // namespace equipoise
