// Times copies by events in two streams, one for each direction, and copies as blocks make them.
#include "real/cuda/cuda_device.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "real/cuda/cuda_call.hpp"
#include "real/cuda/cuda_context.hpp"
#include "real/cuda/cuda_events.hpp"
#include "real/cuda/cuda_memory.hpp"
#include "real/kernels/buffer.hpp"
#include "real/threads/clock.hpp"
#include "real/threads/host_gate.hpp"
#include "real/threads/this_thread.hpp"
#include "shared_policies/model/failure.hpp"

namespace equipoise {
namespace {

constexpr std::size_t copy_bytes_max = std::size_t{32} << 20;

/// The bytes that large copies have on the current device: what is free may be little.
std::size_t large_bytes() {
  std::size_t free_bytes = 0;
  std::size_t all_bytes = 0;
  check_cuda(cudaMemGetInfo(&free_bytes, &all_bytes), "cudaMemGetInfo");
  constexpr std::size_t least = std::size_t{64} << 10;
  return std::clamp(free_bytes / 8, least, copy_bytes_max);
}

/// One direction: memory on both sides, a stream, and the events around a copy.
class Direction {
 public:
  Direction(const CudaContext& context, std::size_t bytes, cudaMemcpyKind kind)
      : kind_(kind),
        device_(*context.pool(), bytes),
        pinned_(context.pool()->host(), bytes),
        stream_(context.make_stream()) {}

  void copy(std::size_t bytes) {
    const bool is_in = kind_ == cudaMemcpyHostToDevice;
    check_cuda(cudaEventRecord(begin_, stream_.get()), "cudaEventRecord");
    check_cuda(
        cudaMemcpyAsync(is_in ? device_.begin() : pinned_.begin(),
                        is_in ? pinned_.begin() : device_.begin(), bytes, kind_, stream_.get()),
        "cudaMemcpyAsync");
    check_cuda(cudaEventRecord(end_, stream_.get()), "cudaEventRecord");
  }

  void wait() const { await(end_); }

  /// From the begin of this direction's last copy to the end of that of `other`.
  [[nodiscard]] Seconds until_end_of(const Direction& other) const {
    return time_between(begin_, other.end_);
  }

 private:
  cudaMemcpyKind kind_;
  GpuMemory device_;
  PinnedMemory pinned_;
  CudaEventPool events_;
  cudaEvent_t begin_ = events_.take();
  cudaEvent_t end_ = events_.take();
  OwnedStream stream_;
};

/// Between the device and pinned memory of the host.
LinkRates measure_pinned(const CudaContext& context, std::size_t large) {
  Direction in(context, large, cudaMemcpyHostToDevice);
  Direction out(context, large, cudaMemcpyDeviceToHost);
  const auto copy = [&](std::size_t in_bytes, std::size_t out_bytes) {
    std::vector<Direction*> used;
    if (in_bytes > 0) used.push_back(&in);
    if (out_bytes > 0) used.push_back(&out);
    for (Direction* direction : used) direction->copy(direction == &in ? in_bytes : out_bytes);
    for (const Direction* direction : used) direction->wait();
    Seconds longest;
    for (const Direction* from : used) {
      for (const Direction* to : used) {
        longest = std::max(longest, from->until_end_of(*to));
      }
    }
    return longest;
  };
  return measure_link_rates(copy, large);
}

Seconds time_of(const EventPtr& event) {
  const auto begin = std::chrono::steady_clock::now();
  std::optional<Seconds> at;
  while (!(at = event->happened())) {
    if (std::chrono::steady_clock::now() - begin > gpu_patience) {
      throw BackendError("the GPU does not end a copy");
    }
    std::this_thread::sleep_for(gpu_poll);
  }
  return *at;
}

/// The same from and to other memory, through the device that units use, and as they do: input is
/// an array that the GPU reads in place.
LinkRates measure_staged(const std::shared_ptr<const CudaContext>& context, std::size_t large) {
  HostGate gate;
  const BufferOf<std::byte> in_host(large);
  std::vector<std::byte> out_host(large);
  const std::unique_ptr<Device> device =
      open_cuda_device(context, cores_of_this_thread(), make_steady_clock());
  device->read_in_place(in_host.fixed());
  std::byte* const in = device->allocate(large);
  std::byte* const out = device->allocate(large);
  const auto ticket = std::make_shared<BlockTicket>(gate);
  const auto copy = [&](std::size_t in_bytes, std::size_t out_bytes) {
    std::vector<EventPtr> begins;
    std::vector<EventPtr> ends;
    const auto put = [&](Queue queue, const CopyPart& part) {
      if (part.bytes == 0) return;
      begins.push_back(device->record(queue));
      device->copy(queue, {part}, ticket);
      ends.push_back(device->record(queue));
    };
    put(Queue::in, {in, in_host.data(), in_bytes});
    put(Queue::out, {out_host.data(), out, out_bytes});
    Seconds begin = Seconds::infinity();
    Seconds end;
    for (const EventPtr& event : begins) begin = std::min(begin, time_of(event));
    for (const EventPtr& event : ends) end = std::max(end, time_of(event));
    return end - begin;
  };
  return measure_link_rates(copy, large);
}

}  // namespace

LinkRates measure_cuda_link(const std::shared_ptr<CudaPool>& pool, CopyPath path) {
  const std::shared_ptr<const CudaContext> context = open_cuda_context({pool->device()}, pool);
  const std::size_t large = large_bytes();
  return path == CopyPath::pinned ? measure_pinned(*context, large)
                                  : measure_staged(context, large);
}

}  // namespace equipoise
