// Keeps a function of straight pieces: two for each comparison.
#include "real/gpu/device_clock.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <iterator>

#include "shared_policies/model/failure.hpp"

namespace equipoise {
namespace {

using namespace std::chrono_literals;
using Duration = Clock::TimePoint::duration;

/// The distances of the first comparisons, and of all later ones.
constexpr std::array<Duration, 3> first_distances = {20ms, 80ms, 300ms};
constexpr Duration distance = 1s;
/// The comparisons through which the line is fitted, and the pieces that are kept.
constexpr std::size_t compared_max = 16;
constexpr std::size_t pieces_max = 64;
/// A difference from the line is made up for in so many seconds, or in more, at this rate.
constexpr double catch_up_s = 1.0;
constexpr double catch_up_rate_max = 5e-4;
/// Clocks of computers differ less in speed.
constexpr double difference_max = 1e-3;

double seconds_of(Duration span) { return std::chrono::duration<double>(span).count(); }

}  // namespace

void DeviceClock::compare(Seconds device, Clock::TimePoint host) {
  if (comparisons_.empty()) zero_ = host;
  comparisons_.push_back({device.value, seconds_of(host - zero_)});
  if (comparisons_.size() > compared_max) comparisons_.pop_front();
  if (pieces_.empty()) {
    pieces_.push_back({device.value, 0.0, 1.0});
    return;
  }
  const Piece line = fitted();
  while (pieces_.size() > 1 && pieces_.back().device_s >= device.value) pieces_.pop_back();
  const Piece& last = pieces_.back();
  const double goes_on_s = last.host_s + last.slope * (device.value - last.device_s);
  const double behind_s = line.host_s - goes_on_s;
  const double span_s = std::max(catch_up_s, std::abs(behind_s) / catch_up_rate_max);
  const double slope = line.slope + behind_s / span_s;
  pieces_.push_back({device.value, goes_on_s, slope});
  pieces_.push_back({device.value + span_s, goes_on_s + slope * span_s, line.slope});
  while (pieces_.size() > pieces_max) pieces_.pop_front();
}

Clock::TimePoint DeviceClock::host_time(Seconds device) const {
  EQ_CHECK(!pieces_.empty(), "the clocks were compared");
  const Piece& piece = piece_at(device.value);
  const std::chrono::duration<double> past(piece.host_s +
                                           piece.slope * (device.value - piece.device_s));
  return zero_ + std::chrono::duration_cast<Duration>(past);
}

Duration DeviceClock::next_due() const {
  const std::size_t known = comparisons_.size();
  return known >= 1 && known <= first_distances.size() ? first_distances[known - 1] : distance;
}

const DeviceClock::Piece& DeviceClock::piece_at(double device_s) const {
  const auto next = std::ranges::upper_bound(pieces_, device_s, {}, &Piece::device_s);
  return next == pieces_.begin() ? *next : *std::prev(next);
}

DeviceClock::Piece DeviceClock::fitted() const {
  const auto count = static_cast<double>(comparisons_.size());
  double device_s = 0.0;
  double host_s = 0.0;
  for (const Comparison& each : comparisons_) {
    device_s += each.device_s / count;
    host_s += each.host_s / count;
  }
  double squares = 0.0;
  double products = 0.0;
  for (const Comparison& each : comparisons_) {
    squares += (each.device_s - device_s) * (each.device_s - device_s);
    products += (each.device_s - device_s) * (each.host_s - host_s);
  }
  const double at_s = comparisons_.back().device_s;
  const double slope =
      squares > 0.0 ? std::clamp(products / squares, 1.0 - difference_max, 1.0 + difference_max)
                    : 1.0;
  return {at_s, host_s + slope * (at_s - device_s), slope};
}

}  // namespace equipoise
