// Accelerators that fail as a test tells them, around an emulated one.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "real/device_worker.hpp"
#include "real/emulated/emulated_device.hpp"
#include "real/emulated/emulated_unit.hpp"
#include "real/unit_factory.hpp"

namespace equipoise {

/// What a device is asked to do.
enum class DeviceCall : std::uint8_t { allocate, copy_in, launch, copy_out };

/// How a call fails.
enum class DeviceFault : std::uint8_t {
  none,
  refused,   ///< the call throws, and the device goes on
  later,     ///< the call returns, and its work fails
  for_good,  ///< the call throws, and the device does nothing any more
  stuck,     ///< the call returns, and its queue never gets to the end of it
};

/// Decides how a call fails. Gets the call, and how many of its kind came before on this device.
using DeviceScript = std::function<DeviceFault(DeviceCall call, int before)>;

/// A device that does what another one does, except where its script says otherwise.
class FailingDevice final : public Device {
 public:
  FailingDevice(std::unique_ptr<Device> device, DeviceScript script)
      : device_(std::move(device)), script_(std::move(script)) {}

  std::byte* allocate(std::size_t bytes) override {
    if (next_fault(DeviceCall::allocate) != DeviceFault::none) throw std::bad_alloc();
    return device_->allocate(bytes);
  }
  void release(std::byte* memory) override { device_->release(memory); }

  std::unique_ptr<DeviceProgram> load(const Kernel& kernel) override {
    class Program final : public DeviceProgram {
     public:
      Program(FailingDevice& device, std::unique_ptr<DeviceProgram> program)
          : device_(device), program_(std::move(program)) {}
      void launch(const StagedBlock& block, const TicketPtr& ticket) override {
        device_.fail_or_do(DeviceCall::launch, Queue::compute, ticket,
                           [&] { program_->launch(block, ticket); });
      }

     private:
      FailingDevice& device_;
      std::unique_ptr<DeviceProgram> program_;
    };
    return std::make_unique<Program>(*this, device_->load(kernel));
  }

  void copy(Queue queue, std::vector<CopyPart> parts, const TicketPtr& ticket) override {
    fail_or_do(queue == Queue::in ? DeviceCall::copy_in : DeviceCall::copy_out, queue, ticket,
               [&] { device_->copy(queue, std::move(parts), ticket); });
  }

  EventPtr record(Queue queue) override { return device_->record(queue); }
  EventPtr hold(Queue queue) override { return device_->hold(queue); }
  void let_go(const EventPtr& held) override { device_->let_go(held); }
  void wait(Queue queue, const EventPtr& event) override { device_->wait(queue, event); }
  void call_back(Queue queue, std::function<void()> function) override {
    device_->call_back(queue, std::move(function));
  }

 private:
  DeviceFault next_fault(DeviceCall call) {
    return script_(call, calls_[static_cast<std::size_t>(call)]++);
  }

  template <class Work>
  void fail_or_do(DeviceCall call, Queue queue, const TicketPtr& ticket, Work&& work) {
    switch (next_fault(call)) {
      case DeviceFault::none:
        return work();
      case DeviceFault::refused:
        throw BlockFailure("a scripted refusal");
      case DeviceFault::later:
        ticket->fail(std::make_exception_ptr(BlockFailure("a scripted failure")));
        return work();
      case DeviceFault::for_good:
        throw std::runtime_error("the device fell off the bus");
      case DeviceFault::stuck:
        static_cast<void>(device_->hold(queue));
        return;
    }
  }

  std::unique_ptr<Device> device_;
  DeviceScript script_;
  int calls_[4] = {};
};

/// Makes emulated units whose devices follow `script`.
class FailingFactory final : public UnitFactory {
 public:
  FailingFactory(const EmulatedFigures& figures, DeviceScript script)
      : figures_(figures), script_(std::move(script)), whole_(make_emulated_factory(figures, 1)) {}

  int cores() const override { return whole_->cores(); }
  bool has_program(const std::string& kernel) const override { return whole_->has_program(kernel); }
  double host_bytes(const Unit& unit, const Workload& workload) const override {
    return whole_->host_bytes(unit, workload);
  }
  UnitRates rates(const Unit& unit, double slowdown, const Scenario& scenario) const override {
    return whole_->rates(unit, slowdown, scenario);
  }
  std::unique_ptr<Worker> make_worker(WorkerSetup setup) const override {
    return make_device_worker(
        std::move(setup), [figures = figures_, script = script_](const WorkerSetup& of) {
          return std::make_unique<FailingDevice>(
              open_emulated_device(figures, of.cores, of.waiting, of.clock), script);
        });
  }
  std::unique_ptr<CompetingLoad> make_load(const Clock& clock, const Disturbance& event,
                                           const std::vector<int>& cores) const override {
    return whole_->make_load(clock, event, cores);
  }

 private:
  EmulatedFigures figures_;
  DeviceScript script_;
  std::shared_ptr<const UnitFactory> whole_;
};

}  // namespace equipoise
