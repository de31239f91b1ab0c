// The timers that a policy has set.
#pragma once

#include <cstdint>
#include <functional>
#include <queue>
#include <tuple>
#include <vector>

#include "shared_policies/model/measures.hpp"

namespace equipoise {

/// Timers, earliest first; of equal ones that which was set first.
class RunTimers {
 public:
  struct Timer {
    Seconds at;
    std::uint64_t order;
    std::uint64_t timer;
    bool operator>(const Timer& other) const {
      return std::tie(at, order) > std::tie(other.at, other.order);
    }
  };

  void set(Seconds at, std::uint64_t timer) {
    if (at < Seconds::infinity()) timers_.push({at, set_++, timer});
  }
  [[nodiscard]] bool empty() const { return timers_.empty(); }
  /// When the first one fires; infinity if there is none.
  [[nodiscard]] Seconds earliest() const {
    return timers_.empty() ? Seconds::infinity() : timers_.top().at;
  }
  /// Removes and returns the first one; there is one.
  [[nodiscard]] Timer take() {
    const Timer first = timers_.top();
    timers_.pop();
    return first;
  }

 private:
  std::priority_queue<Timer, std::vector<Timer>, std::greater<>> timers_;
  std::uint64_t set_ = 0;
};

}  // namespace equipoise
