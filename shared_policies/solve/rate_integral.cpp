// Integrates a piecewise-constant rate.
#include "shared_policies/solve/rate_integral.hpp"

#include <algorithm>

namespace equipoise {

RateIntegral::RateIntegral(const StepFunction& rate, Seconds start) {
  stretches_.push_back({0.0, rate.at(start), 0.0});
  for (const Seconds change : rate.changes()) {
    if (change <= start) continue;
    const Stretch& last = stretches_.back();
    const double from_s = (change - start).value;
    stretches_.push_back({from_s, rate.at(change), last.done + last.rate * (from_s - last.from_s)});
  }
}

double RateIntegral::over(double span_s) const {
  const auto after =
      std::upper_bound(stretches_.begin() + 1, stretches_.end(), span_s,
                       [](double s, const Stretch& stretch) { return s < stretch.from_s; });
  const Stretch& stretch = *(after - 1);
  return stretch.done + stretch.rate * (span_s - stretch.from_s);
}

}  // namespace equipoise
