// What a scenario does to the simulated machines, one thing at a time.
#pragma once

#include <cstdint>
#include <vector>

#include "shared_policies/machine/scenario.hpp"
#include "shared_policies/model/measures.hpp"
#include "shared_policies/model/platform.hpp"

namespace equipoise {

enum class ChangeKind : std::uint8_t { bandwidth, loss, join };

/// From `at` on a link has another bandwidth, or a unit is gone or there.
struct MachineChange {
  Seconds at;
  ChangeKind kind = ChangeKind::bandwidth;
  std::uint32_t index = 0;             ///< of the link or of the unit in the platform
  double bandwidth_bytes_per_s = 0.0;  ///< of a link
};

/// The changes of `platform` under `scenario` after the start, ordered by time, at one time by
/// kind, then by index. What starts at 0 is among them. Speeds of units are not: nobody shares
/// them.
[[nodiscard]] std::vector<MachineChange> machine_changes(const Scenario& scenario,
                                                         const Platform& platform);

}  // namespace equipoise
