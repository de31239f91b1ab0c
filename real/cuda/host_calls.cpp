// The calls of a queue are over nearly in their order, so the oldest are dropped first.
#include "real/cuda/host_calls.hpp"

#include <cstddef>
#include <mutex>
#include <utility>
#include <vector>

#include "real/cuda/cuda_call.hpp"

namespace equipoise {
namespace {

/// The epoch of a gate that was not closed.
constexpr std::uint32_t open_epoch = 0;

}  // namespace

void HostCalls::perform(void* call) noexcept {
  auto& due = *static_cast<Call*>(call);
  due.gate.access(open_epoch, due.function);
  due.is_over.store(true, std::memory_order_release);
}

void HostCalls::put(Queue queue, cudaStream_t stream, std::function<void()> function) {
  std::deque<Call>& calls = calls_[static_cast<std::size_t>(queue)];
  while (!calls.empty() && calls.front().is_over.load(std::memory_order_acquire)) {
    calls.pop_front();
  }
  Call& call = calls.emplace_back(gate_, std::move(function));
  const cudaError_t error = cudaLaunchHostFunc(stream, perform, &call);
  if (error == cudaSuccess) return;
  calls.pop_back();
  check_cuda(error, "cudaLaunchHostFunc");
}

void HostCalls::give_up(std::unique_ptr<HostCalls> calls) {
  static std::mutex mutex;
  static auto& kept = *new std::vector<std::unique_ptr<HostCalls>>;  // never destroyed
  calls->gate_.abandon();
  for (std::deque<Call>& queue : calls->calls_) {
    for (Call& call : queue) call.function = nullptr;
  }
  const std::lock_guard<std::mutex> lock(mutex);
  kept.push_back(std::move(calls));
}

}  // namespace equipoise
