// The amount of work that can be done from a given time on, at a changing rate.
#pragma once

#include <vector>

#include "shared_policies/machine/step_function.hpp"

namespace equipoise {

/// The integral of a rate from `start` on, as a function of the length of the span.
///
///     over(T) = integral of rate(t) dt for t from start to start + T
///
/// Non-decreasing in T. Spans are counted from `start`, so that a late start costs no precision. At
/// a constant rate it is exactly rate * T. O(log steps) for each call, O(steps) to construct.
class RateIntegral {
 public:
  /// The integral of the constant rate 1.
  RateIntegral() : RateIntegral(StepFunction{}, Seconds{}) {}
  RateIntegral(const StepFunction& rate, Seconds start);

  [[nodiscard]] double over(double span_s) const;

 private:
  struct Stretch {
    double from_s = 0.0;  // counted from `start`
    double rate = 1.0;    // until the next stretch begins
    double done = 0.0;    // before this stretch
  };
  std::vector<Stretch> stretches_;
};

}  // namespace equipoise
