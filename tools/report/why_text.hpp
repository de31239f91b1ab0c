// Why a policy took longer than the lower bound: a short paragraph in plain words.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "shared_policies/run/losses.hpp"
#include "tools/report/json_values.hpp"
#include "tools/runs/run_plan.hpp"
#include "tools/simulations/sim_machine.hpp"
#include "tools/worlds/comparison.hpp"

namespace equipoise {

/// What is known of a run, or of the mean of several, that took longer than its lower bound.
struct Shortfall {
  std::string policy;  ///< its spelling
  double makespan_s = 0.0;
  double bound_s = 0.0;
  Losses loss;  ///< over the bound, by cause
  std::vector<std::string> units;
  std::vector<double> shares{};             ///< (units) of the items
  std::vector<double> last_ends_s{};        ///< (units); empty: of several runs
  std::optional<BestReached> best_known{};  ///< under the same noise; nothing if it is not known
  std::string oracle{};                     ///< a policy that knew the mean times; empty: none
  std::vector<double> oracle_shares{};      ///< (units) of the items
};

/// Where the time beyond the bound went, in at most three sentences without a line end:
///
/// 1. the loss, and its causes that make up a tenth of it, at most three, the largest first, with
///    their seconds. Units that had no block are named where that cost time;
/// 2. how much of it is known to be avoidable: the makespan less that of the best known;
/// 3. of one run, which unit ended last, if the others waited for it for a tenth of the loss; of
///    several, the units of which the share differs most from the oracle's, by a quarter and two
///    percent of all items.
///
/// Empty if the loss is below 1 % of the bound.
[[nodiscard]] std::string why_text(const Shortfall& shortfall);

/// The paragraph for one run of `policy` on `units`; empty if the bound is not known.
[[nodiscard]] std::string why_text(const RunReport& report, const std::string& policy,
                                   const std::vector<Unit>& units);

/// The paragraph for a result of a comparison; empty if its loss is not known.
[[nodiscard]] std::string why_text(const Comparison& comparison, const PolicyResult& result);

/// The same for `result` in a results.json.
[[nodiscard]] std::string why_text(const JsonValue& results, const JsonValue& result);

/// The same for the run of `policy` with the `summary` of a run file.
[[nodiscard]] std::string why_text_of_run(const std::string& policy, const JsonValue& summary);

}  // namespace equipoise
