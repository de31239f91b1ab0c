// What the simulator keeps of each unit besides its pipeline.
#pragma once

#include <cstdint>
#include <vector>

#include "shared_policies/machine/draw.hpp"
#include "shared_policies/machine/step_function.hpp"
#include "sim/sim_executor.hpp"

namespace equipoise {

/// What belongs to a unit in one phase.
struct UnitOfPhase {
  Draw draw;
  Items room_items = 0;
};

/// A unit of a simulated run.
struct SimulatedUnit {
  StepFunction speed;  ///< under the scenario
  StepFunction in;     ///< rate of copies, as a factor of the route's undisturbed bandwidth
  StepFunction out;
  bool is_present = true;
  std::uint64_t ordinal = 0;  ///< of its next block
  std::vector<UnitOfPhase> phases;
};

/// The units of `setup`, in their order, as they are at the start of the run.
[[nodiscard]] std::vector<SimulatedUnit> simulated_units(const SimSetup& setup);

}  // namespace equipoise
