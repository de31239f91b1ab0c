// Three streams, one for each queue.
#include "real/cuda/cuda_device.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <new>
#include <thread>
#include <utility>

#include "real/cuda/cuda_call.hpp"
#include "real/cuda/cuda_context.hpp"
#include "real/cuda/cuda_events.hpp"
#include "real/cuda/cuda_hold.hpp"
#include "real/cuda/cuda_memory.hpp"
#include "real/cuda/cuda_moments.hpp"
#include "real/cuda/host_calls.hpp"
#include "real/gpu/host_copier.hpp"
#include "real/gpu/programs.hpp"
#include "real/threads/this_thread.hpp"
#include "real/unit_memory.hpp"
#include "shared_policies/model/failure.hpp"

namespace equipoise {
namespace {

/// Copies of fewer bytes take less time than waking another thread, a few times over.
constexpr std::size_t own_thread_bytes_min = std::size_t{1} << 20;
/// The most memory for blocks when a library is used for the first time.
constexpr std::size_t use_once_bytes_max = std::size_t{1} << 30;

void copy_all(const std::vector<CopyPart>& parts) {
  for (const CopyPart& part : parts) std::memcpy(part.to, part.from, part.bytes);
}

/// Memory of the GPU, and as much pinned memory of the host.
class StagedMemory {
 public:
  /// Throws as check_cuda does.
  explicit StagedMemory(std::size_t bytes) : bytes_(bytes), device_(bytes), pinned_(bytes) {}

  [[nodiscard]] std::byte* begin() const { return device_.begin(); }
  /// The pinned bytes for those at `on_device`; null if these are not of this memory.
  [[nodiscard]] std::byte* pinned(const std::byte* on_device) const {
    const std::ptrdiff_t offset = on_device - begin();
    return offset >= 0 && static_cast<std::size_t>(offset) < bytes_ ? pinned_.begin() + offset
                                                                    : nullptr;
  }

 private:
  std::size_t bytes_;
  GpuMemory device_;
  PinnedMemory pinned_;
};

class CudaDevice final : public Device {
 public:
  CudaDevice(std::shared_ptr<const CudaContext> context, const std::vector<int>& waiting,
             std::shared_ptr<const Clock> clock)
      : context_(std::move(context)),
        copiers_{std::make_unique<HostCopier>(waiting), std::make_unique<HostCopier>(waiting)},
        timeline_(std::move(clock), context_->make_stream()) {
    // The thread that calls functions of the host is CUDA's.
    calls_->put(Queue::in, stream(Queue::in), [waiting] {
      pin_this_thread(waiting);
      wake_this_thread_on_time();
    });
  }

  ~CudaDevice() override {
    holds_.let_all_go();
    if (!has_ended()) HostCalls::give_up(std::move(calls_));
    copiers_ = {};  // before the memory that they copy
  }

  std::byte* allocate(std::size_t bytes) override {
    StagedMemory memory(bytes);
    std::byte* const begin = memory.begin();
    memory_.emplace(begin, std::move(memory));
    return begin;
  }

  void release(std::byte* memory) override { memory_.erase(memory); }

  std::unique_ptr<DeviceProgram> load(const Kernel& kernel) override {
    class Program final : public DeviceProgram {
     public:
      Program(GpuProgram& program, Stream stream) : program_(program), stream_(stream) {}
      void launch(const StagedBlock& block, const TicketPtr& /*ticket*/) override {
        program_.enqueue(block, stream_);
      }

     private:
      GpuProgram& program_;
      Stream stream_;
    };
    programs_.push_back(make_gpu_program(kernel));
    if (programs_.back()->prepares_at_first_use()) use_once(*programs_.back(), kernel);
    return std::make_unique<Program>(*programs_.back(), Stream{stream(Queue::compute)});
  }

  void copy(Queue queue, std::vector<CopyPart> parts, const TicketPtr& ticket) override {
    const bool is_in = is_copy_in(queue);
    const std::vector<CopyPart> transfers = stage(parts, is_in);
    if (is_in) copy_on_host(queue, parts, ticket);
    for (const CopyPart& transfer : transfers) {
      check_cuda(
          cudaMemcpyAsync(transfer.to, transfer.from, transfer.bytes,
                          is_in ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost, stream(queue)),
          "cudaMemcpyAsync");
    }
    if (!is_in) copy_on_host(queue, parts, ticket);
  }

  EventPtr record(Queue queue) override { return timeline_.record(queue, stream(queue)); }

  EventPtr hold(Queue queue) override {
    HoldWordPtr word = holds_.take();
    holds_.stop(stream(queue), *word);
    return timeline_.record(queue, stream(queue), std::move(word));
  }

  void let_go(const EventPtr& held) override { static_cast<CudaMoment&>(*held).let_go(); }

  void wait(Queue queue, const EventPtr& event) override {
    check_cuda(cudaStreamWaitEvent(stream(queue), static_cast<const CudaMoment&>(*event).event()),
               "cudaStreamWaitEvent");
  }

  void call_back(Queue queue, std::function<void()> function) override {
    calls_->put(queue, stream(queue), std::move(function));
  }

 private:
  /// Computes blocks of several sizes, of zeros, as large as there is memory for. What a library
  /// prepares then would later be taken for the time of a block, and might wait for a queue that is
  /// stopped.
  void use_once(GpuProgram& program, const Kernel& kernel) {
    const KernelData& data = kernel.data();
    const auto bytes_for = [&](Items items) { return UnitMemory::bytes_for_one(data, items); };
    Items most = 1;
    while (2 * most <= kernel.workload().items &&
           bytes_for(2 * most) - bytes_for(0) <= use_once_bytes_max) {
      most *= 2;
    }
    for (; most > 0; most /= 2) {
      try {
        compute_zeros(program, data, most);
        return;
      } catch (const std::bad_alloc&) {  // half of it may fit
      }
    }
  }

  /// Blocks of 1, 2, 4, ... up to `most` items.
  void compute_zeros(GpuProgram& program, const KernelData& data, Items most) {
    const std::size_t bytes = UnitMemory::bytes_for_one(data, most);
    const GpuMemory memory(bytes);
    check_cuda(cudaMemsetAsync(memory.begin(), 0, bytes, stream(Queue::compute)),
               "cudaMemsetAsync");
    UnitMemory places;
    places.begin_phase(data, memory.begin(), bytes, most);
    for (Items items = 1; items <= most; items *= 2) {
      const Block block{.items = items};
      StagedBlock staged;
      EQ_CHECK(places.place(block, staged), "there is memory for the largest block");
      places.release(block, true);
      program.enqueue(staged, Stream{stream(Queue::compute)});
    }
    check_cuda(end_of(stream(Queue::compute)), "the first use of a library");
  }

  /// Puts a copy of `parts`, which are all on the host, into `queue`. CUDA's thread makes small ones;
  /// for large ones it rings, and the queue stops until the queue's own thread has copied.
  void copy_on_host(Queue queue, const std::vector<CopyPart>& parts, const TicketPtr& ticket) {
    std::size_t bytes = 0;
    for (const CopyPart& part : parts) bytes += part.bytes;
    auto copy = [ticket, parts] {
      if (ticket->is_wanted()) ticket->access_host([&] { copy_all(parts); });
    };
    if (bytes < own_thread_bytes_min) {
      calls_->put(queue, stream(queue), std::move(copy));
      return;
    }
    std::deque<EventPtr>& copied = copied_[is_copy_in(queue) ? 0 : 1];
    while (!copied.empty() && copied.front()->happened()) copied.pop_front();
    HoldWordPtr word = holds_.take();
    HostCopier& copier = *copiers_[is_copy_in(queue) ? 0 : 1];
    calls_->put(queue, stream(queue), [&copier, copy = std::move(copy), word = word.get()] {
      copier.put([copy, word] {
        copy();
        word->let_go();
      });
    });
    holds_.stop(stream(queue), *word);
    copied.push_back(timeline_.record(queue, stream(queue), std::move(word)));
  }

  [[nodiscard]] static bool is_copy_in(Queue queue) { return queue == Queue::in; }

  [[nodiscard]] cudaStream_t stream(Queue queue) const {
    return streams_[static_cast<std::size_t>(queue)].get();
  }

  [[nodiscard]] std::byte* pinned(const std::byte* on_device) const {
    for (const auto& [begin, memory] : memory_) {
      if (std::byte* const found = memory.pinned(on_device)) return found;
    }
    EQ_CHECK(false, "copies are to and from memory of the device");
    return nullptr;
  }

  /// Puts the pinned memory in the place of the device's in `parts`. Returns the transfers between
  /// the two: one for all parts that follow one another with nothing but padding between them.
  [[nodiscard]] std::vector<CopyPart> stage(std::vector<CopyPart>& parts, bool is_in) const {
    std::vector<CopyPart> transfers;
    for (CopyPart& part : parts) {
      const std::byte* const on_device = is_in ? part.to : part.from;
      std::byte* const on_host = pinned(on_device);
      CopyPart transfer = part;
      (is_in ? transfer.from : part.from) = on_host;
      (is_in ? part.to : transfer.to) = on_host;
      if (transfers.empty() || !extend(transfers.back(), transfer)) transfers.push_back(transfer);
    }
    return transfers;
  }

  /// Makes `last` end where `next` ends. Returns false if `next` is not just behind it. Arrays begin
  /// at multiples of `array_alignment`, so less than that is padding.
  static bool extend(CopyPart& last, const CopyPart& next) {
    const std::ptrdiff_t gap = next.to - (last.to + last.bytes);
    const bool is_behind = gap >= 0 && gap < static_cast<std::ptrdiff_t>(array_alignment) &&
                           next.to - last.to == next.from - last.from;
    if (is_behind) last.bytes += static_cast<std::size_t>(gap) + next.bytes;
    return is_behind;
  }

  /// Waits until all work has ended. Returns false if the device has failed.
  [[nodiscard]] bool has_ended() const {
    return std::ranges::all_of(
        streams_, [](const OwnedStream& stream) { return end_of(stream.get()) == cudaSuccess; });
  }

  std::shared_ptr<const CudaContext> context_;
  std::array<OwnedStream, 3> streams_ = {context_->make_stream(), context_->make_stream(),
                                         context_->make_stream()};
  std::unique_ptr<HostCalls> calls_ = std::make_unique<HostCalls>();
  std::array<std::unique_ptr<HostCopier>, 2> copiers_;  ///< in, out
  HoldWords holds_;
  CudaTimeline timeline_;
  /// When a queue has passed the stop of a copy, whose word is not to be used again before: in, out.
  std::array<std::deque<EventPtr>, 2> copied_;
  std::map<std::byte*, StagedMemory> memory_;
  std::vector<std::unique_ptr<GpuProgram>> programs_;  ///< end when all work has ended
};

}  // namespace

std::unique_ptr<Device> open_cuda_device(std::shared_ptr<const CudaContext> context,
                                         const std::vector<int>& waiting,
                                         std::shared_ptr<const Clock> clock) {
  return std::make_unique<CudaDevice>(std::move(context), waiting, std::move(clock));
}

}  // namespace equipoise
