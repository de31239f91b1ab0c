// Moments in the queues of a CUDA device, when they happened by the host's clock, and stops there,
// which the host ends.
#pragma once

#include <cudaTypedefs.h>
#include <cuda_runtime_api.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "real/cuda/cuda_context.hpp"
#include "real/cuda/cuda_events.hpp"
#include "real/cuda/cuda_memory.hpp"
#include "real/devices/device.hpp"
#include "real/gpu/device_clock.hpp"
#include "real/threads/clock.hpp"

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

/// An event of the device of which is known when it happened.
struct TimeBase {
  cudaEvent_t event;
  Seconds device{};       ///< by the device's clock, from the first one on
  Clock::TimePoint at{};  ///< by the host's
};
using TimeBasePtr = std::shared_ptr<TimeBase>;

class CudaTimeline;

/// A moment in a queue of a CUDA device.
class CudaMoment final : public DeviceEvent {
 public:
  CudaMoment(CudaTimeline& timeline, Queue queue, TimeBasePtr base, HoldWordPtr held);
  ~CudaMoment() override;

  std::optional<Seconds> happened() const override;
  [[nodiscard]] cudaEvent_t event() const { return event_; }
  /// Ends the stop that the moment is the end of. Any thread may call it.
  void let_go();

 private:
  friend class CudaTimeline;

  CudaTimeline& timeline_;
  Queue queue_;
  cudaEvent_t event_;
  std::uint64_t number_ = 0;  ///< the commands put into its queue so far, with its own
  std::atomic<Clock::TimePoint> earliest_ = Clock::TimePoint::clock::now();
  TimeBasePtr base_;
  HoldWordPtr held_;  ///< of the end of a stop; null otherwise
  std::optional<Clock::TimePoint> at_;
};

/// Records moments in the three queues of the current device, and turns their times into those of
/// the run's clock. Used by one thread. Outlives its moments.
///
/// The device measures the time between two events. A base event, of which the host knows when it
/// happened, is made anew about every second, because CUDA's times are floats. From the base events
/// the speed of the device's clock is known (DeviceClock).
class CudaTimeline {
 public:
  /// Nothing else uses `stream`. Throws as check_cuda does.
  CudaTimeline(std::shared_ptr<const Clock> clock, OwnedStream stream);

  /// To be called before `commands` are put into `queue`. Stops the program if there would be
  /// more than `commands_max` that have not ended.
  void count(Queue queue, std::uint64_t commands = 1);
  /// Whether some queue has more than `commands_full` of which is not known that they have ended.
  [[nodiscard]] bool is_full() const;
  /// Records the moment at which all work that is now in `queue`, which is `stream`, has ended.
  /// `held`: what keeps the queue until then, if it is a stop.
  [[nodiscard]] std::shared_ptr<CudaMoment> record(Queue queue, cudaStream_t stream,
                                                   HoldWordPtr held = nullptr);
  /// The last moment of `queue` if nothing was put there since, else `record`.
  [[nodiscard]] std::shared_ptr<CudaMoment> last(Queue queue, cudaStream_t stream);

 private:
  friend class CudaMoment;

  /// Whether `moment` has happened; sets its time. Throws as check_cuda does.
  bool has_happened(const CudaMoment& moment);
  void find_passed(Queue queue);
  void set_time(CudaMoment& moment, Clock::TimePoint now);
  [[nodiscard]] Seconds run_time(Clock::TimePoint at) const;
  /// Makes `base` the base.
  void take_base(TimeBasePtr base);
  /// The most exact of some measurements. Null if an event takes longer than `patience`.
  [[nodiscard]] TimeBasePtr make_base(int attempts, std::chrono::steady_clock::duration patience);

  std::shared_ptr<const Clock> clock_;
  OwnedStream stream_;  ///< of the base events
  CudaEventPool events_;
  TimeBasePtr base_;
  Clock::TimePoint next_base_;
  DeviceClock device_clock_;
  std::array<std::uint64_t, 3> put_{};               ///< commands, into each queue
  std::array<std::uint64_t, 3> passed_{};            ///< of these, at least so many have ended
  std::vector<std::shared_ptr<CudaMoment>> failed_;  ///< which could not be recorded
  std::array<std::deque<std::shared_ptr<CudaMoment>>, 3> unknown_;  ///< without a time, in order
  std::array<Clock::TimePoint, 3> last_{};  ///< the latest time in each queue
};

}  // namespace equipoise
