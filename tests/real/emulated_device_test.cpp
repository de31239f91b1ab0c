// Tests of the order in which the only copy engine of an emulated device serves its two queues.
#include "real/emulated/emulated_device.hpp"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <exception>
#include <memory>
#include <thread>

#include "real/host_gate.hpp"
#include "real/machine.hpp"
#include "real/worker.hpp"

namespace equipoise::emulated_device_test {
namespace {

/// A device with one copy engine. Its copies take as good as for ever.
class OneCopyEngine : public testing::Test {
 protected:
  [[nodiscard]] TicketPtr ticket() { return std::make_shared<BlockTicket>(host_, host_.epoch()); }

  void copy(Queue queue, const TicketPtr& ticket) {
    device_->copy(queue, {{to_.data(), from_.data(), to_.size()}}, ticket);
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
  std::unique_ptr<Device> device_ =
      open_emulated_device({1e-5, 1e-5, Seconds{}, 1}, {this_machine().threads.at(0).number},
                           {this_machine().threads.at(0).number}, clock_);
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
  device_->let_go(held);
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
  device_->let_go(held);
  end(out);
  EXPECT_GE(await(out_ended), await(held));
}

}  // namespace
}  // namespace equipoise::emulated_device_test
