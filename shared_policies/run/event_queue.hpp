// The events of an executor that were not reported yet, in the order in which they have to be
// reported.
#pragma once

#include <cstdint>
#include <variant>
#include <vector>

#include "shared_policies/model/event.hpp"
#include "shared_policies/model/measures.hpp"

namespace equipoise {

/// Whether a unit reports `event`, which is not that it is lost or joins.
[[nodiscard]] inline bool is_report(const Event& event) {
  return !std::holds_alternative<UnitLost>(event.what) &&
         !std::holds_alternative<UnitJoined>(event.what);
}

/// Events of an executor, earliest first. At equal times: finishes, late ends, probes, losses,
/// joins; within each by unit, then by block or probe. push and pop take O(log n).
class EventQueue {
 public:
  [[nodiscard]] bool empty() const { return heap_.empty(); }
  /// The time of the earliest event, or infinity if there is none.
  [[nodiscard]] Seconds earliest() const {
    return heap_.empty() ? Seconds::infinity() : heap_.front().at;
  }
  /// `event` is a BlockFinished, LateEnd, Probed, UnitLost or UnitJoined.
  void push(const Event& event);
  /// Whether there is a BlockFinished with this Block::original(). O(n).
  [[nodiscard]] bool has_finished(std::uint64_t original) const;
  /// Removes and returns the earliest event. The queue must not be empty.
  [[nodiscard]] Event pop();

 private:
  std::vector<Event> heap_;  ///< a heap with the earliest event at the front
};

}  // namespace equipoise
