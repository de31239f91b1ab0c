// What happened and was not reported, in the order in which executors report.
#pragma once

#include <vector>

#include "shared_policies/model/event.hpp"
#include "shared_policies/model/measures.hpp"

namespace equipoise {

/// Events of an executor, earliest first; at one time finishes, losses, joins, then by unit, then
/// by block. O(log n).
class EventQueue {
 public:
  [[nodiscard]] bool empty() const { return heap_.empty(); }
  /// The time of the earliest; infinity when there is none.
  [[nodiscard]] Seconds earliest() const {
    return heap_.empty() ? Seconds::infinity() : heap_.front().at;
  }
  /// `event` is a BlockFinished, UnitLost or UnitJoined.
  void push(const Event& event);
  /// Takes the earliest out; there is one.
  [[nodiscard]] Event pop();

 private:
  std::vector<Event> heap_;  ///< the earliest on top
};

}  // namespace equipoise
