// Three streams, one for each queue, and one for what is called back behind copies out.
#include "real/cuda/cuda_device.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <utility>

#include "real/block_copies.hpp"
#include "real/cuda/cuda_call.hpp"
#include "real/cuda/cuda_context.hpp"
#include "real/cuda/cuda_events.hpp"
#include "real/cuda/cuda_moments.hpp"
#include "real/gpu/host_copier.hpp"
#include "real/gpu/programs.hpp"
#include "real/threads/host_gate.hpp"
#include "real/threads/this_thread.hpp"

namespace equipoise {
namespace {

/// Functions that a thread of CUDA calls when the work before them has ended. Work behind them
/// waits for them. One thread uses it.
class HostCalls {
 public:
  HostCalls() = default;

  /// Puts `function`, which does not throw and does not use CUDA, into `stream`, which is `queue`
  /// or follows it. Throws as check_cuda does. A device that has failed for good may not call it.
  void put(Queue queue, cudaStream_t stream, std::function<void()> function) {
    std::deque<Call>& calls = calls_[static_cast<std::size_t>(queue)];
    while (!calls.empty() && calls.front().is_over.load(std::memory_order_acquire)) {
      calls.pop_front();  // they are over nearly in their order
    }
    Call& call = calls.emplace_back(gate_, std::move(function));
    const cudaError_t error = cudaLaunchHostFunc(stream, perform, &call);
    if (error == cudaSuccess) return;
    calls.pop_back();
    check_cuda(error, "cudaLaunchHostFunc");
  }
  /// To be called for a device that has failed for good. Waits for functions that are being called;
  /// no other one is called later. Keeps `calls` until the program ends, because CUDA may still
  /// try.
  static void give_up(std::unique_ptr<HostCalls> calls) {
    static std::mutex mutex;
    static auto& kept = *new std::vector<std::unique_ptr<HostCalls>>;  // never destroyed
    calls->gate_.abandon();
    for (std::deque<Call>& queue : calls->calls_) {
      for (Call& call : queue) call.function = nullptr;
    }
    const std::lock_guard<std::mutex> lock(mutex);
    kept.push_back(std::move(calls));
  }

 private:
  struct Call {
    Call(HostGate& closed_by, std::function<void()> called)
        : gate(closed_by), function(std::move(called)) {}

    HostGate& gate;
    std::function<void()> function;
    std::atomic<bool> is_over = false;
  };

  static void perform(void* call) noexcept {
    constexpr std::uint32_t open_epoch = 0;  // of a gate that was not closed
    auto& due = *static_cast<Call*>(call);
    due.gate.access(open_epoch, std::nullopt, due.function);
    due.is_over.store(true, std::memory_order_release);
  }

  HostGate gate_;
  std::array<std::deque<Call>, 3> calls_;  ///< of each queue, in order
};

/// Copies on the host of fewer bytes take less time than waking another thread, a few times over.
constexpr std::size_t own_thread_bytes_min = std::size_t{1} << 20;
/// The units of a GPU have CUDA's thread in common, where copies of one keep the others waiting.
constexpr std::size_t own_thread_bytes_min_of_part = std::size_t{128} << 10;
/// Parts of fewer bytes are gathered with others, not copied by themselves.
constexpr std::size_t direct_bytes_min = std::size_t{64} << 10;

/// What a device has of CUDA but memory. It ends when no other unit lives on the GPU.
struct CudaResources {
  CudaResources(std::shared_ptr<const CudaContext> of, std::shared_ptr<const Clock> clock)
      : context(std::move(of)),
        holds(context->pool()->host()),
        timeline(std::move(clock), context->make_stream()) {}
  ~CudaResources() { context->make_current(); }

  std::shared_ptr<const CudaContext> context;
  std::array<OwnedStream, 3> streams = {context->make_stream(), context->make_stream(),
                                        context->make_stream()};
  OwnedStream bell = context->make_stream();  ///< waits for the ends of copies out, and rings
  HoldWords holds;
  std::vector<HoldWordPtr> strays;  ///< which could not be put into a queue
  CudaTimeline timeline;
  std::deque<GpuProgram> programs;
};

class CudaDevice final : public Device {
 public:
  CudaDevice(const std::shared_ptr<const CudaContext>& context, const std::vector<int>& waiting,
             std::shared_ptr<const Clock> clock, bool copies_first)
      : stay_(std::make_unique<CudaStay>(context->pool())),
        resources_(open_resources(*stay_, context, std::move(clock))),
        memory_(std::make_unique<StagedMemory>(stay_->pool())),
        reads_host_(reads_host_memory(context->part().device)),
        own_thread_min_(context->part().some == nullptr ? own_thread_bytes_min
                                                        : own_thread_bytes_min_of_part),
        copiers_{std::make_unique<HostCopier>(waiting, copies_first),
                 std::make_unique<HostCopier>(waiting, copies_first)} {
    // The thread that calls functions of the host is CUDA's.
    put_call(Queue::in, [waiting] {
      pin_this_thread(waiting);
      wake_this_thread_on_time();
    });
  }

  ~CudaDevice() override {
    resources_->holds.let_all_go();
    const cudaError_t end = end_of_all_streams();
    if (end != cudaSuccess) HostCalls::give_up(std::move(calls_));
    copiers_ = {};  // before the memory that they copy
    staged_in_.clear();
    // A context of a part is for one thread at a time, and another one may end it.
    static_cast<void>(cudaSetDevice(resources_->context->part().device));
    if (end != cudaErrorNotReady) return;
    // The GPU may use all of it still, so nothing of it ends.
    static_cast<void>(memory_.release());
    static_cast<void>(stay_.release());
  }

  std::byte* allocate(std::size_t bytes) override { return memory_->allocate(bytes); }
  std::byte* allocate_on_host(std::size_t bytes) override {
    return memory_->allocate_on_host(bytes);
  }
  void release(std::byte* memory) override { memory_->release(memory); }

  void read_in_place(const FixedArray& array) override {
    if (array.bytes < direct_bytes_min) return;
    if (stay_->pool().host().register_array(array, reads_host_)) direct_.push_back(array);
  }

  /// What lies on the host is read by the program itself.
  DeviceProgram load(const Kernel& kernel) override {
    const GpuProgram& program = resources_->programs.emplace_back(make_gpu_program(kernel));
    program.load();
    return {[this, &program](const StagedBlock& block, std::size_t /*streamed_bytes*/,
                             const TicketPtr& /*ticket*/) {
              timeline().count(Queue::compute, program.commands(block.items));
              program.launch(Stream{stream(Queue::compute)}, block);
            },
            program.prepares_at_first_use};
  }

  void copy(Queue queue, std::vector<CopyPart> parts, const TicketPtr& ticket) override {
    if (is_copy_in(queue)) {
      copy_in(std::move(parts), ticket);
    } else {
      const std::vector<CopyPart> transfers = memory_->stage(parts, false);
      put_transfers(queue, transfers);
      copy_in_turn(queue, std::move(parts), ticket);
    }
  }

  EventPtr record(Queue queue) override { return timeline().record(queue, stream(queue)); }

  EventPtr hold(Queue queue) override {
    HoldWordPtr word = resources_->holds.take();
    timeline().count(queue);
    resources_->holds.stop(stream(queue), *word);
    return timeline().record(queue, stream(queue), std::move(word));
  }

  void let_go(DeviceEvent& held) override { static_cast<CudaMoment&>(held).let_go(); }

  void wait(Queue queue, const EventPtr& event) override {
    timeline().count(queue);
    check_cuda(cudaStreamWaitEvent(stream(queue), static_cast<const CudaMoment&>(*event).event()),
               "cudaStreamWaitEvent");
  }

  /// Work in the same stream would wait until the host has answered, some tens of microseconds for
  /// every block. Behind what is called back in other queues there is a stop anyway, see
  /// StageQueues.
  void call_back(Queue queue, std::function<void()> function) override {
    if (queue != Queue::out) return put_call(queue, std::move(function));
    const std::shared_ptr<CudaMoment> end = timeline().last(queue, stream(queue));
    const cudaStream_t bell = resources_->bell.get();
    timeline().count(queue, 2);
    check_cuda(cudaStreamWaitEvent(bell, end->event()), "cudaStreamWaitEvent");
    calls_->put(queue, bell, std::move(function));
  }

  bool is_full() const override { return resources_->timeline.is_full(); }

 private:
  /// They end when no unit lives on the GPU.
  static std::shared_ptr<CudaResources> open_resources(
      CudaStay& stay, const std::shared_ptr<const CudaContext>& context,
      std::shared_ptr<const Clock> clock) {
    auto resources = std::make_shared<CudaResources>(context, std::move(clock));
    stay.leave(resources);
    return resources;
  }

  /// Pinned bytes that are to be copied, and when that has ended.
  struct StagedCopy {
    const std::byte* begin;
    const std::byte* end;
    EventPtr copied;
  };

  /// Whether the GPU reads memory of the host through its page tables, as where both share it. That
  /// is expected to be as fast as reading what is registered.
  static bool reads_host_memory(int device) {
    int reads = 0;
    check_cuda(
        cudaDeviceGetAttribute(&reads, cudaDevAttrPageableMemoryAccessUsesHostPageTables, device),
        "cudaDeviceGetAttribute");
    return reads != 0;
  }

  /// Parts of arrays that the GPU reads by itself are copied from there, all others through pinned
  /// memory. Some have to go no further than there.
  void copy_in(std::vector<CopyPart> parts, const TicketPtr& ticket) {
    const auto staged = std::partition(parts.begin(), parts.end(), [this](const CopyPart& part) {
      return is_direct(part) && !memory_->is_on_host(part.to);
    });
    std::vector<CopyPart> gathered(staged, parts.end());
    parts.erase(staged, parts.end());
    put_transfers(Queue::in, parts);
    if (gathered.empty()) return;
    const bool stays_on_host = std::ranges::any_of(
        gathered, [this](const CopyPart& part) { return memory_->is_on_host(part.to); });
    const std::vector<CopyPart> transfers = memory_->stage(gathered, true);
    if (stays_on_host || is_still_staged(transfers)) {
      copy_in_turn(Queue::in, std::move(gathered), ticket);
    } else {
      gather_now(std::move(gathered), ticket);
    }
    put_transfers(Queue::in, transfers);
    const EventPtr copied = record(Queue::in);
    for (const CopyPart& transfer : transfers) {
      staged_in_.push_back({transfer.from, transfer.from + transfer.bytes, copied});
    }
  }

  [[nodiscard]] bool is_direct(const CopyPart& part) const {
    return part.bytes >= direct_bytes_min &&
           std::ranges::any_of(direct_, [&](const FixedArray& array) {
             return part.from >= array.begin.get() &&
                    part.from + part.bytes <= array.begin.get() + array.bytes;
           });
  }

  /// Whether pinned bytes of `transfers` have still to be copied to the GPU.
  [[nodiscard]] bool is_still_staged(const std::vector<CopyPart>& transfers) {
    while (!staged_in_.empty() && staged_in_.front().copied->happened()) staged_in_.pop_front();
    return std::ranges::any_of(transfers, [this](const CopyPart& transfer) {
      return std::ranges::any_of(staged_in_, [&](const StagedCopy& staged) {
        return transfer.from < staged.end && staged.begin < transfer.from + transfer.bytes;
      });
    });
  }

  /// A copy on the host, from its data if `queue` is that of copies in, that takes place if its
  /// block is still wanted then.
  static std::function<void()> guarded(Queue queue, std::vector<CopyPart> parts,
                                       const TicketPtr& ticket) {
    return [ticket, is_in = is_copy_in(queue), parts = std::move(parts)] {
      if (!ticket->is_wanted()) return;
      const auto copy = [&] { copy_on_host(parts); };
      is_in ? ticket->read_host(copy) : ticket->write_host(copy);
    };
  }

  /// Begins to copy `parts` on the host. What is put into Queue::in later begins when that has
  /// ended.
  void gather_now(std::vector<CopyPart> parts, const TicketPtr& ticket) {
    const bool is_small = bytes_of(parts) < own_thread_min_;
    const std::function<void()> copy = guarded(Queue::in, std::move(parts), ticket);
    if (is_small) {
      copy();
      return;
    }
    HoldWord* const word = stop_for_copy(Queue::in, resources_->holds.take());
    copiers_[0]->put([copy, word] {
      copy();
      word->let_go();
    });
  }

  /// Puts a copy of `parts`, which are all on the host, into `queue`. CUDA's thread makes small
  /// ones; for large ones it rings, and the queue stops until the queue's own thread has copied.
  void copy_in_turn(Queue queue, std::vector<CopyPart> parts, const TicketPtr& ticket) {
    const bool is_small = bytes_of(parts) < own_thread_min_;
    std::function<void()> copy = guarded(queue, std::move(parts), ticket);
    if (is_small) {
      put_call(queue, std::move(copy));
      return;
    }
    HoldWordPtr word = resources_->holds.take();
    HostCopier& copier = *copiers_[is_copy_in(queue) ? 0 : 1];
    put_call(queue, [&copier, copy = std::move(copy), word = word.get()] {
      copier.put([copy, word] {
        copy();
        word->let_go();
      });
    });
    static_cast<void>(stop_for_copy(queue, std::move(word)));
  }

  /// Stops `queue` until a copy on the host lets `word` go. The moment keeps the word until the
  /// device has passed it; the timeline keeps the moment.
  HoldWord* stop_for_copy(Queue queue, HoldWordPtr word) {
    HoldWord* const kept = word.get();
    timeline().count(queue);
    try {
      resources_->holds.stop(stream(queue), *word);
    } catch (...) {
      resources_->strays.push_back(std::move(word));  // a copy may still let it go
      throw;
    }
    static_cast<void>(timeline().record(queue, stream(queue), std::move(word)));
    return kept;
  }

  void put_transfers(Queue queue, const std::vector<CopyPart>& transfers) {
    timeline().count(queue, transfers.size());
    for (const CopyPart& transfer : transfers) {
      check_cuda(
          cudaMemcpyAsync(transfer.to, transfer.from, transfer.bytes,
                          is_copy_in(queue) ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost,
                          stream(queue)),
          "cudaMemcpyAsync");
    }
  }

  void put_call(Queue queue, std::function<void()> function) {
    timeline().count(queue);
    calls_->put(queue, stream(queue), std::move(function));
  }

  [[nodiscard]] static bool is_copy_in(Queue queue) { return queue == Queue::in; }

  [[nodiscard]] CudaTimeline& timeline() { return resources_->timeline; }

  [[nodiscard]] cudaStream_t stream(Queue queue) const {
    return resources_->streams[static_cast<std::size_t>(queue)].get();
  }

  /// Waits until all work has ended: cudaSuccess. Otherwise the device has failed, or, with
  /// cudaErrorNotReady, it does not answer.
  [[nodiscard]] cudaError_t end_of_all_streams() const {
    for (const OwnedStream& each : resources_->streams) {
      const cudaError_t end = end_of(each.get());
      if (end != cudaSuccess) return end;
    }
    return end_of(resources_->bell.get());
  }

  std::unique_ptr<CudaStay> stay_;
  std::shared_ptr<CudaResources> resources_;  ///< which the stay has, too
  std::unique_ptr<StagedMemory> memory_;
  bool reads_host_;
  std::size_t own_thread_min_;  ///< bytes of copies on the host that the unit's own threads make
  std::unique_ptr<HostCalls> calls_ = std::make_unique<HostCalls>();
  std::array<std::unique_ptr<HostCopier>, 2> copiers_;  ///< in, out
  std::deque<StagedCopy> staged_in_;  ///< pinned bytes that are not to be written before
  std::vector<FixedArray> direct_;    ///< which the GPU reads by itself
};

}  // namespace

std::unique_ptr<Device> open_cuda_device(const std::shared_ptr<const CudaContext>& context,
                                         const std::vector<int>& waiting,
                                         std::shared_ptr<const Clock> clock, bool copies_first) {
  return std::make_unique<CudaDevice>(context, waiting, std::move(clock), copies_first);
}

}  // namespace equipoise
