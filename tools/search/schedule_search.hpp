// Searches for the best schedule; each candidate is evaluated in the simulator.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "shared_policies/policies/catalog.hpp"
#include "shared_policies/policies/divide/energy_split.hpp"
#include "tools/runs/options.hpp"
#include "tools/simulations/sim_machine.hpp"

namespace equipoise {

/// With more units our own policy is simulated only if it is likely to be better.
inline constexpr std::size_t few_units = 100;

/// The result of a search.
struct BestKnown {
  /// For `SimMachine::schedule`, which the policy `optimum` follows. Empty if no schedule better
  /// than the policy's own division was found.
  BlockLists schedule;
  /// The least makespan with mean block times that was found: that of the schedule or, if it was
  /// better, that of the policy `equipoise`, which can react to losses of units.
  double seconds = 0.0;
  std::string spelling;  ///< of the policy: "optimum" for that of the schedule, or "equipoise"
};

/// Searches for the schedule with the least makespan, with mean block times, under the machine's
/// scenario.
///
/// A schedule is a list of blocks for each unit and phase. All of them are handed out when an
/// iteration starts, so that blocks overlap on units that can do so, and transfers share links. The
/// search begins with the division of the oracle `optimum` and with the shares of the lower bound.
/// Each of these starts with the division's number of equal blocks per unit and, if units have
/// routes, also with 2, 4, ... 32 times as many. Then the search moves items from units that end
/// late to units that end early. Then it tries other numbers of blocks, smaller first and last
/// blocks, and leaving units out, for all units of the same node, kind and model at once, and keeps
/// improvements. It stops without an improvement, at the lower bound, or after an effort that
/// depends only on the size of the platform; schedules of more than 100,000 blocks count as
/// several.
///
/// Phases are searched one after another, each simulated after the earlier ones with their
/// schedules, so that the scenario acts at the right times. The best schedule of a phase is not
/// always the best for the phases that follow. Iterations of a phase share one schedule.
///
/// Our own policy is simulated, too, but with more than 100 units only if the search did not come
/// within 0.2 % of the lower bound.
///
/// Evaluations run in separate processes on all cores; the result does not depend on their number.
/// Throws BackendError if the division of the oracle cannot be simulated, or if no tried schedule
/// completes all items (too many units fail). Throws Interrupted if a stop is requested.
[[nodiscard]] BestKnown search_schedule(const SimMachine& machine, const RunOptions& options);

/// Searches for the schedule with the least energy or EDP (`objective`), in the same way, also from
/// the shares of `energy_prefixes`. At the end it moves items from one unit to another, in smaller
/// and smaller steps, as long as that helps: other than for time, not all units of a good schedule
/// end together. The effort is at most three times that for time. Each phase has the least
/// objective together with those before it. All units need watts. `divisions`: runs of the oracle,
/// the first one for time. Empty if no tried schedule completes all items. Throws Interrupted if a
/// stop is requested.
[[nodiscard]] BlockLists search_schedule_for(Objective objective, const SimMachine& machine,
                                             const RunOptions& options,
                                             const std::vector<RunReport>& divisions);

/// Searches a schedule and stores it in the machine, with the best makespan without noise. If no
/// schedule completes, warns and leaves the machine without them.
void find_best_schedule(SimMachine& machine, const RunOptions& options);

}  // namespace equipoise
