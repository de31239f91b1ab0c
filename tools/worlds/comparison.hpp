// A comparison of policies, from what was asked for to what results.json holds: what `compare` and
// `sweep` share.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "shared_policies/run/results.hpp"
#include "tools/commands/options.hpp"
#include "tools/worlds/run_plan.hpp"

namespace equipoise {

/// A comparison: what results.json holds.
struct Comparison {
  std::string experiment;  ///< a JSON object as text
  std::optional<double> lower_bound_s;
  std::string bound_by;  ///< what keeps the bound up: compute, copies, the name of a link
  std::optional<double> best_known_s;  ///< makespan of the best schedule found, without noise
  std::vector<std::string> units;
  std::vector<PolicyChoice> policies;
  std::string reference;              ///< the policy that others are paired with; empty: none
  std::vector<PolicyResult> results;  ///< `policy` is the choice's spelling
  bool interrupted = false;           ///< repetitions or policies are missing
};

/// The runs of each policy, by its spelling.
using RunsByPolicy = std::map<std::string, std::vector<PolicyRun>>;

/// The policies asked for, each once, the baseline always among them; "all" stands for the catalog
/// but for those of `options.without`.
/// Throws InputError at `--policy`.
[[nodiscard]] std::vector<PolicyChoice> choose_policies(const Options& options);

/// The policy that others are paired with, by spelling: `asked`, or our own, `equipoise`, when
/// nothing is asked for; none where `policies` lack it.
[[nodiscard]] std::string choose_reference(const std::vector<PolicyChoice>& policies,
                                           const std::string& asked);

/// Adds the results of the policies that have runs, in the comparison's order of policies.
void add_results(Comparison& comparison, const RunsByPolicy& runs, const std::string& on);

/// Sets what takes two policies: speedups over `baseline`, ratios over the comparison's reference.
void relate_results(Comparison& comparison, const std::string& baseline);

/// The header of results.json: what was asked for, and the settings of the worlds that took part
/// (JSON objects as text; empty: that world did not).
[[nodiscard]] std::string experiment_text(const Options& options, const std::string& sim_settings,
                                          const std::string& real_settings);

/// The result of `policy` (a spelling) on `on`; null without one.
[[nodiscard]] const PolicyResult* find_result(const Comparison& comparison,
                                              const std::string& policy, const std::string& on);

/// Whether the policy that made `result` sees what is to come.
[[nodiscard]] Foresight foresight_of(const Comparison& comparison, const PolicyResult& result);

/// Whether a link keeps the bound up, so that only the best schedule known says what can be
/// reached.
[[nodiscard]] bool is_bound_by_a_link(const Comparison& comparison);

/// Mean makespan of `result` over what can be reached: over the best schedule known where a link
/// keeps the bound up, else over the bound; nothing where that is not known.
[[nodiscard]] std::optional<double> over_yardstick(const Comparison& comparison,
                                                   const PolicyResult& result);

/// Whether the energy of some unit is known.
[[nodiscard]] bool knows_energy(const Comparison& comparison);

}  // namespace equipoise
