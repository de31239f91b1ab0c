// Keeps memory instead of giving it back to CUDA.
#include "real/cuda/cuda_memory.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>

#include "real/cuda/cuda_call.hpp"
#include "shared_policies/model/failure.hpp"

namespace equipoise {
namespace {

/// A kept piece is not taken for less than this share of it while there is other memory.
constexpr std::size_t larger_by_most = 2;

int allocate_on_device(void** memory, std::size_t bytes) { return cudaMalloc(memory, bytes); }
int end_on_device(void* memory) { return cudaFree(memory); }
int allocate_on_host(void** memory, std::size_t bytes) {
  return cudaHostAlloc(memory, bytes, cudaHostAllocPortable | cudaHostAllocMapped);
}
int end_on_host(void* memory) { return cudaFreeHost(memory); }

}  // namespace

void CudaPieces::enter() {
  const std::lock_guard<std::mutex> lock(mutex_);
  ++users_;
}

bool CudaPieces::leave() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return --users_ == 0;
}

CudaPiece CudaPieces::take(std::size_t bytes) {
  constexpr std::size_t any = ~std::size_t{0};
  const std::size_t whole = std::max(in_whole_pages(bytes), array_alignment);
  const std::lock_guard<std::mutex> lock(mutex_);
  if (const CudaPiece kept = take_kept(whole, larger_by_most * whole); kept.begin) return kept;
  const auto allocate = [&](void*& memory) {
    return static_cast<cudaError_t>(allocate_(&memory, whole));
  };
  void* memory = nullptr;
  cudaError_t error = allocate(memory);
  if (error == cudaErrorMemoryAllocation) {
    static_cast<void>(cudaGetLastError());
    if (const CudaPiece kept = take_kept(whole, any); kept.begin) return kept;
    if (users_ <= 1 && !kept_.empty()) {
      end_all();
      error = allocate(memory);
    }
  }
  check_cuda(error, name_);
  return {static_cast<std::byte*>(memory), whole};
}

void CudaPieces::keep(const CudaPiece& piece) {
  const std::lock_guard<std::mutex> lock(mutex_);
  kept_.push_back(piece);
}

/// The smallest kept piece of `bytes` to `most_bytes`; none: null.
CudaPiece CudaPieces::take_kept(std::size_t bytes, std::size_t most_bytes) {
  auto best = kept_.end();
  for (auto piece = kept_.begin(); piece != kept_.end(); ++piece) {
    if (piece->bytes < bytes || piece->bytes > most_bytes) continue;
    if (best == kept_.end() || piece->bytes < best->bytes) best = piece;
  }
  if (best == kept_.end()) return {};
  const CudaPiece taken = *best;
  kept_.erase(best);
  return taken;
}

void CudaPieces::end_all() {
  for (const CudaPiece& piece : kept_) static_cast<void>(end_(piece.begin));
  kept_.clear();
}

CudaHostMemory::CudaHostMemory() : pinned_("cudaHostAlloc", allocate_on_host, end_on_host) {}

CudaHostMemory::~CudaHostMemory() {
  for (const auto& [begin, array] : arrays_) give_up(array);
}

void CudaHostMemory::leave() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!pinned_.leave()) return;
  std::erase_if(arrays_, [this](const auto& entry) {
    const bool is_ours_alone = entry.second.array.begin.use_count() == 1;
    if (is_ours_alone) give_up(entry.second);
    return is_ours_alone;
  });
}

bool CudaHostMemory::register_array(const FixedArray& array, bool reads_host) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto [entry, is_new] = arrays_.try_emplace(array.begin.get(), Array{array});
  bool& is_registered = entry->second.is_registered;
  if (is_new) {
    void* const memory = const_cast<std::byte*>(array.begin.get());
    const cudaError_t error =
        cudaHostRegister(memory, in_whole_pages(array.bytes), cudaHostRegisterPortable);
    is_registered = error == cudaSuccess;
    if (!is_registered) static_cast<void>(cudaGetLastError());  // copies go through pinned memory
  }
  return is_registered || reads_host;
}

void CudaHostMemory::give_up(const Array& array) {
  if (!array.is_registered) return;
  static_cast<void>(cudaHostUnregister(const_cast<std::byte*>(array.array.begin.get())));
}

CudaPool::CudaPool(int device, std::shared_ptr<CudaHostMemory> host)
    : device_(device),
      host_(std::move(host)),
      pieces_("cudaMalloc", allocate_on_device, end_on_device) {}

CudaPool::~CudaPool() = default;

void CudaPool::enter() {
  host_->enter();
  const std::lock_guard<std::mutex> lock(mutex_);  // what was left ends before
  pieces_.enter();
}

void CudaPool::leave(std::shared_ptr<void> left) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (left) left_.push_back(std::move(left));
    if (pieces_.leave()) left_.clear();
  }
  host_->leave();
}

std::shared_ptr<CudaPool> make_cuda_pool(int device) {
  return std::make_shared<CudaPool>(device, std::make_shared<CudaHostMemory>());
}

std::byte* PinnedMemory::on_device() const {
  void* memory = nullptr;
  check_cuda(cudaHostGetDevicePointer(&memory, piece(), 0), "cudaHostGetDevicePointer");
  return static_cast<std::byte*>(memory) + (begin() - piece());
}

namespace {

/// Makes `last` end where `next` ends. Returns false if `next` is not just behind it. Arrays begin
/// at multiples of `array_alignment`, so less than that is padding.
bool extend(CopyPart& last, const CopyPart& next) {
  const std::ptrdiff_t gap = next.to - (last.to + last.bytes);
  const bool is_behind = gap >= 0 && gap < static_cast<std::ptrdiff_t>(array_alignment) &&
                         next.to - last.to == next.from - last.from;
  if (is_behind) last.bytes += static_cast<std::size_t>(gap) + next.bytes;
  return is_behind;
}

}  // namespace

std::byte* StagedMemory::allocate(std::size_t bytes) {
  GpuMemory on_device(pool_, bytes);
  std::byte* const begin = on_device.begin();
  areas_.emplace(begin, Area{bytes, std::move(on_device), PinnedMemory(pool_.host(), bytes)});
  return begin;
}

std::byte* StagedMemory::allocate_on_host(std::size_t bytes) {
  PinnedMemory pinned(pool_.host(), bytes);
  std::byte* const begin = pinned.on_device();
  areas_.emplace(begin, Area{bytes, std::nullopt, std::move(pinned)});
  return begin;
}

bool StagedMemory::is_on_host(const std::byte* memory) const {
  return !area_of(memory).second.on_device;
}

const StagedMemory::Areas::value_type& StagedMemory::area_of(const std::byte* address) const {
  const auto found = std::ranges::find_if(areas_, [&](const auto& entry) {
    const std::ptrdiff_t offset = address - entry.first;
    return offset >= 0 && static_cast<std::size_t>(offset) < entry.second.bytes;
  });
  EQ_CHECK(found != areas_.end(), "copies are to and from memory of the device");
  return *found;
}

std::vector<CopyPart> StagedMemory::stage(std::vector<CopyPart>& parts, bool is_in) const {
  std::vector<CopyPart> transfers;
  for (CopyPart& part : parts) {
    const std::byte* const address = is_in ? part.to : part.from;
    const auto& [begin, area] = area_of(address);
    std::byte* const on_host = area.pinned.begin() + (address - begin);
    CopyPart transfer = part;
    (is_in ? transfer.from : part.from) = on_host;
    (is_in ? part.to : transfer.to) = on_host;
    if (!area.on_device) continue;
    if (transfers.empty() || !extend(transfers.back(), transfer)) transfers.push_back(transfer);
  }
  return transfers;
}

}  // namespace equipoise
