// What the parts of the stand-in for CUDA's library share: its state, streams and events. Each
// stream is a thread that works off a queue.
#pragma once

#include <cuda_runtime_api.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <thread>

namespace equipoise {

/// A context: a GPU, or a part of it (a green context, as a CUcontext); null for a whole GPU.
struct FakeContext {
  int device = 0;
  const void* part = nullptr;

  friend bool operator==(const FakeContext&, const FakeContext&) = default;
};

/// The context of the calling thread.
[[nodiscard]] FakeContext& fake_current();

/// The state of the fake driver.
struct FakeDriver {
  std::atomic<bool> is_broken = false;
  std::atomic<int> devices = 1;
  std::atomic<std::size_t> memory_max = std::size_t{16} << 20;
  std::atomic<int> version = 0;  ///< 0: that of the build, or 12050 if that is older
  std::atomic<int> load_sms = 0;
  std::atomic<int> commands = 1;                ///< of a block
  std::atomic<bool> registers = true;           ///< host memory can be registered
  std::atomic<bool> reads_host_memory = false;  ///< at full speed, without registering
  std::atomic<int> frees = 0;                   ///< how often memory was freed or unregistered
  std::atomic<std::size_t> registered_bytes = 0;
  std::atomic<std::size_t> direct_bytes = 0;  ///< copied from memory that is not CUDA's own
  std::atomic<int> copies_wanted = 0;         ///< large copies wait until so many are under way
  std::atomic<int> copies_under_way = 0;
  std::atomic<bool> waited_in_vain = false;  ///< one of them did
  /// Streams that work, or are about to find out whether they may.
  std::atomic<int> working = 0;
  /// What frees memory takes it alone, and waits for all streams meanwhile. All other calls that
  /// ask or command a stream share it.
  std::shared_mutex calls;
  /// CUDA calls functions of the host one at a time.
  std::mutex host_functions;
};
[[nodiscard]] FakeDriver& fake_driver();

/// What every call returns: an error if the GPU is broken.
[[nodiscard]] cudaError_t fake_state();

/// Waits until all work of all streams has ended, and calls `change` while no other call gets
/// through.
cudaError_t alone_after_all_streams(const std::function<void()>& change);

/// The host's bytes behind memory of the fake GPU; the same pointer for other memory.
[[nodiscard]] std::byte* behind(const void* on_device);

}  // namespace equipoise

struct CUevent_st {
  struct Record {
    std::atomic<bool> is_there = false;
    double at_ms = 0.0;
  };

  equipoise::FakeContext context = equipoise::fake_current();
  std::shared_ptr<Record> record;  ///< null: never recorded
};

struct CUstream_st {
 public:
  explicit CUstream_st(const equipoise::FakeContext& context);
  CUstream_st(const CUstream_st&) = delete;
  CUstream_st& operator=(const CUstream_st&) = delete;
  ~CUstream_st();

  /// Puts `work` into the queue. As CUDA does, waits while the queue holds 1,000 commands, and
  /// refuses a thread whose current context is another.
  cudaError_t put(std::function<void()> work);
  [[nodiscard]] bool is_idle();
  [[nodiscard]] const equipoise::FakeContext& context() const { return context_; }

  /// Waits for something that another thread does.
  template <class Ready>
  void await(const Ready& ready) const {
    while (!ready() && !stops_ && !equipoise::fake_driver().is_broken) {
      std::this_thread::sleep_for(std::chrono::microseconds(20));
    }
  }

 private:
  void work();

  equipoise::FakeContext context_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> works_;
  std::atomic<bool> stops_ = false;
  std::thread thread_;
};
