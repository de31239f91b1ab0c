// What real/devices/device.hpp promises, checked on every device of a program of tests: emulated
// accelerators, and GPUs where there are any, or the one that is not there.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include "real/block_copies.hpp"
#include "real/kernels/catalog.hpp"
#include "real/machine.hpp"
#include "real/threads/host_gate.hpp"
#include "real/unit_memory.hpp"
#include "real/worker.hpp"
#include "tests/support/device_subjects.hpp"

namespace equipoise::device_contract_test {
namespace {

std::vector<std::byte> bytes_from(std::size_t first, std::size_t count) {
  std::vector<std::byte> bytes(count);
  for (std::size_t i = 0; i < count; ++i) bytes[i] = static_cast<std::byte>(1 + (first + i) % 251);
  return bytes;
}

class DeviceContract : public testing::TestWithParam<DeviceSubject> {
 protected:
  void SetUp() override {
    if (!GetParam().why_absent.empty()) GTEST_SKIP() << GetParam().why_absent;
    device_ = GetParam().open({this_machine().threads.at(0).number}, clock_);
  }

  [[nodiscard]] TicketPtr ticket() { return std::make_shared<BlockTicket>(host_); }

  static Seconds await(const EventPtr& event) {
    while (!event->happened()) std::this_thread::yield();
    return *event->happened();
  }

  static bool has_happened(const EventPtr& event) { return event->happened().has_value(); }

  /// Copies `bytes` to the device, in two parts, and back.
  void copy_to_and_fro(std::vector<std::byte>& bytes, const TicketPtr& in, const TicketPtr& out) {
    std::byte* const there = device_->allocate(bytes.size());
    const std::vector<std::byte> from = bytes;
    const std::size_t half = bytes.size() / 2;
    device_->copy(
        Queue::in,
        {{there, from.data(), half}, {there + half, from.data() + half, bytes.size() - half}}, in);
    device_->wait(Queue::out, device_->record(Queue::in));
    std::ranges::fill(bytes, std::byte{0});
    device_->copy(
        Queue::out,
        {{bytes.data(), there, half}, {bytes.data() + half, there + half, bytes.size() - half}},
        out);
    await(device_->record(Queue::out));
    device_->release(there);
  }

  HostGate host_;
  std::shared_ptr<Clock> clock_ = make_steady_clock();
  std::unique_ptr<Device> device_;
};

TEST_P(DeviceContract, CopiesThereAndBack) {
  for (const std::size_t count :
       {std::size_t{2}, std::size_t{4097}, std::size_t{1'000'000}, std::size_t{5'000'001}}) {
    std::vector<std::byte> bytes = bytes_from(0, count);
    copy_to_and_fro(bytes, ticket(), ticket());
    EXPECT_EQ(bytes, bytes_from(0, count));
  }
}

TEST_P(DeviceContract, CopiesArraysWithPaddingBetweenThemAndArraysFarApart) {
  const std::vector<std::byte> bytes = bytes_from(0, 3000);
  std::byte* const there = device_->allocate(10 * array_alignment);
  const auto place = [&](std::size_t array) { return there + array * array_alignment; };
  device_->copy(Queue::in,
                {{place(0), bytes.data(), 1000},
                 {place(1), bytes.data() + 1000, 1000},
                 {place(7), bytes.data() + 2000, 1000}},
                ticket());
  device_->wait(Queue::out, device_->record(Queue::in));
  std::vector<std::byte> back(3000);
  device_->copy(Queue::out,
                {{back.data() + 2000, place(7), 1000},
                 {back.data(), place(0), 1000},
                 {back.data() + 1000, place(1), 1000}},
                ticket());
  await(device_->record(Queue::out));
  EXPECT_EQ(back, bytes);
  device_->release(there);
}

TEST_P(DeviceContract, CopiesInTheOrderInWhichCopiesWerePutIn) {
  constexpr std::size_t count = 2'000'000;
  constexpr std::size_t rounds = 8;
  std::byte* const there = device_->allocate(count);
  std::vector<std::vector<std::byte>> from;
  std::vector<std::vector<std::byte>> back;
  for (std::size_t i = 0; i < rounds; ++i) {
    from.push_back(bytes_from(i, i % 2 == 0 ? count : count / 10));
    back.emplace_back(from.back().size());
  }
  for (std::size_t i = 0; i < rounds; ++i) {
    device_->copy(Queue::in, {{there, from[i].data(), from[i].size()}}, ticket());
    device_->wait(Queue::out, device_->record(Queue::in));
    device_->copy(Queue::out, {{back[i].data(), there, from[i].size()}}, ticket());
    device_->wait(Queue::in, device_->record(Queue::out));
  }
  await(device_->record(Queue::out));
  EXPECT_EQ(back, from);
  device_->release(there);
}

TEST_P(DeviceContract, GivesMemoryThatIsAlignedAndGoesOnAfterAskingForTooMuch) {
  if (GetParam().has_limited_memory) {
    EXPECT_THROW((void)device_->allocate(std::size_t{1} << 50), std::bad_alloc);
  }
  std::vector<std::byte*> all;
  for (const std::size_t bytes : {std::size_t{1}, std::size_t{5000}, std::size_t{1'000'000}}) {
    all.push_back(device_->allocate(bytes));
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(all.back()) % array_alignment, 0u);
  }
  for (std::byte* const memory : all) device_->release(memory);
  std::vector<std::byte> bytes = bytes_from(0, 100);
  copy_to_and_fro(bytes, ticket(), ticket());
  EXPECT_EQ(bytes, bytes_from(0, 100));
}

TEST_P(DeviceContract, TouchesNoMemoryOfTheHostForABlockThatIsNotWanted) {
  const TicketPtr failed = ticket();
  failed->fail(std::make_exception_ptr(BlockFailure("a test")));
  const TicketPtr abandoned = ticket();
  host_.abandon();
  for (const TicketPtr& out : {failed, abandoned}) {
    std::vector<std::byte> bytes = bytes_from(0, 100);
    copy_to_and_fro(bytes, ticket(), out);
    EXPECT_EQ(bytes, std::vector<std::byte>(100));
  }
}

TEST_P(DeviceContract, StopsAQueueUntilItIsLetGo) {
  const EventPtr before = device_->record(Queue::compute);
  const EventPtr held = device_->hold(Queue::compute);
  const EventPtr after = device_->record(Queue::compute);
  device_->wait(Queue::out, held);
  const EventPtr out = device_->record(Queue::out);
  await(before);
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_FALSE(has_happened(held) || has_happened(after) || has_happened(out));
  const Seconds let_go = clock_->now();
  device_->let_go(*held);
  EXPECT_GE(await(out), let_go);
  EXPECT_LE(await(before), await(held));
  EXPECT_LE(await(held), await(after));
}

// The two queues of copies may have one engine, which is busy while one of them is stopped.
TEST_P(DeviceContract, CopiesWhileComputationsAreStoppedAndComputesWhileCopiesAre) {
  const auto stop = [this](Queue stopped, const std::vector<Queue>& others) {
    const EventPtr held = device_->hold(stopped);
    for (const Queue queue : others) await(device_->record(queue));
    EXPECT_FALSE(has_happened(held));
    device_->let_go(*held);
    await(held);
  };
  stop(Queue::compute, {Queue::in, Queue::out});
  stop(Queue::in, {Queue::compute});
  stop(Queue::out, {Queue::compute});
}

TEST_P(DeviceContract, EndsWithQueuesThatAreStopped) {
  std::byte* const there = device_->allocate(100);
  const std::vector<std::byte> bytes = bytes_from(0, 100);
  (void)device_->hold(Queue::in);
  device_->copy(Queue::in, {{there, bytes.data(), bytes.size()}}, ticket());
  device_->wait(Queue::out, device_->record(Queue::in));
  (void)device_->hold(Queue::out);
  device_.reset();
}

TEST_P(DeviceContract, CallsBackInOrderWhenTheWorkBeforeHasEnded) {
  std::vector<int> calls;  // all calls of a queue come after one another
  std::atomic<bool> is_last = false;
  const EventPtr held = device_->hold(Queue::out);
  for (int i = 0; i < 3; ++i) {
    device_->call_back(Queue::out, [&calls, i] { calls.push_back(i); });
  }
  device_->call_back(Queue::out, [&] {
    is_last = true;
    is_last.notify_all();
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_FALSE(is_last);
  device_->let_go(*held);
  is_last.wait(false);
  EXPECT_EQ(calls, (std::vector<int>{0, 1, 2}));
}

TEST_P(DeviceContract, TellsTimesOfTheRunThatDoNotDecreaseWithinAQueue) {
  clock_->start();
  const Seconds begin = clock_->now();
  std::byte* const there = device_->allocate(100'000);
  const std::vector<std::byte> bytes = bytes_from(0, 100'000);
  std::vector<EventPtr> events;
  for (int i = 0; i < 50; ++i) {
    events.push_back(device_->record(Queue::in));
    device_->copy(Queue::in, {{there, bytes.data(), bytes.size()}}, ticket());
  }
  events.push_back(device_->record(Queue::in));
  await(events.back());
  const Seconds end = clock_->now();
  Seconds last = begin;
  for (const EventPtr& event : events) {
    ASSERT_TRUE(has_happened(event)) << "a later one has happened";
    EXPECT_GE(*event->happened(), last);
    last = *event->happened();
  }
  EXPECT_LE(last, end);
  device_->release(there);
}

/// Computes all options of a kernel on a device, with this ticket for the computation.
class OptionBlock {
 public:
  explicit OptionBlock(Device& device) : device_(device) {
    kernel_->allocate(1);
    program_ = device_.load(*kernel_);
    bytes_ = device_.allocate(UnitMemory::bytes_for_one(kernel_->data(), options));
    memory_.begin_phase(kernel_->data(), bytes_,
                        UnitMemory::bytes_for_one(kernel_->data(), options), options);
  }

  void compute(const TicketPtr& copies, const TicketPtr& computation) {
    const Block block{.items = options};
    StagedBlock staged;
    ASSERT_TRUE(memory_.place(block, staged));
    memory_.release(block, true);
    std::vector<CopyPart> in;
    std::vector<CopyPart> out;
    const auto put_into = [](std::vector<CopyPart>& parts) {
      return [&parts](std::byte* to, const std::byte* from, std::size_t bytes) {
        parts.push_back({to, from, bytes});
      };
    };
    for_each_input(kernel_->data(), block, staged, put_into(in));
    for_each_result(kernel_->data(), block, staged, put_into(out));
    device_.copy(Queue::in, in, copies);
    device_.wait(Queue::compute, device_.record(Queue::in));
    program_.launch(staged, 0, computation);
    device_.wait(Queue::out, device_.record(Queue::compute));
    device_.copy(Queue::out, out, copies);
    const EventPtr end = device_.record(Queue::out);
    while (!end->happened()) std::this_thread::yield();
  }
  [[nodiscard]] bool passes() const { return kernel_->verify().passed; }

 private:
  static constexpr Items options = 1000;

  Device& device_;
  std::unique_ptr<Kernel> kernel_ =
      make_kernel("blackscholes", {{"options", std::to_string(options)}}, "--workload");
  DeviceProgram program_;
  std::byte* bytes_ = nullptr;
  UnitMemory memory_;
};

TEST_P(DeviceContract, ComputesBetweenCopies) {
  OptionBlock block(*device_);
  block.compute(ticket(), ticket());
  EXPECT_TRUE(block.passes());
}

TEST_P(DeviceContract, GoesOnAfterABlockThatFailed) {
  OptionBlock block(*device_);
  const TicketPtr failed = ticket();
  failed->fail(std::make_exception_ptr(BlockFailure("a test")));
  block.compute(failed, failed);
  block.compute(ticket(), ticket());
  EXPECT_TRUE(block.passes());
}

TEST_P(DeviceContract, GoesOnAfterABlockThatWasAbandoned) {
  OptionBlock block(*device_);
  const TicketPtr abandoned = ticket();
  host_.abandon();
  block.compute(abandoned, abandoned);
  EXPECT_FALSE(abandoned->failure());
  block.compute(ticket(), ticket());
  EXPECT_TRUE(block.passes());
}

INSTANTIATE_TEST_SUITE_P(OfEvery, DeviceContract, testing::ValuesIn(device_subjects()),
                         [](const auto& of) { return of.param.name; });

}  // namespace
}  // namespace equipoise::device_contract_test
