// Ends the stops in a device's queues when the stages that they prolong are due to end.
#pragma once

#include <array>
#include <condition_variable>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "real/devices/device.hpp"
#include "real/threads/clock.hpp"
#include "shared_policies/machine/step_function.hpp"

namespace equipoise {

/// A stage that is slowed down: a stop behind it keeps its queue busy.
struct HeldStage {
  Queue queue = Queue::in;
  const StepFunction* rate = nullptr;
  TicketPtr ticket;  ///< of its block; one that is not wanted any more is not held
  Seconds put_at;    ///< when it was put into the queue
  std::optional<Seconds>
      rang{};                    ///< when the work before the stop had ended, as its call back says
  std::optional<Seconds> due{};  ///< when that is to happen, as the device's events say
  DeviceEvent* end = nullptr;    ///< of the stop; null before that is in the queue
  bool has_ended = false;
};
using HeldStagePtr = std::shared_ptr<HeldStage>;

/// The stages of a device that are slowed down. A thread ends each stop when it is due. The driver
/// says when that is, by the device's events. If it does not, because a call of the device keeps it
/// waiting, which may itself wait for the stop, the stop ends a little later than is due by the
/// host's clock. So no stop lasts for ever on a device that calls back.
class HeldStages {
 public:
  /// The thread runs on `cores` (as the operating system numbers them). Throws BackendError if it
  /// cannot be started. `device` lives until `end`.
  HeldStages(Device& device, std::shared_ptr<const Clock> clock, const std::vector<int>& cores);
  /// Ends the thread. The device is not used any more; `ring` still may be called.
  void end() { thread_ = {}; }

  /// Adds a stage that was put into `queue` now.
  [[nodiscard]] HeldStagePtr add(Queue queue, const StepFunction& rate, TicketPtr ticket);
  /// The stop of `stage` is in the queue, and ends with `end`.
  void put_stop(HeldStage& stage, DeviceEvent& end);
  /// The work of `stage` has ended. Any thread may say so.
  void ring(HeldStage& stage);
  /// The work of `stage` took from `began` to `ended`.
  void set_times(HeldStage& stage, Seconds began, Seconds ended);
  /// Forgets `stage`, whose stop has ended or will never be used.
  void remove(const HeldStagePtr& stage);

 private:
  void live(const std::vector<int>& cores, const std::stop_token& stop);
  template <class Change>
  void wake_after(Change&& change);
  /// Ends all stops that are due. Returns when the next one is.
  Seconds end_due();
  [[nodiscard]] Seconds due_of(const HeldStage& stage) const;
  /// When the stop of `stage` is to end if its work took from `began` to `ended`.
  [[nodiscard]] static Seconds end_of(const HeldStage& stage, Seconds began, Seconds ended);

  Device& device_;
  std::shared_ptr<const Clock> clock_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::list<HeldStagePtr> stages_;     ///< in the order in which they were put in
  std::array<Seconds, 3> last_end_{};  ///< of a stop, in each queue
  bool has_changed_ = false;
  std::jthread thread_;
};

}  // namespace equipoise
