// How often a policy looks at all units, or at all blocks, where many are there.
#pragma once

#include <cstddef>

#include "shared_policies/model/measures.hpp"

namespace equipoise {

/// Looks at all of n things. One is due after n / 32 events, so that what an event costs the master
/// does not grow with n, and, for the case that no event follows, when the iteration has become
/// older by a hundredth. Of up to 32 things, one is due at any time.
class Rounds {
 public:
  void begin_iteration(Seconds now) { began_ = due_at_ = now; }
  void count_event() { ++events_; }
  /// A look begins.
  void begin(Seconds now) {
    events_ = 0;
    due_at_ = now + older * (now - began_);
  }

  /// The events since the last look.
  [[nodiscard]] std::size_t events() const { return events_; }
  [[nodiscard]] bool is_due(std::size_t things, Seconds now) const {
    return things <= (events_ + 1) * things_an_event || now >= due_at_;
  }
  /// When one is due if no event follows.
  [[nodiscard]] Seconds due_at() const { return due_at_; }

 private:
  static constexpr std::size_t things_an_event = 32;
  static constexpr double older = 0.01;

  Seconds began_;  ///< the iteration
  Seconds due_at_;
  std::size_t events_ = 0;
};

}  // namespace equipoise
