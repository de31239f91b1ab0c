// The changes that a scenario makes to the simulated machines, as a list ordered by time.
#pragma once

#include <cstdint>
#include <vector>

#include "shared_policies/machine/scenario.hpp"
#include "shared_policies/model/measures.hpp"
#include "shared_policies/model/platform.hpp"

namespace equipoise {

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
