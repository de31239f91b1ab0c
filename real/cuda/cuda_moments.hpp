// Moments in the queues of a CUDA device, and when they happened by the host's clock.
#pragma once

#include <cuda_runtime_api.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <deque>
#include <memory>
#include <optional>

#include "real/cuda/cuda_context.hpp"
#include "real/cuda/cuda_events.hpp"
#include "real/cuda/cuda_hold.hpp"
#include "real/devices/device.hpp"
#include "real/threads/clock.hpp"

namespace equipoise {

/// An event of the device of which is known when it happened on the host.
struct TimeBase {
  cudaEvent_t event;
  Clock::TimePoint at{};
};
using TimeBasePtr = std::shared_ptr<const TimeBase>;

class CudaTimeline;

/// A moment in a queue of a CUDA device.
class CudaMoment final : public DeviceEvent {
 public:
  CudaMoment(CudaTimeline& timeline, Queue queue, TimeBasePtr base, HoldWordPtr held);
  ~CudaMoment() override;

  std::optional<Seconds> happened() const override;
  [[nodiscard]] cudaEvent_t event() const { return event_; }
  /// Ends the stop that the moment is the end of.
  void let_go();

 private:
  friend class CudaTimeline;

  CudaTimeline& timeline_;
  Queue queue_;
  cudaEvent_t event_;
  Clock::TimePoint earliest_ = Clock::TimePoint::clock::now();
  TimeBasePtr base_;
  HoldWordPtr held_;  ///< of the end of a stop; null otherwise
  std::optional<Clock::TimePoint> at_;
};

/// Records moments in the three queues of the current device, and turns their times into those of
/// the run's clock. Used by one thread. Outlives its moments.
///
/// The device measures the time between two events. A base event, of which the host knows when it
/// happened, is made anew about every second: so neither the difference of the two clocks' speeds
/// nor the precision of CUDA's times, which are floats, matters.
class CudaTimeline {
 public:
  /// Nothing else uses `stream`. Throws as check_cuda does.
  CudaTimeline(std::shared_ptr<const Clock> clock, OwnedStream stream);

  /// Records the moment at which all work that is now in `queue`, which is `stream`, has ended.
  /// `held`: what keeps the queue until then, if it is a stop.
  [[nodiscard]] std::shared_ptr<CudaMoment> record(Queue queue, cudaStream_t stream,
                                                   HoldWordPtr held = nullptr);

 private:
  friend class CudaMoment;

  /// Whether `moment` has happened; sets its time. Throws as check_cuda does.
  bool has_happened(const CudaMoment& moment);
  void set_time(CudaMoment& moment, Clock::TimePoint now);
  [[nodiscard]] Seconds run_time(Clock::TimePoint at) const;
  /// The most exact of some measurements. Null if an event takes longer than `patience`.
  [[nodiscard]] TimeBasePtr make_base(int attempts, std::chrono::steady_clock::duration patience);

  std::shared_ptr<const Clock> clock_;
  OwnedStream stream_;  ///< of the base events
  CudaEventPool events_;
  TimeBasePtr base_;
  Clock::TimePoint next_base_;
  std::array<std::deque<std::shared_ptr<CudaMoment>>, 3> unknown_;  ///< without a time, in order
  std::array<Clock::TimePoint, 3> last_{};  ///< the latest time in each queue
};

}  // namespace equipoise
