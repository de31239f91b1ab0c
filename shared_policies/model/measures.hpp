// Units of measure: seconds are a type of their own, items and bytes are plain numbers.
#pragma once

#include <compare>
#include <cstdint>
#include <limits>

namespace equipoise {

/// A span of time, or a point in time counted from the start of a run.
struct Seconds {
  double value = 0.0;

  static constexpr Seconds infinity() { return {std::numeric_limits<double>::infinity()}; }

  constexpr auto operator<=>(const Seconds&) const = default;
  constexpr Seconds& operator+=(Seconds other) {
    value += other.value;
    return *this;
  }
};

constexpr Seconds operator+(Seconds a, Seconds b) { return {a.value + b.value}; }
constexpr Seconds operator-(Seconds a, Seconds b) { return {a.value - b.value}; }
constexpr Seconds operator*(double factor, Seconds a) { return {factor * a.value}; }
constexpr double operator/(Seconds a, Seconds b) { return a.value / b.value; }

/// No stage of a block takes less, unless it takes no time: this is a millionth of a cycle of a
/// fast processor. A shorter time was not measured, and has no effect among the other times of a
/// run.
inline constexpr Seconds least_time{1e-15};

/// The largest cost in seconds of a decision or of handing out a block that users and files may
/// give: eleven days.
inline constexpr double most_cost_s = 1e6;

/// A number of items; an item is the smallest piece of work. Always whole; recorded sizes may be
/// fractional and are doubles named `..._items`.
using Items = std::int64_t;

}  // namespace equipoise
