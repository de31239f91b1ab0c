// The machine that the simulator plays: what it keeps of each unit besides its pipeline, and the
// changes that a scenario makes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "shared_policies/machine/block_timing.hpp"
#include "shared_policies/machine/copy_speed.hpp"
#include "shared_policies/machine/resident_data.hpp"
#include "shared_policies/machine/scenario.hpp"
#include "shared_policies/machine/step_function.hpp"
#include "shared_policies/machine/unit_pipeline.hpp"
#include "shared_policies/model/measures.hpp"
#include "shared_policies/model/platform.hpp"
#include "sim/sim_executor.hpp"

namespace equipoise {

/// What belongs to a unit in one phase.
struct UnitOfPhase {
  DrawnTimes draw;
  Items room_items = 0;
  std::optional<ResidentStream> stream;  ///< none: it holds the resident data
  StepFunction stream_rate;              ///< under the scenario, of the bus
};

/// A unit of a simulated run.
struct SimulatedUnit {
  std::uint32_t index = 0;
  StepFunction speed;  ///< under the scenario
  StepFunction in;     ///< rate of copies, as a factor of the route's undisturbed bandwidth
  StepFunction out;
  bool is_present = true;
  std::size_t given_up = 0;   ///< blocks that it works on though it is lost, because it was late
  std::uint64_t ordinal = 0;  ///< of its next block
  std::vector<UnitOfPhase> phases;
  CopySpeeds copies;                   ///< over its routes
  std::optional<CopySpeed> from_node;  ///< see `speed_from_node`
  double setup_bytes = 0.0;            ///< that its setup has to fetch for its node
  double kept_bytes = 0.0;             ///< or to copy from there

  /// The setup of `block` begins: remembers its bytes.
  void take_setup(const PipelinedBlock& block) {
    setup_bytes = block.setup_bytes;
    kept_bytes = block.kept_bytes;
  }
  /// The time in which its setup copies what is in its node.
  [[nodiscard]] Seconds copy_from_node() const {
    return from_node ? from_node->time(kept_bytes) : Seconds{};
  }
  /// How long `block` reads resident data if it begins at `begin`.
  [[nodiscard]] Seconds stream_time(const PipelinedBlock& block, Seconds begin) const;
};

/// How a block is handed out.
struct HandedOut {
  ResidentData data;  ///< that its unit has
  Seconds asked;      ///< the controller began to hand it out
  Seconds at;         ///< and had done so
};

/// The costs of `block`, of which the draw of its computation is the next one of `unit`.
[[nodiscard]] PipelinedBlock work_of(const Block& block, const HandedOut& how,
                                     const SimSetup& setup, SimulatedUnit& unit);

/// The units of `setup`, in their order, as they are at the start of the run.
[[nodiscard]] std::vector<SimulatedUnit> simulated_units(const SimSetup& setup);

/// `setup` with the nodes of its run of two levels as further units, over whose routes their blocks
/// travel, and its remote units at the places of their agents. Without nodes, `setup`.
[[nodiscard]] SimSetup with_nodes(SimSetup setup);

enum class ChangeKind : std::uint8_t { bandwidth, loss, join };

/// At time `at`, a link gets another bandwidth, or a unit is lost or joins.
struct MachineChange {
  Seconds at;
  ChangeKind kind = ChangeKind::bandwidth;
  std::uint32_t index = 0;             ///< position of the link or the unit in the platform
  double bandwidth_bytes_per_s = 0.0;  ///< new bandwidth of the link
};

/// The changes of `platform` under `scenario`, ordered by time, then by kind, then by index.
/// Bandwidths that differ from the platform's at time 0 are included. Speeds of units are not: no
/// two units share them.
[[nodiscard]] std::vector<MachineChange> machine_changes(const Scenario& scenario,
                                                         const Platform& platform);

}  // namespace equipoise
