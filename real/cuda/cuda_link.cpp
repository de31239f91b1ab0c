// Times copies by events in two streams, one for each direction.
#include "real/cuda/cuda_link.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <memory>
#include <thread>
#include <vector>

#include "real/cuda/cuda_call.hpp"
#include "real/cuda/cuda_moments.hpp"

namespace equipoise {
namespace {

constexpr std::size_t copy_bytes_max = std::size_t{32} << 20;
constexpr std::chrono::microseconds end_poll{50};

struct FreeOnDevice {
  void operator()(std::byte* memory) const { static_cast<void>(cudaFree(memory)); }
};
struct FreePinned {
  void operator()(std::byte* memory) const { static_cast<void>(cudaFreeHost(memory)); }
};

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
  Direction(std::size_t bytes, cudaMemcpyKind kind) : kind_(kind), users_(bytes) {
    void* memory = nullptr;
    check_cuda(cudaMalloc(&memory, bytes), "cudaMalloc");
    device_.reset(static_cast<std::byte*>(memory));
    check_cuda(cudaHostAlloc(&memory, bytes, cudaHostAllocDefault), "cudaHostAlloc");
    pinned_.reset(static_cast<std::byte*>(memory));
    std::memset(pinned_.get(), 0, bytes);
  }

  /// Enqueues a copy of `bytes`. If it is `staged`, a function of the host copies as well, as it
  /// does for blocks.
  void copy(std::size_t bytes, bool staged) {
    bytes_ = bytes;
    const bool is_in = kind_ == cudaMemcpyHostToDevice;
    check_cuda(cudaEventRecord(begin_, stream_.get()), "cudaEventRecord");
    if (staged && is_in) call_host();
    check_cuda(cudaMemcpyAsync(is_in ? device_.get() : pinned_.get(),
                               is_in ? pinned_.get() : device_.get(), bytes, kind_, stream_.get()),
               "cudaMemcpyAsync");
    if (staged && !is_in) call_host();
    check_cuda(cudaEventRecord(end_, stream_.get()), "cudaEventRecord");
  }

  void wait() const {
    cudaError_t answer = cudaErrorNotReady;
    while ((answer = cudaEventQuery(end_)) == cudaErrorNotReady) {
      std::this_thread::sleep_for(end_poll);
    }
    check_cuda(answer, "cudaEventQuery");
  }

  /// From the begin of this direction's last copy to the end of that of `other`.
  [[nodiscard]] double seconds_until_end_of(const Direction& other) const {
    float ms = 0.0F;
    check_cuda(cudaEventElapsedTime(&ms, begin_, other.end_), "cudaEventElapsedTime");
    return static_cast<double>(ms) * 1e-3;
  }

 private:
  void call_host() {
    const cudaHostFn_t touch = [](void* direction) {
      auto& self = *static_cast<Direction*>(direction);
      std::byte* const users = self.users_.data();
      std::byte* const pinned = self.pinned_.get();
      const bool is_in = self.kind_ == cudaMemcpyHostToDevice;
      std::memcpy(is_in ? pinned : users, is_in ? users : pinned, self.bytes_);
    };
    check_cuda(cudaLaunchHostFunc(stream_.get(), touch, this), "cudaLaunchHostFunc");
  }

  cudaMemcpyKind kind_;
  std::size_t bytes_ = 0;
  std::vector<std::byte> users_;
  std::unique_ptr<std::byte, FreeOnDevice> device_;
  std::unique_ptr<std::byte, FreePinned> pinned_;
  CudaEventPool events_;
  cudaEvent_t begin_ = events_.take();
  cudaEvent_t end_ = events_.take();
  OwnedStream stream_ = make_stream();
};

}  // namespace

DeviceLink measure_cuda_link(int device) {
  check_cuda(cudaSetDevice(device), "cudaSetDevice");
  const std::size_t bytes = large_bytes();
  Direction in(bytes, cudaMemcpyHostToDevice);
  Direction out(bytes, cudaMemcpyDeviceToHost);
  bool staged = false;
  const auto copy = [&](std::size_t in_bytes, std::size_t out_bytes) {
    std::vector<Direction*> used;
    if (in_bytes > 0) used.push_back(&in);
    if (out_bytes > 0) used.push_back(&out);
    for (Direction* direction : used) {
      direction->copy(direction == &in ? in_bytes : out_bytes, staged);
    }
    for (const Direction* direction : used) direction->wait();
    double longest_s = 0.0;
    for (const Direction* from : used) {
      for (const Direction* to : used) {
        longest_s = std::max(longest_s, from->seconds_until_end_of(*to));
      }
    }
    return Seconds{longest_s};
  };
  DeviceLink link;
  link.pinned = measure_link_rates(copy, bytes);
  staged = true;
  link.staged = measure_link_rates(copy, bytes);
  return link;
}

}  // namespace equipoise
