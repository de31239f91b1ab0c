// How much can be done from some time on, at a rate that changes.
#pragma once

#include <vector>

#include "shared_policies/machine/step_function.hpp"

namespace equipoise {

/// The integral of a rate from `start` on, as a function of how long it goes on.
///
///     over(T) = integral of rate(t) dt for t from start to start + T
///
/// Non-decreasing in T. Spans are counted from `start`, so a late start costs no digits; at a rate
/// that never changes it is exactly rate * T. O(log steps) each, O(steps) to make.
class RateIntegral {
 public:
  /// Of the rate 1.
  RateIntegral() : RateIntegral(StepFunction{}, Seconds{}) {}
  RateIntegral(const StepFunction& rate, Seconds start);

  [[nodiscard]] double over(double span_s) const;

 private:
  struct Stretch {
    double from_s = 0.0;  // since `start`
    double rate = 1.0;    // until the next stretch begins
    double done = 0.0;    // before this one
  };
  std::vector<Stretch> stretches_;
};

}  // namespace equipoise
