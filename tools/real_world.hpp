// Real units and real kernels, put together: everything that real runs need.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "real/kernels/kernel.hpp"
#include "real/unit_spec.hpp"
#include "shared_policies/model/trace.hpp"
#include "shared_policies/policies/catalog.hpp"
#include "tools/options.hpp"
#include "tools/run_plan.hpp"

namespace equipoise {

/// What is really run, whatever the policy.
struct RealWorld {
  std::vector<UnitSpec> specs;  ///< of the units that take part
  std::vector<Unit> units;
  std::vector<std::unique_ptr<Kernel>>
      kernels;  ///< one a phase; allocated when `allocate` is called
  std::vector<Workload> phases;
  std::vector<Trace> traces;  ///< profiles for informed policies; may be empty
  std::string settings;       ///< for headers: a JSON object as text

  /// Makes the kernels' data, the same for the same seed.
  void allocate(std::uint64_t seed);
};

/// Reads and checks `--unit`, `--workload` and `--trace`. Allocates nothing. Throws InputError.
[[nodiscard]] RealWorld load_real_world(const Options& options);

/// The costs of whole blocks, as the traces have them, for informed policies and oracles: copies
/// counted in, phase by phase.
[[nodiscard]] KnownCosts known_costs(const std::vector<Workload>& phases,
                                     const std::vector<Unit>& units,
                                     const std::vector<Trace>& traces);

/// Runs `choice` on the real units; the kernels are allocated.
[[nodiscard]] RunReport run_once(const RealWorld& world, const PolicyChoice& choice,
                                 const Options& options, std::uint64_t repetition,
                                 const std::string& journal_file);

/// Throws InputError when `choice` cannot be made for this world.
void check_policy(const RealWorld& world, const PolicyChoice& choice);

}  // namespace equipoise
