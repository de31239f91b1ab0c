// Tests of the order in which the only copy engine of an emulated accelerator serves the queues of
// its devices.
#include "real/emulated/emulated_device.hpp"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <exception>
#include <memory>
#include <thread>
#include <vector>

#include "real/machine.hpp"
#include "real/threads/host_gate.hpp"
#include "real/worker.hpp"

namespace equipoise::emulated_device_test {
namespace {

/// A device with one copy engine. Its copies take as good as for ever.
class OneCopyEngine : public testing::Test {
 protected:
  [[nodiscard]] TicketPtr ticket() { return std::make_shared<BlockTicket>(host_); }

  void copy(Queue queue, const TicketPtr& ticket) { copy(*device_, queue, ticket); }
  void copy(Device& device, Queue queue, const TicketPtr& ticket) {
    device.copy(queue, {{to_.data(), from_.data(), to_.size()}}, ticket);
  }
  /// Puts a copy in into the queue of `device`, and returns when it began.
  EventPtr copy_in(Device& device, const TicketPtr& ticket) {
    EventPtr began = device.record(Queue::in);
    copy(device, Queue::in, ticket);
    static_cast<void>(device.record(Queue::in));
    return began;
  }

  static void end(const TicketPtr& copied) {
    copied->fail(std::make_exception_ptr(BlockFailure("long enough")));
  }

  static Seconds await(const EventPtr& event) {
    while (!event->happened()) std::this_thread::yield();
    return *event->happened();
  }

  static bool has_happened(const EventPtr& event) { return event->happened().has_value(); }

  HostGate host_;
  std::array<std::byte, 8> from_{};
  std::array<std::byte, 8> to_{};
  std::shared_ptr<Clock> clock_ = make_steady_clock();
  const std::vector<int> core_{this_machine().threads.at(0).number};
  std::shared_ptr<EmulatedEngines> engines_ =
      std::make_shared<EmulatedEngines>(EmulatedFigures{1e-5, 1e-5, Seconds{}, 1}, core_, clock_);
  std::unique_ptr<Device> device_ = open_emulated_device(engines_, core_);
};

TEST_F(OneCopyEngine, TellsTheEndOfACopyBeforeItTurnsToTheOtherQueue) {
  const TicketPtr in = ticket();
  const TicketPtr out = ticket();
  const EventPtr in_began = device_->record(Queue::in);
  copy(Queue::in, in);
  const EventPtr in_ended = device_->record(Queue::in);
  await(in_began);
  copy(Queue::out, out);
  const EventPtr out_ended = device_->record(Queue::out);
  end(in);
  await(in_ended);
  EXPECT_FALSE(has_happened(out_ended));
  end(out);
  EXPECT_GE(await(out_ended), await(in_ended));
}

TEST_F(OneCopyEngine, IsBusyWhileACopyIsHeld) {
  const TicketPtr in = ticket();
  const EventPtr in_began = device_->record(Queue::in);
  copy(Queue::in, in);
  const EventPtr in_ended = device_->record(Queue::in);
  const EventPtr held = device_->hold(Queue::in);
  await(in_began);
  const TicketPtr out = ticket();
  const EventPtr out_began = device_->record(Queue::out);
  copy(Queue::out, out);
  const EventPtr out_ended = device_->record(Queue::out);
  end(in);
  await(in_ended);
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_FALSE(has_happened(out_began));
  device_->let_go(*held);
  EXPECT_GE(await(out_began), await(held));
  end(out);
  EXPECT_GE(await(out_ended), await(held));
}

TEST_F(OneCopyEngine, ServesTheOtherQueueWhileAQueueWaitsForAHeldComputation) {
  const EventPtr held = device_->hold(Queue::compute);
  device_->wait(Queue::out, held);
  const TicketPtr out = ticket();
  copy(Queue::out, out);
  const EventPtr out_ended = device_->record(Queue::out);
  const TicketPtr in = ticket();
  copy(Queue::in, in);
  const EventPtr in_ended = device_->record(Queue::in);
  end(in);
  await(in_ended);
  EXPECT_FALSE(has_happened(out_ended));
  device_->let_go(*held);
  end(out);
  EXPECT_GE(await(out_ended), await(held));
}

TEST_F(OneCopyEngine, ServesFirstTheDeviceThatHasWaitedLongest) {
  const std::unique_ptr<Device> other = open_emulated_device(engines_, core_);
  const TicketPtr first = ticket();
  const TicketPtr second = ticket();
  const TicketPtr third = ticket();
  await(copy_in(*device_, first));
  const EventPtr other_began = copy_in(*other, second);
  const EventPtr third_began = copy_in(*device_, third);  // asks when the first has ended
  end(first);
  await(other_began);
  EXPECT_FALSE(has_happened(third_began));
  end(second);
  EXPECT_GE(await(third_began), await(other_began));
  end(third);
}

TEST_F(OneCopyEngine, IsFreeForOtherDevicesWhenTheOneIsClosedForWhichItCopies) {
  std::unique_ptr<Device> other = open_emulated_device(engines_, core_);
  const TicketPtr endless = ticket();
  const TicketPtr mine = ticket();
  await(copy_in(*other, endless));
  const EventPtr began = copy_in(*device_, mine);
  EXPECT_FALSE(has_happened(began));
  other.reset();
  await(began);
  end(mine);
}

}  // namespace
}  // namespace equipoise::emulated_device_test
