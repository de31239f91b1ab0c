// Units and kernels, put together: what every command that runs something in real time needs.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "real/disturbances.hpp"
#include "real/kernels/kernel.hpp"
#include "real/paced_unit.hpp"
#include "real/unit_spec.hpp"
#include "shared_policies/machine/block_timing.hpp"
#include "shared_policies/machine/trace.hpp"
#include "shared_policies/policies/catalog.hpp"
#include "tools/commands/options.hpp"
#include "tools/worlds/run_plan.hpp"
#include "tools/worlds/sim_world.hpp"

namespace equipoise {

/// How long blocks of one phase take on a paced unit, whatever the run.
struct PacedTiming {
  BlockTiming timing;
  Seconds first_use;
  CopySpeeds copies;
};

/// What is run in real time, whatever the policy.
struct RealWorld {
  std::string on;               ///< "real"; "paced" where no unit computes
  std::vector<UnitSpec> specs;  ///< of the units that take part
  std::vector<Unit> units;
  std::vector<std::unique_ptr<Kernel>>
      kernels;  ///< one a phase, allocated when `allocate` is called; none where no unit computes
  std::vector<Workload> phases;
  std::vector<std::vector<PacedTiming>> paced;  ///< (units, phases); empty where a unit computes
  std::vector<Seconds> merges;  ///< (phases) between iterations, where no unit computes
  std::vector<Trace> traces;    ///< profiles for informed policies; may be empty
  Scenario scenario;
  std::vector<UnitRates> rates;  ///< (units) how the scenario slows them
  /// The same machine as it is simulated, whose bound and whose costs hold here too; null where
  /// there is none.
  std::shared_ptr<SimWorld> platform;
  std::string settings;  ///< for headers: a JSON object as text

  /// Makes the kernels' data, the same for the same seed.
  void allocate(std::uint64_t seed);
};

/// Reads and checks `--unit`, `--workload`, `--trace` and `--scenario`; without units,
/// `--platform`, whose timed hosts become paced units. Allocates nothing. Throws InputError.
[[nodiscard]] RealWorld load_real_world(const Options& options);

/// The same with units given one by one, and with `traces` for those that `options` names.
[[nodiscard]] RealWorld load_real_world(const Options& options, std::vector<Trace> traces);

/// Makes `sim`, which has the same units and was loaded with `options`, the platform of `world`:
/// informed policies know the same in both. Throws InputError where the units differ.
void pair_with(RealWorld& world, std::shared_ptr<SimWorld> sim, const Options& options);

/// (units, phases) What times the paced units in one run; empty lists for those that compute.
[[nodiscard]] std::vector<std::vector<PacedPhase>> paced_phases(const RealWorld& world,
                                                                const Options& options,
                                                                std::uint64_t repetition);

/// The name by which traces know the unit.
[[nodiscard]] const std::string& name_in_traces(const UnitSpec& spec);

/// The costs of whole blocks, as the traces have them for these units, for informed policies and
/// oracles: copies counted in, phase by phase.
[[nodiscard]] KnownCosts known_costs(const std::vector<Workload>& phases,
                                     const std::vector<std::string>& units_in_traces,
                                     const std::vector<Trace>& traces);

/// Runs `choice` on the real units; the kernels are allocated.
[[nodiscard]] RunReport run_once(const RealWorld& world, const PolicyChoice& choice,
                                 const Options& options, std::uint64_t repetition,
                                 const std::string& journal_file);

/// Throws InputError when `choice` cannot be made for this world.
void check_policy(const RealWorld& world, const PolicyChoice& choice);

}  // namespace equipoise
