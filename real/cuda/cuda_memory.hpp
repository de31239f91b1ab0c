// Memory that CUDA allocates, which ends with its owner.
#pragma once

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "real/cuda/cuda_call.hpp"
#include "real/unit_memory.hpp"

namespace equipoise {

/// Memory of the current GPU.
class GpuMemory {
 public:
  /// Throws as check_cuda does.
  explicit GpuMemory(std::size_t bytes) {
    void* memory = nullptr;
    check_cuda(cudaMalloc(&memory, bytes + array_alignment), "cudaMalloc");
    memory_.reset(static_cast<std::byte*>(memory));
    const std::size_t past = reinterpret_cast<std::uintptr_t>(memory) % array_alignment;
    begin_ = memory_.get() + (array_alignment - past) % array_alignment;
  }

  /// Aligned to `array_alignment`.
  [[nodiscard]] std::byte* begin() const { return begin_; }

 private:
  struct Free {
    void operator()(std::byte* memory) const { static_cast<void>(cudaFree(memory)); }
  };

  std::unique_ptr<std::byte, Free> memory_;
  std::byte* begin_ = nullptr;
};

/// Frees pinned memory of the host.
struct FreePinned {
  void operator()(void* memory) const { static_cast<void>(cudaFreeHost(memory)); }
};

/// Pinned memory of the host, from and to which GPUs copy by themselves.
class PinnedMemory {
 public:
  /// Throws as check_cuda does.
  explicit PinnedMemory(std::size_t bytes) {
    void* memory = nullptr;
    check_cuda(cudaHostAlloc(&memory, bytes, cudaHostAllocDefault), "cudaHostAlloc");
    memory_.reset(static_cast<std::byte*>(memory));
  }

  [[nodiscard]] std::byte* begin() const { return memory_.get(); }

 private:
  std::unique_ptr<std::byte, FreePinned> memory_;
};

/// Words of the host's memory that the current GPU sees.
template <class Word>
class MappedWords {
 public:
  /// All are 0. Throws as check_cuda does.
  explicit MappedWords(std::size_t count) : count_(count) {
    void* memory = nullptr;
    check_cuda(cudaHostAlloc(&memory, count * sizeof(Word), cudaHostAllocMapped), "cudaHostAlloc");
    words_.reset(static_cast<Word*>(memory));
    std::fill_n(words_.get(), count, Word{});
    check_cuda(cudaHostGetDevicePointer(&memory, words_.get(), 0), "cudaHostGetDevicePointer");
    on_device_ = static_cast<Word*>(memory);
  }

  [[nodiscard]] std::size_t count() const { return count_; }
  [[nodiscard]] Word* begin() const { return words_.get(); }
  /// Where the GPU sees the words.
  [[nodiscard]] Word* on_device() const { return on_device_; }

 private:
  std::size_t count_;
  std::unique_ptr<Word, FreePinned> words_;
  Word* on_device_ = nullptr;
};

}  // namespace equipoise
