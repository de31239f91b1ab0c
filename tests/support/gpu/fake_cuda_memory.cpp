// The memory of the fake GPU. The host cannot touch it: its pages allow no access, and the bytes
// lie elsewhere.
#include <cuda_runtime_api.h>
#include <sys/mman.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <map>
#include <mutex>

#include "tests/support/gpu/fake_cuda.hpp"
#include "tests/support/gpu/fake_cuda_driver.hpp"

namespace {

using equipoise::fake_driver;
using equipoise::fake_state;

constexpr std::size_t page_bytes = 4096;
/// Where memory of the GPU begins in its first page: CUDA promises no more than that.
constexpr std::size_t past_page = 256;

std::size_t whole_pages(std::size_t bytes) { return (bytes / page_bytes + 1) * page_bytes; }

/// A range of addresses, and where its bytes lie.
struct Range {
  std::size_t bytes = 0;
  std::byte* behind = nullptr;
};

/// What ranges of memory there are, by their begin.
struct Ranges {
  std::mutex mutex;
  std::map<const std::byte*, Range> on_device;
  std::map<const std::byte*, Range> of_host;  ///< pinned or registered
};
Ranges& ranges() {
  static auto& kept = *new Ranges;
  return kept;
}

/// The range of `all` that contains `at`; null if none.
const std::pair<const std::byte* const, Range>* find(const std::map<const std::byte*, Range>& all,
                                                     const std::byte* at) {
  auto next = all.upper_bound(at);
  if (next == all.begin()) return nullptr;
  --next;
  return at < next->first + next->second.bytes ? &*next : nullptr;
}

void* pages(std::size_t bytes, int access) {
  void* const there =
      mmap(nullptr, bytes, access, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return there == MAP_FAILED ? nullptr : there;
}

/// Addresses of the GPU for `bytes` at `behind`.
void* addresses_for(std::byte* behind, std::size_t bytes) {
  void* const addresses = pages(bytes, PROT_NONE);
  Ranges& there = ranges();
  const std::lock_guard<std::mutex> lock(there.mutex);
  there.on_device[static_cast<std::byte*>(addresses)] = {bytes, behind};
  return addresses;
}

void forget_addresses(void* addresses) {
  Ranges& there = ranges();
  const std::lock_guard<std::mutex> lock(there.mutex);
  const auto found = there.on_device.find(static_cast<std::byte*>(addresses));
  munmap(addresses, found->second.bytes);
  there.on_device.erase(found);
}

/// Notes a copy of `bytes` from or to the host's memory at `on_host`. Returns whether the GPU makes
/// it by itself: only where memory is CUDA's own or registered.
bool is_for_gpu(const void* on_host, std::size_t bytes) {
  Ranges& there = ranges();
  const std::lock_guard<std::mutex> lock(there.mutex);
  const auto* const found = find(there.of_host, static_cast<const std::byte*>(on_host));
  if (found != nullptr && found->second.behind != nullptr) return true;  // CUDA's own
  if (found == nullptr && !fake_driver().reads_host_memory) return false;
  fake_driver().direct_bytes += bytes;
  return true;
}

/// Lets a large copy wait for others, as a test wants it.
void await_others(const CUstream_st& stream, std::size_t bytes) {
  constexpr std::size_t large = std::size_t{64} << 10;
  if (bytes < large) return;
  ++fake_driver().copies_under_way;
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  stream.await([give_up] {
    if (fake_driver().copies_under_way >= fake_driver().copies_wanted) return true;
    const bool is_over = std::chrono::steady_clock::now() > give_up;
    if (is_over) fake_driver().waited_in_vain = true;
    return is_over;
  });
}

}  // namespace

namespace equipoise {

std::byte* behind(const void* on_device) {
  const auto at = static_cast<const std::byte*>(on_device);
  Ranges& there = ranges();
  const std::lock_guard<std::mutex> lock(there.mutex);
  const auto* const found = find(there.on_device, at);
  return found == nullptr ? const_cast<std::byte*>(at) : found->second.behind + (at - found->first);
}

void free_fake_memory() {
  void* memory = nullptr;
  if (cudaMalloc(&memory, 100) == cudaSuccess) static_cast<void>(cudaFree(memory));
}

}  // namespace equipoise

cudaError_t cudaMalloc(void** memory, std::size_t bytes) {
  if (fake_driver().is_broken) return fake_state();
  if (bytes > fake_driver().memory_max) return cudaErrorMemoryAllocation;
  const std::size_t all = whole_pages(bytes + past_page);
  auto* const behind = static_cast<std::byte*>(pages(all, PROT_READ | PROT_WRITE));
  if (behind == nullptr) return cudaErrorMemoryAllocation;
  *memory = static_cast<std::byte*>(addresses_for(behind, all)) + past_page;
  return cudaSuccess;
}
cudaError_t cudaFree(void* memory) {
  return equipoise::alone_after_all_streams([memory] {
    ++fake_driver().frees;
    std::byte* const at = static_cast<std::byte*>(memory) - past_page;
    Range range;
    {
      Ranges& there = ranges();
      const std::lock_guard<std::mutex> lock(there.mutex);
      range = there.on_device.at(at);
    }
    forget_addresses(at);
    munmap(range.behind, range.bytes);
  });
}

cudaError_t cudaHostAlloc(void** memory, std::size_t bytes, unsigned /*flags*/) {
  if (fake_driver().is_broken) return fake_state();
  if (bytes > fake_driver().memory_max) return cudaErrorMemoryAllocation;
  auto* const pinned = static_cast<std::byte*>(std::aligned_alloc(page_bytes, whole_pages(bytes)));
  Ranges& there = ranges();
  const std::lock_guard<std::mutex> lock(there.mutex);
  there.of_host[pinned] = {whole_pages(bytes), pinned};
  *memory = pinned;
  return cudaSuccess;
}
cudaError_t cudaFreeHost(void* memory) {
  return equipoise::alone_after_all_streams([memory] {
    ++fake_driver().frees;
    Ranges& there = ranges();
    const std::lock_guard<std::mutex> lock(there.mutex);
    there.of_host.erase(static_cast<std::byte*>(memory));
    std::erase_if(there.on_device, [memory](const auto& range) {
      return range.second.behind == static_cast<std::byte*>(memory);
    });
    std::free(memory);
  });
}
cudaError_t cudaHostGetDevicePointer(void** on_device, void* on_host, unsigned /*flags*/) {
  auto* const behind = static_cast<std::byte*>(on_host);
  std::size_t bytes = 0;
  {
    Ranges& there = ranges();
    const std::lock_guard<std::mutex> lock(there.mutex);
    bytes = there.of_host.at(static_cast<const std::byte*>(on_host)).bytes;
    for (const auto& [at, range] : there.on_device) {
      if (range.behind == behind) *on_device = const_cast<std::byte*>(at);
      if (range.behind == behind) return fake_state();
    }
  }
  *on_device = addresses_for(behind, bytes);
  return fake_state();
}

cudaError_t cudaHostRegister(void* memory, std::size_t bytes, unsigned /*flags*/) {
  if (fake_driver().is_broken) return fake_state();
  if (!fake_driver().registers) return cudaErrorNotSupported;
  Ranges& there = ranges();
  const std::lock_guard<std::mutex> lock(there.mutex);
  const bool is_new =
      there.of_host.emplace(static_cast<std::byte*>(memory), Range{bytes, nullptr}).second;
  if (!is_new) return cudaErrorHostMemoryAlreadyRegistered;
  fake_driver().registered_bytes += bytes;
  return cudaSuccess;
}
cudaError_t cudaHostUnregister(void* memory) {
  return equipoise::alone_after_all_streams([memory] {
    ++fake_driver().frees;
    Ranges& there = ranges();
    const std::lock_guard<std::mutex> lock(there.mutex);
    const auto found = there.of_host.find(static_cast<std::byte*>(memory));
    fake_driver().registered_bytes -= found->second.bytes;
    there.of_host.erase(found);
  });
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  const void* const on_host = kind == cudaMemcpyHostToDevice ? from : to;
  // CUDA would copy it, but the caller would wait.
  if (!is_for_gpu(on_host, bytes)) return cudaErrorInvalidValue;
  const std::shared_lock<std::shared_mutex> lock(fake_driver().calls);
  return stream->put([to = equipoise::behind(to), from = equipoise::behind(from), bytes, stream] {
    await_others(*stream, bytes);
    std::memcpy(to, from, bytes);
  });
}
cudaError_t cudaMemsetAsync(void* to, int value, std::size_t bytes, cudaStream_t stream) {
  const std::shared_lock<std::shared_mutex> lock(fake_driver().calls);
  return stream->put([to = equipoise::behind(to), value, bytes] { std::memset(to, value, bytes); });
}
