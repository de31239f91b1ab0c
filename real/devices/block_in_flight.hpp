// A block whose stages are in a device's queues, as the device's driver knows it.
#pragma once

#include <array>
#include <optional>

#include "real/devices/device.hpp"
#include "real/devices/held_stages.hpp"
#include "real/kernels/staged_block.hpp"
#include "real/worker.hpp"
#include "shared_policies/model/measures.hpp"

namespace equipoise {

/// A stage of a block in a queue of the device.
struct StageInQueue {
  EventPtr began;
  EventPtr ended;
  EventPtr held;        ///< for a stage that is slowed down: keeps the queue busy until then
  HeldStagePtr slowed;  ///< its entry among those

  /// The event after which later stages may begin.
  [[nodiscard]] const EventPtr& over() const { return held ? held : ended; }
};

/// A block whose stages are in the device's queues.
struct BlockInFlight {
  Command command;
  TicketPtr ticket{};
  TicketPtr setup_ticket{};  ///< of the resident data that it brings; null if none
  StagedBlock staged{};
  std::optional<Seconds> setup_began{};  ///< if it brings resident data
  std::array<StageInQueue, 4> stages{};  ///< setup, in, compute, out
};

}  // namespace equipoise
