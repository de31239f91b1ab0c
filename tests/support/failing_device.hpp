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

#include "real/devices/device_worker.hpp"
#include "real/emulated/emulated_device.hpp"
#include "real/unit_memory.hpp"
#include "real/unit_spec.hpp"

namespace equipoise {

/// Copies that take no time beyond what the host's memory needs.
inline constexpr EmulatedFigures fast_copies{1e12, 1e12, Seconds{}, 2};

/// What a device is asked to do.
enum class DeviceCall : std::uint8_t { allocate, copy_in, launch, copy_out };

/// How a call fails.
enum class DeviceFault : std::uint8_t {
  none,
  refused,   ///< the call throws, and the device goes on
  later,     ///< the call returns, and its work fails
  for_good,  ///< the call throws, and the device does nothing any more
  stuck,     ///< the call returns, and its queue never gets to the end of it
  silent,    ///< the call returns, and the device has failed for good and never calls back
};

/// Decides how a call fails. Gets the call, and how many of its kind came before on this device.
using DeviceScript = std::function<DeviceFault(DeviceCall call, int before)>;

/// A device that does what another one does, except where its script says otherwise.
class FailingDevice final : public Device {
 public:
  /// `prepares`: its programs prepare themselves at their first use.
  FailingDevice(std::unique_ptr<Device> device, DeviceScript script, bool prepares = false)
      : device_(std::move(device)), script_(std::move(script)), prepares_(prepares) {}

  std::byte* allocate(std::size_t bytes) override {
    if (next_fault(DeviceCall::allocate) != DeviceFault::none) throw std::bad_alloc();
    return device_->allocate(bytes);
  }
  std::byte* allocate_on_host(std::size_t bytes) override {
    if (next_fault(DeviceCall::allocate) != DeviceFault::none) throw std::bad_alloc();
    return device_->allocate_on_host(bytes);
  }
  void release(std::byte* memory) override { device_->release(memory); }

  void read_in_place(const FixedArray& array) override { device_->read_in_place(array); }
  DeviceProgram load(const Kernel& kernel) override {
    return {[this, program = device_->load(kernel)](
                const StagedBlock& block, std::size_t streamed_bytes, const TicketPtr& ticket) {
              fail_or_do(DeviceCall::launch, Queue::compute, ticket,
                         [&] { program.launch(block, streamed_bytes, ticket); });
            },
            prepares_};
  }

  void copy(Queue queue, std::vector<CopyPart> parts, const TicketPtr& ticket) override {
    fail_or_do(queue == Queue::in ? DeviceCall::copy_in : DeviceCall::copy_out, queue, ticket,
               [&] { device_->copy(queue, std::move(parts), ticket); });
  }

  bool is_full() const override { return device_->is_full(); }

  EventPtr record(Queue queue) override {
    return std::make_shared<Moment>(device_->record(queue), is_silent_);
  }
  EventPtr hold(Queue queue) override { return device_->hold(queue); }
  void let_go(DeviceEvent& held) override { device_->let_go(held); }
  void wait(Queue queue, const EventPtr& event) override {
    const auto* const moment = dynamic_cast<const Moment*>(event.get());
    device_->wait(queue, moment == nullptr ? event : moment->event());
  }
  void call_back(Queue queue, std::function<void()> function) override {
    if (!is_silent_) device_->call_back(queue, std::move(function));
  }

 private:
  /// An event that throws when the device is silent.
  class Moment final : public DeviceEvent {
   public:
    Moment(EventPtr event, const bool& is_silent)
        : event_(std::move(event)), is_silent_(is_silent) {}
    std::optional<Seconds> happened() const override {
      if (is_silent_) throw std::runtime_error("the device fell silent");
      return event_->happened();
    }
    [[nodiscard]] const EventPtr& event() const { return event_; }

   private:
    EventPtr event_;
    const bool& is_silent_;
  };

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
      case DeviceFault::silent:
        is_silent_ = true;
        static_cast<void>(device_->hold(queue));
        return;
    }
  }

  std::unique_ptr<Device> device_;
  DeviceScript script_;
  bool prepares_;
  int calls_[4] = {};
  bool is_silent_ = false;
};

/// Makes emulated units whose devices follow `script`.
class FailingFactory final : public CoresFactory {
 public:
  FailingFactory(const EmulatedFigures& figures, DeviceScript script, bool prepares = false)
      : CoresFactory(1), figures_(figures), script_(std::move(script)), prepares_(prepares) {}

  double host_bytes(const Unit& unit, const Workload& workload) const override {
    return staged_bytes(workload, room_items(unit, workload));
  }
  std::unique_ptr<Worker> make_worker(WorkerSetup setup) const override {
    return make_device_worker(std::move(setup), [figures = figures_, script = script_,
                                                 prepares = prepares_](const WorkerSetup& of) {
      return std::make_unique<FailingDevice>(
          open_emulated_device(std::make_shared<EmulatedEngines>(figures, of.waiting, of.clock),
                               of.cores),
          script, prepares);
    });
  }

 private:
  EmulatedFigures figures_;
  DeviceScript script_;
  bool prepares_;
};

}  // namespace equipoise
