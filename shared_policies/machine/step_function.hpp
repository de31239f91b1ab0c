// A piecewise-constant function of time: speeds and bandwidths as changed by a scenario.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "shared_policies/model/measures.hpp"

namespace equipoise {

/// f(t) for t >= 0, piecewise constant and never negative. A new function is 1 everywhere.
class StepFunction {
 public:
  /// Multiplies f by `factor` >= 0 on [from, until).
  void multiply(Seconds from, Seconds until, double factor);
  /// Sets f to `factor` >= 0 on [from, infinity).
  void become(Seconds from, double factor);

  [[nodiscard]] double at(Seconds time) const;
  /// Whether f is 1 everywhere.
  [[nodiscard]] bool is_one() const { return steps_.size() == 1 && steps_.front().factor == 1.0; }
  /// The times > 0 at which f changes, ascending.
  [[nodiscard]] std::vector<Seconds> changes() const;

  /// The earliest time at which the integral of f since `from`, the work done in seconds of
  /// undisturbed work, is `work`; infinite if that is never reached. Exactly from + work if f is 1
  /// throughout.
  [[nodiscard]] Seconds end_of(Seconds from, Seconds work) const;
  /// The time that `work` takes when started at `from`; exactly `work` if f is 1 everywhere.
  [[nodiscard]] Seconds span_of(Seconds from, Seconds work) const {
    return is_one() ? work : end_of(from, work) - from;
  }

 private:
  struct Step {
    Seconds from;
    double factor = 1.0;
  };
  [[nodiscard]] std::size_t step_of(Seconds time) const;
  /// Makes `time` the beginning of a step and returns the step's position.
  std::size_t split(Seconds time);

  std::vector<Step> steps_{{Seconds{}, 1.0}};  ///< ascending; each step lasts until the next begins
};

/// f(t) = of(parts_1(t), ..., parts_n(t)), never negative.
[[nodiscard]] StepFunction combined(const std::vector<StepFunction>& parts,
                                    const std::function<double(std::span<const double>)>& of);

/// f(t) = a(t) b(t).
[[nodiscard]] StepFunction product(const StepFunction& a, const StepFunction& b);

}  // namespace equipoise
