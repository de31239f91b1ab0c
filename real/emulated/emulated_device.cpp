// Memory, queues of work, and a thread that computes; the engines copy.
#include "real/emulated/emulated_device.hpp"

#include <exception>
#include <functional>
#include <future>
#include <map>
#include <string>
#include <thread>
#include <utility>

#include "real/kernels/buffer.hpp"
#include "real/threads/this_thread.hpp"
#include "real/threads/thread_team.hpp"
#include "shared_policies/model/failure.hpp"

namespace equipoise {
namespace {

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

  void release(std::byte* memory) override { memory_.erase(memory); }

  std::unique_ptr<DeviceProgram> load(const Kernel& kernel) override {
    class Program final : public DeviceProgram {
     public:
      Program(EmulatedDevice& device, std::shared_ptr<const CpuProgram> program)
          : device_(device), program_(std::move(program)) {}
      void launch(const StagedBlock& block, const TicketPtr& ticket) override {
        device_.put(Queue::compute,
                    {.ticket = ticket, .compute = [program = program_, block](ThreadTeam& team) {
                       program->compute(block, team);
                     }});
      }

     private:
      EmulatedDevice& device_;
      std::shared_ptr<const CpuProgram> program_;
    };
    return std::make_unique<Program>(*this, kernel.make_cpu_program());
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
  EmulatedQueues queues_;
  std::thread computes_;
};

}  // namespace

std::unique_ptr<Device> open_emulated_device(std::shared_ptr<EmulatedEngines> engines,
                                             const std::vector<int>& cores) {
  return std::make_unique<EmulatedDevice>(std::move(engines), cores);
}

}  // namespace equipoise
