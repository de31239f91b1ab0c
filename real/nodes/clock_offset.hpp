// How the clock of another process differs from ours, as far as messages there and back tell.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <utility>

namespace equipoise {

/// A moment of this machine's clock, as clocks are compared.
[[nodiscard]] inline std::int64_t ns_of(std::chrono::steady_clock::time_point at) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(at.time_since_epoch()).count();
}

/// Learns the difference of two clocks, and how it changes, from messages that went there and back.
///
/// A message leaves at a, is seen there at b (by the other clock), and its answer is here at c.
/// Then the other clock is b - (a + c) / 2 ahead, with an error of (c - a) / 2 at most. Of the
/// messages of each span of time the quickest counts. The drift is the slope of the line through
/// the differences of the last spans, weighted by their precision, once these lie far enough apart
/// to tell it.
class ClockOffset {
 public:
  /// In nanoseconds.
  struct Estimate {
    double ahead_ns = 0.0;  ///< of the other clock, at `at_ns`
    double error_ns = 0.0;  ///< at most
    double drift = 0.0;     ///< by which `ahead_ns` grows in a nanosecond
    double at_ns = 0.0;     ///< of our clock
    std::int64_t exchanges = 0;

    /// How far the other clock is ahead when ours shows `ns`.
    [[nodiscard]] double ahead_at(double ns) const { return ahead_ns + drift * (ns - at_ns); }
  };

  /// A message left here at `left_ns`, was there at `there_ns` and came back at `back_ns`.
  void add(std::int64_t left_ns, std::int64_t there_ns, std::int64_t back_ns);
  [[nodiscard]] const Estimate& estimate() const { return estimate_; }

 private:
  /// The quickest exchange of a span.
  struct Best {
    double at_ns = 0.0;
    double ahead_ns = 0.0;
    double error_ns = 0.0;
  };
  void fit();

  std::deque<Best> spans_;
  Estimate estimate_;
};

}  // namespace equipoise
