// What the controller of a real run knows of one unit, and how its worker ends with the run.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "real/block_slots.hpp"
#include "real/unit_spec.hpp"
#include "real/worker.hpp"
#include "shared_policies/model/event.hpp"

namespace equipoise {

/// The controller's state of one unit.
struct UnitSlot {
  std::unique_ptr<Worker> worker;
  std::size_t outstanding = 0;            ///< blocks and probes
  bool is_up = false;                     ///< its worker has come up
  bool is_lost = false;                   ///< absent, for now or until the end of the run
  bool is_late = false;                   ///< lost until it has answered
  bool is_broken = false;                 ///< it has failed and does not join again
  bool has_stalled = false;               ///< a block did not come back in time
  bool has_lost_a_grain = false;          ///< and has done no block since
  std::vector<std::uint64_t> going_on{};  ///< blocks that were taken back and have not ended
};

/// The unit whose oldest report has the earliest end, or nullptr if none has one.
[[nodiscard]] UnitSlot* earliest(std::vector<UnitSlot>& slots);
/// A late unit that has ended what it had begun, or nullptr if none has.
[[nodiscard]] UnitSlot* answering(std::vector<UnitSlot>& slots);

/// What `copy` shares with the block of the same items, which one of `slots` has; else it has
/// ended, or its unit is lost. `pending`: the event that is to be reported next.
[[nodiscard]] ResultClaimPtr claim_of(const Block& copy, const std::vector<UnitSlot>& slots,
                                      const std::optional<Event>& pending);

/// The end of a probe of `unit`, as its worker reports it.
[[nodiscard]] Probed probed_of(UnitId unit, const Report& report);

/// How a run has ended.
struct EndOfRun {
  bool is_stopped = false;
  std::chrono::milliseconds took;
  std::function<void(const std::string&)> warn;  ///< may be empty
};

/// Ends the workers of `slots`, which are those of `units`. Leaves a unit behind if its block does
/// not come back, and after a stop also a unit whose block takes long, so that the program ends
/// soon. Otherwise a unit may take as long as the run and a bit more: it ends a block that was
/// given up, or waits for its device.
void end_workers(std::vector<UnitSlot>& slots, const std::vector<UnitSpec>& units,
                 const EndOfRun& how);

}  // namespace equipoise
