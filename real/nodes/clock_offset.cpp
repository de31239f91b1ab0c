// Differences of clocks: the quickest exchange of each second, and a line through those of the last
// minute.
#include "real/nodes/clock_offset.hpp"

#include <algorithm>
#include <cmath>

namespace equipoise {
namespace {

constexpr double span_ns = 1e9;
constexpr std::size_t spans_max = 60;
/// A clock that differs faster from another one than this is none: 200 us in a second.
constexpr double drift_max = 2e-4;

}  // namespace

void ClockOffset::add(std::int64_t left_ns, std::int64_t there_ns, std::int64_t back_ns) {
  const auto round_trip_ns = static_cast<double>(std::max<std::int64_t>(back_ns - left_ns, 0));
  const std::int64_t middle_ns = left_ns + (back_ns - left_ns) / 2;
  const Best now{static_cast<double>(middle_ns), static_cast<double>(there_ns - middle_ns),
                 round_trip_ns / 2.0};
  ++estimate_.exchanges;
  if (spans_.empty() ||
      now.at_ns - spans_.front().at_ns >= span_ns * static_cast<double>(spans_.size())) {
    spans_.push_back(now);
    if (spans_.size() > spans_max) spans_.pop_front();
  } else if (now.error_ns < spans_.back().error_ns) {
    spans_.back() = now;
  }
  fit();
}

void ClockOffset::fit() {
  // Weighted by 1 / error^2; an error of 0 would have all the weight.
  double weights = 0.0;
  double at_ns = 0.0;
  double ahead_ns = 0.0;
  const auto weight_of = [](const Best& best) {
    const double error_ns = std::max(best.error_ns, 100.0);
    return 1.0 / (error_ns * error_ns);
  };
  const Best origin = spans_.back();
  for (const Best& best : spans_) {
    const double weight = weight_of(best);
    weights += weight;
    at_ns += weight * (best.at_ns - origin.at_ns);
    ahead_ns += weight * (best.ahead_ns - origin.ahead_ns);
  }
  at_ns /= weights;
  ahead_ns /= weights;
  double spread = 0.0;
  double slope = 0.0;
  for (const Best& best : spans_) {
    const double far_ns = best.at_ns - origin.at_ns - at_ns;
    spread += weight_of(best) * far_ns * far_ns;
    slope += weight_of(best) * far_ns * (best.ahead_ns - origin.ahead_ns - ahead_ns);
  }
  slope = spread > 0.0 ? slope / spread : 0.0;
  // Known to 1 / sqrt(spread); a slope that may be chance is none.
  const bool is_known = spread > 0.0 && std::abs(slope) > 2.0 / std::sqrt(spread);
  estimate_.drift = is_known ? std::clamp(slope, -drift_max, drift_max) : 0.0;
  estimate_.at_ns = origin.at_ns + at_ns;
  estimate_.ahead_ns = origin.ahead_ns + ahead_ns;
  // The middle of the line is as well known as all exchanges together, but all may be wrong in the
  // same way, where one direction is slower: it is at most as wrong as the quickest exchange.
  estimate_.error_ns = std::ranges::min_element(spans_, {}, &Best::error_ns)->error_ns;
}

}  // namespace equipoise
