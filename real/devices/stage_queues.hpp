// Puts the stages of blocks and probes into the queues of a device.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "real/devices/block_in_flight.hpp"
#include "real/devices/device.hpp"
#include "real/devices/held_stages.hpp"
#include "real/unit_rates.hpp"
#include "real/worker_mailbox.hpp"

namespace equipoise {

/// What is to be copied for a block or a probe.
struct StageCopies {
  std::vector<CopyPart> setup{};
  std::vector<CopyPart> in{};
  std::vector<CopyPart> out{};
};

/// The queues of one device, with the rates of its unit.
class StageQueues {
 public:
  /// Both outlive it, and what is in the queues. `held`: null if nothing is slowed down.
  StageQueues(Device& device, const UnitRates& rates, std::shared_ptr<HeldStages> held,
              WorkerMailbox& mailbox)
      : device_(device), rates_(rates), held_(std::move(held)), mailbox_(&mailbox) {}

  /// Puts all stages of `block` into the queues, each after the one before it. A stage without
  /// copies takes no time. `launch` puts in the computation; none: a probe has none. Rings the
  /// mailbox at the end.
  void put(BlockInFlight& block, StageCopies copies, const std::function<void()>& launch);

 private:
  void put_copy(StageInQueue& stage, Queue queue, const StepFunction& rate,
                std::vector<CopyPart>& parts, const TicketPtr& ticket);
  void put_stage(StageInQueue& stage, Queue queue, const StepFunction& rate,
                 const TicketPtr& ticket, const std::function<void()>& work);

  Device& device_;
  const UnitRates& rates_;
  std::shared_ptr<HeldStages> held_;
  WorkerMailbox* mailbox_;
};

}  // namespace equipoise
