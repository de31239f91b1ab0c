// Quantities for people, with SI prefixes: "30 us", "101 M items/s", "0.5 TB/s".
#pragma once

#include <string>

namespace equipoise {

/// `value` of `unit` ("s", "B/s", "W", "items/s", ...) with `digits` significant digits and the
/// prefix that leaves one to three digits before the point. Seconds have no prefix above 1. A unit
/// of more than two letters stands apart from its prefix: "101 M items/s".
[[nodiscard]] std::string quantity_text(double value, const std::string& unit, int digits = 3);

/// Bytes with the binary prefix that leaves one to four digits before the point: "3.06 MiB", "8 B".
[[nodiscard]] std::string bytes_text(double bytes);

/// A prefix for all numbers of a column.
struct Prefix {
  std::string name;     ///< "m"; empty for numbers in the unit itself
  double factor = 1.0;  ///< what the unit with the prefix is in units: 1e-3
};

/// The prefix with which seconds are written where the largest of them is `most_s`.
[[nodiscard]] Prefix prefix_of_seconds(double most_s);

/// `value` with `digits` significant digits, without an exponent between 1e-4 and 1e7.
[[nodiscard]] std::string significant(double value, int digits);

}  // namespace equipoise
