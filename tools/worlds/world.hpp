// Where policies run: a simulated platform, or units of this machine in real time. Commands that
// run where the user says use worlds through this interface and do not ask which one it is.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "shared_policies/model/unit.hpp"
#include "shared_policies/model/workload.hpp"
#include "tools/runs/options.hpp"
#include "tools/runs/run_plan.hpp"
#include "tools/simulations/sim_world.hpp"
#include "tools/worlds/comparison.hpp"

namespace equipoise {

/// Units, what is known of their costs, and the way to make runs on them. It was opened with the
/// options with which it is used.
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
  /// Its settings in the header of results.
  [[nodiscard]] virtual WorldSettings settings() const = 0;
  /// The platform whose bound, costs and best schedule hold in this world; null if none is known.
  [[nodiscard]] virtual SimWorld* platform() = 0;
  /// Throws InputError if `choice` cannot be made here.
  virtual void check_policy(const PolicyChoice& choice) const = 0;
  /// Leaves out the scenario's failures and joins, because a recorded run is repeated that contains
  /// them. If there were any, the bound is not known any more.
  virtual void leave_out_failures() = 0;

  /// Makes the data that runs need. Called once, after all checks and before the first run.
  virtual void prepare() = 0;
  /// Runs `choice` once. Writes a run file if `journal_file` is not empty.
  [[nodiscard]] virtual RunReport run(const PolicyChoice& choice, std::uint64_t repetition,
                                      const std::string& journal_file) = 0;
  /// Runs every policy and repetition. After a stop request, returns the runs that have ended.
  /// Warns about runs without a result, and sets `failed`.
  [[nodiscard]] virtual RunsByPolicy run_all(const std::vector<PolicyChoice>& choices,
                                             bool& failed) = 0;
};

using Worlds = std::vector<std::unique_ptr<World>>;

/// Opens the worlds that `options.on` names: one, or for "both" the simulated one and then the real
/// one with the same units. Throws InputError, at `command` if an input that they need is missing.
[[nodiscard]] Worlds open_worlds(const Options& options, const std::string& command);

/// Opens the one world that `options.on` names.
[[nodiscard]] std::unique_ptr<World> open_world(const Options& options, const std::string& command);

}  // namespace equipoise
