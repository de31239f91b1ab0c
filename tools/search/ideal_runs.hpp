// The ideal runs of a machine for an objective, with mean block times; and whether it is worth
// using the CPU besides the GPUs, or several units besides one.
#pragma once

#include <array>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "shared_policies/policies/divide/energy_split.hpp"
#include "shared_policies/records/description.hpp"
#include "shared_policies/run/metrics.hpp"
#include "tools/runs/options.hpp"
#include "tools/runs/run_plan.hpp"
#include "tools/simulations/sim_machine.hpp"

namespace equipoise {

/// Energy-delay product in joule seconds. The energy must be known.
[[nodiscard]] double edp_js(const RunNumbers& numbers);

constexpr auto words(DescriptionOf<Objective> /*of*/) {
  return std::array{Word{Objective::time, "time"}, Word{Objective::energy, "energy"},
                    Word{Objective::edp, "edp"}};
}

/// What `objective` minimises: the makespan (s), the energy (J) or the EDP (J s).
[[nodiscard]] double value_for(Objective objective, const RunNumbers& numbers);

/// Simulated runs of the oracle, the policy `optimum`.
struct IdealRuns {
  RunReport best;     ///< for the objective
  RunReport fastest;  ///< the schedule of the machine, which is the best one found for time
  /// All runs that were simulated. The same are tried for energy and for EDP, so that no run that
  /// is reported for the one is better for the other than what is reported there.
  std::vector<RunReport> tried;
};

/// Simulates the schedule of `machine`, which is the best one for time. For another objective,
/// energy or EDP, also the divisions of the oracle for time, energy and EDP, which ignore links
/// that units share, and the schedules that `search_schedule_for` finds for energy and for EDP; the
/// best of all these is `best`. Throws BackendError if a run cannot be simulated, and Interrupted
/// if a stop is requested.
[[nodiscard]] IdealRuns ideal_runs(const SimMachine& machine, const RunOptions& options,
                                   Objective objective);

/// Whether it is worth using all units. A machine of one unit has no answer.
struct Worth {
  /// "The CPU is worth using: with it the EDP is 312.4 J s, with cuda0 alone 355.1 J s (12 %
  /// less).", and the end of the line; empty without an answer.
  std::string line;
  bool is_worth_using = false;        ///< whether the best run of all uses units of `left_out`
  std::vector<std::string> left_out;  ///< the units without which was tried
  std::vector<std::string> units;     ///< the others
  std::optional<RunNumbers> without;  ///< the best run of these; none: they cannot do all items
};

/// The same for programs: a JSON object, or null without an answer.
[[nodiscard]] nlohmann::ordered_json worth_json(const Worth& worth);

/// Finds out what the units could do without some of them, for an objective. Units
/// that are left out draw their idle watts all the same. `runs` are those of `machine`, the best of
/// them verified; what is tried without some units is added to them, and the best of all is then
/// their best. Throws as `ideal_runs` does.
[[nodiscard]] Worth worth_of_units(const SimMachine& machine, const RunOptions& options,
                                   Objective objective, IdealRuns& runs);

}  // namespace equipoise
