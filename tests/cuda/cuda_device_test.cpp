// Tests of a GPU as a device: queues, copies, failures.
#include "real/cuda/cuda_device.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <thread>
#include <vector>

#include "real/devices/device_worker.hpp"
#include "real/gpu/programs.hpp"
#include "real/kernels/catalog.hpp"
#include "real/machine.hpp"
#include "real/worker.hpp"
#include "tests/bench/cuda_timing.hpp"
#include "tests/support/failing_device.hpp"
#include "tests/support/gpu_test.hpp"
#include "tests/support/real_runs.hpp"

namespace equipoise::cuda_device_test {
namespace {

std::shared_ptr<const CudaContext> whole_gpu() { return open_cuda_context({}); }

class CudaDevice : public GpuTest {
 protected:
  void SetUp() override {
    GpuTest::SetUp();
    if (IsSkipped()) return;
    device_ = open_cuda_device(whole_gpu(), {this_machine().threads.at(0).number}, clock_);
  }

  static Seconds await(const EventPtr& event) {
    while (!event->happened()) std::this_thread::yield();
    return *event->happened();
  }

  std::shared_ptr<Clock> clock_ = make_steady_clock();
  std::unique_ptr<Device> device_;
};

TEST_F(CudaDevice, HasAStopForEveryStageOfEveryBlock) {
  for (int round = 0; round < 3; ++round) {
    std::vector<EventPtr> held;
    for (std::size_t i = 0; i < 4 * blocks_in_queues_max; ++i) {
      held.push_back(device_->hold(Queue::compute));
    }
    for (const EventPtr& stop : held) device_->let_go(*stop);
    await(held.back());
  }
}

TEST_F(CudaDevice, CopiesTheNextResultsWhileTheHostIsCalledBack) {
  const auto last = std::chrono::steady_clock::now() + std::chrono::seconds(5);
  std::atomic<bool> is_called = false;
  std::atomic<bool> may_return = false;
  device_->call_back(Queue::out, [&] {
    is_called = true;
    while (!may_return && std::chrono::steady_clock::now() < last) std::this_thread::yield();
  });
  while (!is_called) std::this_thread::yield();
  await(device_->record(Queue::out));
  EXPECT_LT(std::chrono::steady_clock::now(), last) << "it waited for the host";
  may_return = true;
  device_.reset();  // waits for the function
}

TEST_F(CudaDevice, CallsBackWhenWhatIsInTheQueueHasEnded) {
  std::atomic<bool> is_called = false;
  const EventPtr stop = device_->hold(Queue::out);
  device_->call_back(Queue::out, [&] { is_called = true; });
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_FALSE(is_called);
  device_->let_go(*stop);
  while (!is_called) std::this_thread::yield();
  EXPECT_TRUE(stop->happened());
}

TEST_F(CudaDevice, IsTimedWhileItWorks) {
  const auto kernel = make_kernel("taylor", {{"points", "4096"}, {"terms", "1000"}}, "--workload");
  const GpuProgram program = make_gpu_program(*kernel);
  constexpr std::size_t column = 4096 * sizeof(double);
  int calls = 0;
  const Seconds time = time_on_device(0, 3 * column, [&](const Stream& stream, std::byte* memory) {
    ++calls;
    program.launch(stream, {0, 4096, {memory, memory + column}, {memory + 2 * column}, {}});
  });
  EXPECT_GT(time.value, 0.0);
  EXPECT_GE(calls, 2) << "the first does not count";
}

TEST_F(CudaDevice, TellsTimesOfTheRunsClockAlsoAfterItHasStarted) {
  const EventPtr before = device_->record(Queue::in);
  EXPECT_GE(await(before), Seconds{});
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  clock_->start();
  EXPECT_LT(await(before), Seconds{});
  const Seconds begin = clock_->now();
  const EventPtr event = device_->record(Queue::in);
  EXPECT_GE(await(event), begin);
  EXPECT_LE(await(event), clock_->now());
}

TEST_F(CudaDevice, TellsTimesThatDoNotDecreaseOverRenewalsOfItsBase) {
  std::vector<EventPtr> events;
  const Seconds end = clock_->now() + Seconds{2.5};
  while (clock_->now() < end) {
    events.push_back(device_->record(Queue::compute));
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  await(events.back());
  Seconds last;
  for (const EventPtr& event : events) {
    EXPECT_GE(await(event), last);
    last = await(event);
  }
}

/// Units of GPUs that follow `script`.
class FailingGpuFactory final : public UnitFactory {
 public:
  explicit FailingGpuFactory(DeviceScript script) : script_(std::move(script)) {}

  int cores() const override { return 0; }
  bool has_program(const Kernel& /*kernel*/) const override { return true; }
  double host_bytes(const Unit& /*unit*/, const Workload& /*workload*/) const override {
    return 0.0;
  }
  UnitRates rates(const Unit& unit, double slowdown, const Scenario& scenario) const override {
    return rates_beside_loads(unit, slowdown, scenario);
  }
  std::unique_ptr<Worker> make_worker(WorkerSetup setup) const override {
    return make_device_worker(std::move(setup), [script = script_](const WorkerSetup& of) {
      return std::make_unique<FailingDevice>(open_cuda_device(whole_gpu(), of.waiting, of.clock),
                                             script);
    });
  }
  std::unique_ptr<CompetingLoad> make_load(const Clock& /*clock*/, const Disturbance& /*event*/,
                                           const std::vector<int>& /*cores*/) const override {
    return nullptr;
  }

 private:
  DeviceScript script_;
};

TEST_F(CudaDevice, LosesABlockThatFailsAtAnyStageAndNotTheUnit) {
  for (const DeviceCall stage : {DeviceCall::copy_in, DeviceCall::launch, DeviceCall::copy_out}) {
    for (const DeviceFault fault : {DeviceFault::refused, DeviceFault::later}) {
      const auto kernel = make_kernel("blackscholes", {{"options", "2000"}}, "--workload");
      kernel->allocate(1);
      RealSetup setup = setup_of({"cuda"}, {kernel.get()});
      setup.units[0].factory =
          std::make_shared<FailingGpuFactory>([&](DeviceCall call, int before) {
            return call == stage && (before == 3 || before == 7) ? fault : DeviceFault::none;
          });
      MemoryJournal journal;
      EXPECT_TRUE(run_all(std::move(setup), 100, journal).complete);
      EXPECT_TRUE(kernel->verify().passed) << kernel->verify().what;
      EXPECT_EQ(journal.count<LostBlock>(), 2);
      EXPECT_EQ(journal.count<UnitLost>(), 0);
    }
  }
}

}  // namespace
}  // namespace equipoise::cuda_device_test
