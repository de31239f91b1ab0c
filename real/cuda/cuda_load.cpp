// A thread keeps launches of the load in a stream, and ends them by a word that the GPU reads.
#include "real/cuda/cuda_device.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

#include "real/cuda/cuda_call.hpp"
#include "real/cuda/cuda_context.hpp"
#include "real/cuda/cuda_events.hpp"
#include "real/cuda/cuda_memory.hpp"
#include "real/gpu/programs.hpp"
#include "real/threads/this_thread.hpp"
#include "shared_policies/model/failure.hpp"

namespace equipoise {
namespace {

/// How long a launch lasts: long compared with kernels, for whose end the next launch has to wait,
/// and short compared with what a driver allows a kernel where a GPU also has a screen.
constexpr std::chrono::milliseconds launch_span{100};
/// How often the thread looks for launches that have ended.
constexpr std::chrono::milliseconds look{5};

/// How long the end of a load waits for the GPU, on which another kernel may hang. Units have ended
/// before.
constexpr std::chrono::seconds end_patience{10};

/// Words of the host's memory that the GPU sees: one that stops the load, and for each block of
/// threads how long it was busy. The one that all read shares no line with those that are written.
class LoadWords {
 public:
  LoadWords(CudaHostMemory& host, int blocks)
      : words_(host, times_at + static_cast<std::size_t>(blocks)) {}

  /// What the GPU gets, but for the span of a launch.
  [[nodiscard]] CompetingBlocks for_device(std::size_t shared_bytes) const {
    return {.count = static_cast<unsigned>(words_.count() - times_at),
            .shared_bytes = shared_bytes,
            .span_ns = std::chrono::nanoseconds(launch_span).count(),
            .stops = words_.on_device(),
            .busy_ns = words_.on_device() + times_at};
  }
  void stop() { std::atomic_ref(words_.begin()[0]).store(1); }
  /// The sum over all blocks.
  [[nodiscard]] double busy_s() const {
    double sum_ns = 0.0;
    for (std::size_t i = times_at; i < words_.count(); ++i) {
      sum_ns += static_cast<double>(std::atomic_ref(words_.begin()[i]).load());
    }
    return sum_ns * 1e-9;
  }

 private:
  static constexpr std::size_t times_at = 16;  ///< 128 bytes behind the first word

  MappedWords<std::uint64_t> words_;
};

/// The blocks of threads that keep `share` of `sms` SMs busy.
int blocks_of(double share, int sms) {
  return std::clamp(static_cast<int>(std::lround(share * sms)), 1, std::max(1, sms - 1));
}

class CudaLoad final : public CompetingLoad {
 public:
  CudaLoad(const GpuPart& part, const Clock& clock, Seconds at, Seconds until, double share,
           std::shared_ptr<CudaPool> pool)
      : CompetingLoad(clock, at, until),
        part_(part),
        pool_(std::move(pool)),
        blocks_(blocks_of(share, part.sms)),
        thread_(start_thread("a competing load",
                             [this](const std::stop_token& stop) { live(stop); })) {}

 private:
  /// What the thread has of the GPU. A green context is for one thread alone.
  struct Launches {
    Launches(const GpuPart& part, const std::shared_ptr<CudaPool>& pool) : context(part, pool) {
      load_compete();
      check_cuda(cudaDeviceGetAttribute(&shared_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin,
                                        part.device),
                 "cudaDeviceGetAttribute");
    }

    ~Launches() { context.make_current(); }

    CudaContext context;
    OwnedStream stream = context.make_stream();
    CudaEventPool events;
    /// Of the last launches. The next one is in the stream before one ends.
    std::array<cudaEvent_t, 2> ended = {events.take(), events.take()};
    int shared_bytes = 0;  ///< the most that a block can have
  };

  double taken_s() const override {
    const std::lock_guard<std::mutex> lock(mutex_);
    return (words_ ? words_->busy_s() : busy_s_) / part_.sms;
  }

  void live(const std::stop_token& stop) {
    try {
      auto stay = std::make_unique<CudaStay>(pool_);
      const auto launches = std::make_shared<Launches>(part_, pool_);
      stay->leave(launches);  // they end when no unit lives on the GPU
      auto words = std::make_unique<LoadWords>(pool_->host(), blocks_);
      {
        const std::lock_guard<std::mutex> lock(mutex_);
        words_ = std::move(words);
      }
      keep_busy(*launches, stop);
      end(std::move(stay), *launches);
    } catch (
        const std::exception&) {  // the load had no share; if the GPU has failed, its unit says so
    }
  }

  /// Launches until the load is to end, or until a launch fails.
  void keep_busy(Launches& launches, const std::stop_token& stop) {
    try {
      bool goes_on = sleep_until(begin_, stop);
      for (auto now = begin_; goes_on && now < end_; now = Clock::TimePoint::clock::now()) {
        launch_more(launches);
        goes_on = sleep_until(std::min(now + look, end_), stop);
      }
    } catch (const std::exception&) {  // the share says how long it went well
    }
    words_->stop();
  }

  /// Puts a launch behind those in the stream if there are few.
  void launch_more(const Launches& launches) {
    for (const cudaEvent_t ended : launches.ended) {
      if (!has_passed(ended)) continue;
      launch_compete(Stream{launches.stream.get()},
                     words_->for_device(static_cast<std::size_t>(launches.shared_bytes)));
      check_cuda(cudaEventRecord(ended, launches.stream.get()), "cudaEventRecord");
    }
  }

  /// Waits until all launches have ended, or for a while: what the GPU may still use then is left
  /// behind.
  void end(std::unique_ptr<CudaStay> stay, const Launches& launches) {
    const bool is_over = end_of(launches.stream.get(), end_patience) != cudaErrorNotReady;
    const std::lock_guard<std::mutex> lock(mutex_);
    busy_s_ = words_->busy_s();
    if (!is_over) {
      static_cast<void>(words_.release());
      static_cast<void>(stay.release());
      return;
    }
    words_.reset();
  }

  GpuPart part_;
  std::shared_ptr<CudaPool> pool_;
  int blocks_;
  std::unique_ptr<LoadWords> words_;  ///< while the thread has launches
  double busy_s_ = 0.0;               ///< of all blocks, afterwards
  std::jthread thread_;
};

}  // namespace

std::unique_ptr<CompetingLoad> start_cuda_load(const GpuPart& part, const Clock& clock, Seconds at,
                                               Seconds until, double share,
                                               std::shared_ptr<CudaPool> pool) {
  EQ_CHECK(share > 0.0 && share <= competing_share_max, "a load leaves something");
  return std::make_unique<CudaLoad>(part, clock, at, until, share, std::move(pool));
}

}  // namespace equipoise
