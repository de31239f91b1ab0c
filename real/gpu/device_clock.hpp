// What the host's clock shows when a device's clock shows a time.
#pragma once

#include <deque>

#include "real/threads/clock.hpp"
#include "shared_policies/model/measures.hpp"

namespace equipoise {

/// Turns times of a device's clock into those of the host's, from comparisons of the two. Each
/// comparison is wrong by some microseconds, and the clocks differ in speed by up to some 1e-4.
///
/// Host time is a continuous function of device time, made of straight pieces. The speed is
/// measured by a straight line through the latest comparisons (least squares). From a comparison
/// on, the function goes on where it was, approaches that line within a second, and then follows
/// it. So an error of a comparison never shows as a jump, and no difference adds up until the next
/// comparison.
class DeviceClock {
 public:
  /// The host's clock showed `host` when the device's showed `device`, which is later than before.
  void compare(Seconds device, Clock::TimePoint host);
  /// The host's time at `device`. There was a comparison.
  [[nodiscard]] Clock::TimePoint host_time(Seconds device) const;
  /// How long after the last comparison the next one is due: soon at first, when little is known of
  /// the speeds.
  [[nodiscard]] Clock::TimePoint::duration next_due() const;

 private:
  /// Times in seconds, the host's from the first comparison on.
  struct Comparison {
    double device_s;
    double host_s;
  };
  /// A part of the function, up to the begin of the next one.
  struct Piece {
    double device_s;  ///< where it begins
    double host_s;    ///< there
    double slope;
  };

  [[nodiscard]] const Piece& piece_at(double device_s) const;
  /// The line through the latest comparisons, as a piece that begins at the last one.
  [[nodiscard]] Piece fitted() const;

  Clock::TimePoint zero_;
  std::deque<Comparison> comparisons_;  ///< the latest
  std::deque<Piece> pieces_;            ///< the latest
};

}  // namespace equipoise
