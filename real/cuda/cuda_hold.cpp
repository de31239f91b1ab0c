// Stops are words of the host's memory for which a stream waits.
#include "real/cuda/cuda_hold.hpp"

#include <atomic>
#include <cstddef>

#include "real/cuda/cuda_call.hpp"
#include "real/cuda/driver_function.hpp"
#include "real/devices/device.hpp"
#include "shared_policies/model/failure.hpp"

namespace equipoise {
namespace {

/// Every block in a device's queues has up to four stages, each with a stop at its end, and stops
/// in copies. There are a few more, because the words of some copies come back late.
constexpr std::size_t words_max = 12 * blocks_in_queues_max;

void store(std::uint32_t* word, std::uint32_t value) {
  std::atomic_ref(*word).store(value, std::memory_order_seq_cst);
}

}  // namespace

HoldWord::~HoldWord() { words_.free_.push_back(word_); }

void HoldWord::let_go() const { store(word_, 1); }

HoldWords::HoldWords(CudaHostMemory& host) : words_(host, words_max) {
  find_driver_function("cuStreamWaitValue32", 11070, wait_for_value_);
  for (std::size_t i = 0; i < words_max; ++i) free_.push_back(words_.begin() + i);
}

HoldWordPtr HoldWords::take() {
  EQ_CHECK(!free_.empty(), "there is a word for every stop");
  auto word = std::make_unique<HoldWord>(*this, free_.back());
  free_.pop_back();
  store(word->word_, 0);
  return word;
}

void HoldWords::stop(cudaStream_t stream, const HoldWord& word) {
  const std::uint32_t* const on_device = words_.on_device() + (word.word_ - words_.begin());
  check_driver(
      wait_for_value_(stream, reinterpret_cast<CUdeviceptr>(on_device), 1, CU_STREAM_WAIT_VALUE_EQ),
      "cuStreamWaitValue32");
}

void HoldWords::let_all_go() {
  for (std::size_t i = 0; i < words_max; ++i) store(words_.begin() + i, 1);
}

}  // namespace equipoise
