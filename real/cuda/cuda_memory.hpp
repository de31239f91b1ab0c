// Memory that CUDA allocates, kept for the units of a command line.
//
// What gives memory back is reported to wait for all work of a GPU, and to let no other call
// through meanwhile. A unit whose queue is stopped by the host would then never go on. So nothing
// is given back while a unit or a load lives on a GPU: what they no longer need is kept, for others
// and later runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "real/devices/device.hpp"
#include "real/kernels/kernel_data.hpp"

namespace equipoise {

/// A piece of memory that CUDA allocated.
struct CudaPiece {
  std::byte* begin = nullptr;
  std::size_t bytes = 0;
};

/// Pieces of memory of one sort that nobody uses now. Several threads may use it.
class CudaPieces {
 public:
  using Call = int (*)(void** memory, std::size_t bytes);  ///< returns a cudaError_t
  using End = int (*)(void* memory);

  /// `allocate` gets memory from CUDA and `end` gives it back; `name` is that of the call.
  CudaPieces(const char* name, Call allocate, End end)
      : name_(name), allocate_(allocate), end_(end) {}
  /// Gives all back to CUDA.
  ~CudaPieces() { end_all(); }

  /// Somebody begins to use pieces.
  void enter();
  /// Somebody has ended. Returns whether that was the last one.
  [[nodiscard]] bool leave();
  /// A piece of at least `bytes`: a kept one that is not much larger, or else a new one, or else
  /// any kept one. If there is none, and the caller is the only user, gives the kept ones back to
  /// CUDA and tries again. Throws as check_cuda does.
  [[nodiscard]] CudaPiece take(std::size_t bytes);
  void keep(const CudaPiece& piece);

 private:
  [[nodiscard]] CudaPiece take_kept(std::size_t bytes, std::size_t most_bytes);
  void end_all();

  const char* name_;
  Call allocate_;
  End end_;
  std::mutex mutex_;
  int users_ = 0;
  std::vector<CudaPiece> kept_;
};

/// What all GPUs of a command line share of the host: pinned memory, and arrays of kernels that are
/// registered, so that GPUs copy from them by themselves. Several threads may use it.
class CudaHostMemory {
 public:
  CudaHostMemory();
  /// No unit uses it any more.
  ~CudaHostMemory();

  /// A unit or load begins to live, or ends. When the last one has ended, arrays that no kernel has
  /// any more are given up.
  void enter() { pinned_.enter(); }
  void leave();
  [[nodiscard]] CudaPiece take(std::size_t bytes) { return pinned_.take(bytes); }
  void keep(const CudaPiece& piece) { pinned_.keep(piece); }
  /// Registers `array` for all GPUs unless it is, and keeps it until all units have ended. Returns
  /// whether GPUs can copy from it by themselves. `reads_host`: the GPU can where that is refused,
  /// too.
  [[nodiscard]] bool register_array(const FixedArray& array, bool reads_host);

 private:
  struct Array {
    FixedArray array;
    bool is_registered = false;
  };

  void give_up(const Array& array);

  std::mutex mutex_;
  std::map<const std::byte*, Array> arrays_;  ///< by their begins
  CudaPieces pinned_;
};

/// The memory of a GPU, for all units of a command line there, and what units that have ended
/// leave. Several threads may use it.
class CudaPool {
 public:
  CudaPool(int device, std::shared_ptr<CudaHostMemory> host);
  /// No unit uses it any more.
  ~CudaPool();

  [[nodiscard]] int device() const { return device_; }
  [[nodiscard]] CudaHostMemory& host() { return *host_; }
  /// Memory of the GPU, which is the current one.
  [[nodiscard]] CudaPiece take(std::size_t bytes) { return pieces_.take(bytes); }
  void keep(const CudaPiece& piece) { pieces_.keep(piece); }

 private:
  friend class CudaStay;

  void enter();
  void leave(std::shared_ptr<void> left);

  int device_;
  std::shared_ptr<CudaHostMemory> host_;
  std::mutex mutex_;
  std::vector<std::shared_ptr<void>> left_;  ///< by units that have ended, while others live
  CudaPieces pieces_;
};

/// A pool of its own for GPU `device`.
[[nodiscard]] std::shared_ptr<CudaPool> make_cuda_pool(int device);

/// While such an object lives, a unit, or a competing load, uses the GPU.
class CudaStay {
 public:
  explicit CudaStay(std::shared_ptr<CudaPool> pool) : pool_(std::move(pool)) { pool_->enter(); }
  CudaStay(const CudaStay&) = delete;
  CudaStay& operator=(const CudaStay&) = delete;
  /// What was left ends when nobody lives on the GPU any more.
  ~CudaStay() { pool_->leave(std::move(left_)); }

  [[nodiscard]] CudaPool& pool() const { return *pool_; }
  /// Keeps `object` until nobody lives on the GPU any more, because its end may wait for the GPU:
  /// streams, handles of libraries, contexts.
  void leave(std::shared_ptr<void> object) { left_ = std::move(object); }

 private:
  std::shared_ptr<CudaPool> pool_;
  std::shared_ptr<void> left_;
};

/// Memory that `Source` keeps, aligned to `array_alignment`.
template <class Source>
class KeptMemory {
 public:
  /// Throws as check_cuda does. `source` outlives it.
  KeptMemory(Source& source, std::size_t bytes) : memory_(nullptr, Keep{&source, 0}) {
    const CudaPiece piece = source.take(bytes + array_alignment);
    memory_ = {piece.begin, Keep{&source, piece.bytes}};
    const std::size_t past = reinterpret_cast<std::uintptr_t>(piece.begin) % array_alignment;
    begin_ = piece.begin + (array_alignment - past) % array_alignment;
  }

  [[nodiscard]] std::byte* begin() const { return begin_; }

 protected:
  /// The first byte of the piece, which may be before `begin`.
  [[nodiscard]] std::byte* piece() const { return memory_.get(); }

 private:
  struct Keep {
    Source* source;
    std::size_t bytes;
    void operator()(std::byte* memory) const { source->keep({memory, bytes}); }
  };

  std::unique_ptr<std::byte, Keep> memory_;
  std::byte* begin_ = nullptr;
};

/// Memory of a GPU.
using GpuMemory = KeptMemory<CudaPool>;

/// Pinned memory of the host, from and to which GPUs copy by themselves.
class PinnedMemory : public KeptMemory<CudaHostMemory> {
 public:
  using KeptMemory::KeptMemory;

  /// Where the current GPU sees it. Throws as check_cuda does.
  [[nodiscard]] std::byte* on_device() const;
};

/// Words of the host's memory that the current GPU sees.
template <class Word>
class MappedWords {
 public:
  /// All are 0. Throws as check_cuda does. `host` outlives it.
  MappedWords(CudaHostMemory& host, std::size_t count)
      : count_(count),
        memory_(host, count * sizeof(Word)),
        on_device_(reinterpret_cast<Word*>(memory_.on_device())) {
    for (std::size_t i = 0; i < count; ++i) begin()[i] = Word{};
  }

  [[nodiscard]] std::size_t count() const { return count_; }
  [[nodiscard]] Word* begin() const { return reinterpret_cast<Word*>(memory_.begin()); }
  /// Where the GPU sees the words.
  [[nodiscard]] Word* on_device() const { return on_device_; }

 private:
  std::size_t count_;
  PinnedMemory memory_;
  Word* on_device_;
};

/// The memory of a unit: on a GPU, where every byte has one in pinned memory, or in pinned memory
/// alone, where programs read it. All addresses are the GPU's.
class StagedMemory {
 public:
  /// `pool` outlives it.
  explicit StagedMemory(CudaPool& pool) : pool_(pool) {}

  /// Memory of the GPU. Throws as check_cuda does.
  [[nodiscard]] std::byte* allocate(std::size_t bytes);
  /// Pinned memory, which programs read over the bus. Throws as check_cuda does.
  [[nodiscard]] std::byte* allocate_on_host(std::size_t bytes);
  /// Releases what one of these returned.
  void release(std::byte* memory) { areas_.erase(memory); }
  /// Whether `memory` is of `allocate_on_host`.
  [[nodiscard]] bool is_on_host(const std::byte* memory) const;

  /// Puts the pinned memory in the place of the GPU's addresses in `parts`, copies to there or from
  /// there. Returns the transfers between it and memory of the GPU: one for all parts that follow
  /// one another with nothing but padding between them.
  [[nodiscard]] std::vector<CopyPart> stage(std::vector<CopyPart>& parts, bool is_in) const;

 private:
  struct Area {
    std::size_t bytes;
    std::optional<GpuMemory> on_device;  ///< none: the GPU reads the pinned memory
    PinnedMemory pinned;
  };
  using Areas = std::map<std::byte*, Area>;

  [[nodiscard]] const Areas::value_type& area_of(const std::byte* address) const;

  CudaPool& pool_;
  Areas areas_;  ///< by where the GPU sees their begins
};

}  // namespace equipoise
