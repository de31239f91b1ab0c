// Where policies run: a simulated platform, or units of this machine in real time. Commands use
// worlds through this interface and do not ask which one it is.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "shared_policies/model/unit.hpp"
#include "shared_policies/model/workload.hpp"
#include "tools/runs/options.hpp"
#include "tools/runs/run_plan.hpp"
#include "tools/search/reference.hpp"
#include "tools/simulations/sim_machine.hpp"
#include "tools/worlds/comparison.hpp"
#include "tools/worlds/real_machine.hpp"

namespace equipoise {

/// Units, what is known of their costs, and the way to make runs on them.
class World {
 public:
  World() = default;
  World(const World&) = delete;
  World& operator=(const World&) = delete;
  virtual ~World() = default;

  /// Its name in results and run files: "sim", "real" or "paced".
  [[nodiscard]] virtual std::string name() const = 0;
  /// The units that take part.
  [[nodiscard]] virtual const std::vector<Unit>& units() const = 0;
  [[nodiscard]] virtual const std::vector<Workload>& phases() const = 0;
  /// (phases) How the items of simulated and paced units differ; empty: they do not.
  [[nodiscard]] virtual const std::vector<ItemCostsPtr>& item_costs() const = 0;
  /// The traces that time its units; none if these are real.
  [[nodiscard]] virtual const std::vector<Trace>& traces() const = 0;
  /// Its settings in the header of results.
  [[nodiscard]] virtual WorldSettings settings() const = 0;
  /// What disturbs its runs.
  [[nodiscard]] virtual const Scenario& scenario() const = 0;
  /// What its runs are judged by: the lower bound and the best known of its platform, if it has
  /// one.
  [[nodiscard]] virtual Reference reference() const = 0;
  /// Throws InputError if `choice` cannot be made here.
  virtual void check_policy(const PolicyChoice& choice) const = 0;
  /// Leaves out the scenario's failures and joins, because a recorded run is repeated that contains
  /// them. If there were any, the bound is not known any more.
  virtual void leave_out_failures() = 0;

  /// Makes the data that runs need. Called once, after all checks and before the first run.
  virtual void prepare() = 0;
  /// Runs `choice` once. Writes a run file if `run_file` names one.
  [[nodiscard]] virtual RunReport run(const PolicyChoice& choice, std::uint64_t repetition,
                                      const RunFileTarget& run_file) = 0;
  /// Runs every policy and repetition: simulations in parallel, on all cores; real runs one after
  /// another, where policies take turns, so that a drift of the machine affects all of them, and
  /// where a first run of the first policy warms up and does not count. After a stop request,
  /// returns the runs that have ended. Warns about runs without a result, and sets `failed`. A
  /// policy of which a run made more than its `blocks_max` is left out, with a warning.
  [[nodiscard]] virtual RunsByPolicy run_all(const std::vector<PolicyChoice>& choices,
                                             const ComparisonOptions& options, bool& failed) = 0;
  /// Runs every policy `options.redrawn_runs` times on the machine as other recordings would have
  /// shown it, each time another; number k with the noise of repetition k modulo the repetitions.
  /// Nothing where runs are not simulated. Otherwise like `run_all`.
  [[nodiscard]] virtual RunsByPolicy run_redrawn(const std::vector<PolicyChoice>& choices,
                                                 const ComparisonOptions& options,
                                                 const Redrawing& how, bool& failed) = 0;
};

/// The world in which runs of a machine are made, which was loaded with `options`.
[[nodiscard]] std::unique_ptr<World> world_of(std::shared_ptr<SimMachine> machine,
                                              const RunOptions& options);
[[nodiscard]] std::unique_ptr<World> world_of(std::shared_ptr<RealMachine> machine,
                                              const RunOptions& options);

using Worlds = std::vector<std::unique_ptr<World>>;

/// Opens the worlds that `options.on` names: one, or for "both" the simulated one and then the real
/// one with the same units. Throws InputError, at `command` if an input that they need is missing.
[[nodiscard]] Worlds open_worlds(const RunOptions& options, const std::string& command);

/// Opens the one world that `options.on` names.
[[nodiscard]] std::unique_ptr<World> open_world(const RunOptions& options,
                                                const std::string& command);

/// Runs every policy once and adds to `runs`, and to `failures` a text about each run that is not
/// verified. After a stop request, keeps the runs that have ended. Removes the policies that made
/// too many blocks from `choices` and `runs`, and warns of them.
void run_each(World& world, std::vector<PolicyChoice>& choices, const ComparisonOptions& options,
              int repetition, RunsByPolicy& runs, std::vector<std::string>& failures);

/// Warns of the events of `scenario` that come after `end`, when the last of all runs ended: they
/// took no effect. `where`: of which runs, for more than one scenario; may be empty.
void warn_of_late_events(const Scenario& scenario, Seconds end, const std::string& where = {});

/// One warning for all these runs; none if there are none.
void warn_of_failed_runs(const std::vector<std::string>& failures);

/// The file of a comparison in `folder` for the first run of the policy that is spelled so.
[[nodiscard]] std::string run_file_of(const std::string& folder, const std::string& spelling,
                                      const std::string& on);

/// The run file for the first run of each policy and world, if run files are kept; empty for other
/// runs.
[[nodiscard]] RunFileTarget run_file_to_keep(const ComparisonOptions& options,
                                             const PolicyChoice& choice, const std::string& on,
                                             int repetition);

}  // namespace equipoise
