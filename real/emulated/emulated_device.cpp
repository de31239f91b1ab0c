// Memory, queues of work, and a thread that computes; the engines copy.
#include "real/emulated/emulated_device.hpp"

#include <algorithm>
#include <cstddef>
#include <exception>
#include <functional>
#include <future>
#include <map>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "real/kernels/buffer.hpp"
#include "real/threads/this_thread.hpp"
#include "real/threads/thread_team.hpp"
#include "shared_policies/model/failure.hpp"

namespace equipoise {
namespace {

/// The largest part of resident data that is read at a time.
constexpr std::size_t streamed_part_bytes = std::size_t{1} << 20;

class EmulatedDevice final : public Device {
 public:
  EmulatedDevice(std::shared_ptr<EmulatedEngines> engines, const std::vector<int>& cores)
      : engines_(std::move(engines)) {
    engines_->attach(queues_);
    try {
      std::promise<void> up;
      std::future<void> is_up = up.get_future();
      computes_ = start_thread(
          "computations", [this, cores, up = std::move(up)]() mutable { compute_all(cores, up); });
      is_up.get();
    } catch (...) {
      stop();
      throw;
    }
  }

  ~EmulatedDevice() override { stop(); }

  std::byte* allocate(std::size_t bytes) override {
    BufferOf<std::byte> memory(bytes);
    std::byte* const begin = memory.data();
    memory_.emplace(begin, std::move(memory));
    return begin;
  }

  /// All memory is the host's; what programs read there, the bus reads, too.
  std::byte* allocate_on_host(std::size_t bytes) override { return allocate(bytes); }

  void release(std::byte* memory) override { memory_.erase(memory); }

  std::unique_ptr<DeviceProgram> load(const Kernel& kernel) override {
    class Program final : public DeviceProgram {
     public:
      Program(EmulatedDevice& device, const Kernel& kernel)
          : device_(device),
            program_(kernel.make_cpu_program()),
            resident_(kernel.data().resident) {}
      void launch(const StagedBlock& block, std::size_t streamed_bytes,
                  const TicketPtr& ticket) override {
        const EventPtr began = streamed_bytes > 0 ? device_.record(Queue::compute) : nullptr;
        device_.put(Queue::compute,
                    {.ticket = ticket, .compute = [program = program_, block](ThreadTeam& team) {
                       program->compute(block, team);
                     }});
        if (began) device_.stream(resident_, streamed_bytes, began, ticket);
      }

     private:
      EmulatedDevice& device_;
      std::shared_ptr<const CpuProgram> program_;
      std::vector<ResidentArray> resident_;
    };
    return std::make_unique<Program>(*this, kernel);
  }

  void copy(Queue queue, std::vector<CopyPart> parts, const TicketPtr& ticket) override {
    put(queue, {.ticket = ticket, .parts = std::move(parts)});
  }

  EventPtr record(Queue queue) override {
    auto moment = std::make_shared<EmulatedMoment>();
    put(queue, {.recorded = moment});
    return moment;
  }

  EventPtr hold(Queue queue) override {
    auto moment = std::make_shared<EmulatedMoment>();
    put(queue, {.awaited = moment, .holds = true});
    return moment;
  }

  void let_go(DeviceEvent& held) override { engines_->happen(static_cast<EmulatedMoment&>(held)); }

  void wait(Queue queue, const EventPtr& event) override { put(queue, {.awaited = event}); }

  void call_back(Queue queue, std::function<void()> function) override {
    put(queue, {.call = std::move(function)});
  }

 private:
  /// Reads `bytes` of the resident data from `began` on, the begin of a computation, which does not
  /// end before that has ended.
  void stream(const std::vector<ResidentArray>& resident, std::size_t bytes, const EventPtr& began,
              const TicketPtr& ticket) {
    if (scratch_ == nullptr) scratch_ = allocate(streamed_part_bytes);
    std::vector<CopyPart> parts;
    for (const ResidentArray& array : resident) {
      const std::size_t wanted = std::min(bytes, array.bytes);
      for (std::size_t at = 0; at < wanted; at += streamed_part_bytes) {
        parts.push_back({scratch_, array.data + at, std::min(streamed_part_bytes, wanted - at)});
      }
      bytes -= wanted;
    }
    wait(Queue::in, began);
    copy(Queue::in, std::move(parts), ticket);
    wait(Queue::compute, record(Queue::in));
  }

  void stop() {
    engines_->detach(queues_);
    if (computes_.joinable()) computes_.join();
  }

  void put(Queue queue, EmulatedWork work) { engines_->put(queues_, queue, std::move(work)); }

  void compute_all(const std::vector<int>& cores, std::promise<void>& up) {
    std::unique_ptr<ThreadTeam> team;
    try {
      team = std::make_unique<ThreadTeam>(cores);
    } catch (...) {
      up.set_exception(std::current_exception());
      return;
    }
    up.set_value();
    engines_->compute_all(queues_, [&](const EmulatedWork& work) {
      try {
        work.compute(*team);
      } catch (...) {
        work.ticket->fail(std::current_exception());
      }
      return engines_->clock()->now();
    });
  }

  std::shared_ptr<EmulatedEngines> engines_;
  std::map<std::byte*, BufferOf<std::byte>> memory_;
  std::byte* scratch_ = nullptr;  ///< where resident data go that are read with each block
  EmulatedQueues queues_;
  std::thread computes_;
};

}  // namespace

std::unique_ptr<Device> open_emulated_device(std::shared_ptr<EmulatedEngines> engines,
                                             const std::vector<int>& cores) {
  return std::make_unique<EmulatedDevice>(std::move(engines), cores);
}

}  // namespace equipoise
