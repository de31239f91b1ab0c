// Stops in the queues of a CUDA device, which the host ends.
#pragma once

#include <cuda.h>
#include <cudaTypedefs.h>
#include <cuda_runtime_api.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "real/cuda/cuda_memory.hpp"

namespace equipoise {

class HoldWords;

/// A word of the host's memory that a device reads: a stop ends when it is 1.
class HoldWord {
 public:
  HoldWord(HoldWords& words, std::uint32_t* word) : words_(words), word_(word) {}
  HoldWord(const HoldWord&) = delete;
  HoldWord& operator=(const HoldWord&) = delete;
  /// The device has passed it, or will do no more work.
  ~HoldWord();

  /// Any thread may call it.
  void let_go() const;

 private:
  friend class HoldWords;

  HoldWords& words_;
  std::uint32_t* word_;
};
using HoldWordPtr = std::unique_ptr<HoldWord>;

/// The words of all stops of a device. Used by one thread. Outlives its words.
class HoldWords {
 public:
  /// For the current device. Throws as check_cuda does. `host` outlives it.
  explicit HoldWords(CudaHostMemory& host);

  /// A word that is not 1.
  [[nodiscard]] HoldWordPtr take();
  /// Puts a stop into `stream`, which ends when `word` is let go. Throws as check_cuda does.
  void stop(cudaStream_t stream, const HoldWord& word);
  /// Ends all stops.
  void let_all_go();

 private:
  friend class HoldWord;

  PFN_cuStreamWaitValue32_v11070 wait_for_value_ = nullptr;
  MappedWords<std::uint32_t> words_;
  std::vector<std::uint32_t*> free_;
};

}  // namespace equipoise
