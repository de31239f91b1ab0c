// Chooses SI prefixes and rounds.
#include "tools/console/quantity_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdlib>

namespace equipoise {
namespace {

struct NamedFactor {
  const char* name;
  double factor;
};

constexpr std::array<NamedFactor, 9> prefixes = {{{"n", 1e-9},
                                                  {"u", 1e-6},
                                                  {"m", 1e-3},
                                                  {"", 1.0},
                                                  {"k", 1e3},
                                                  {"M", 1e6},
                                                  {"G", 1e9},
                                                  {"T", 1e12},
                                                  {"P", 1e15}}};

/// `value` as it is with so many digits.
double rounded(double value, int digits) {
  return std::atof(fmt::format("{:.{}e}", value, digits - 1).c_str());
}

/// The largest prefix, up to `largest`, that leaves at least one digit before the point.
Prefix prefix_of(double value, double largest) {
  if (value == 0.0 || !std::isfinite(value)) return {};
  Prefix best{prefixes.front().name, prefixes.front().factor};
  for (const NamedFactor& prefix : prefixes) {
    // 0.9999999 becomes 1 when it is rounded
    const bool fits = std::abs(value) * (1.0 + 1e-6) >= prefix.factor;
    if (fits && prefix.factor <= largest) best = {prefix.name, prefix.factor};
  }
  return best;
}

}  // namespace

std::string quantity_text(double value, const std::string& unit, int digits) {
  const bool is_word = std::min(unit.find_first_of("/ "), unit.size()) > 2;
  const double shown = rounded(value, digits);
  const Prefix prefix = unit == "s" ? prefix_of_seconds(shown) : prefix_of(shown, 1e15);
  return fmt::format("{} {}{}{}", significant(value / prefix.factor, digits), prefix.name,
                     is_word && !prefix.name.empty() ? " " : "", unit);
}

Prefix prefix_of_seconds(double most_s) { return prefix_of(most_s, 1.0); }

std::string bytes_text(double bytes) {
  if (bytes >= 0x1p30) return fmt::format("{:.3g} GiB", bytes / 0x1p30);
  if (bytes >= 0x1p20) return fmt::format("{:.3g} MiB", bytes / 0x1p20);
  return bytes >= 0x1p10 ? fmt::format("{:.3g} KiB", bytes / 0x1p10)
                         : fmt::format("{:.3g} B", bytes);
}

std::string significant(double value, int digits) {
  if (value == 0.0 || !std::isfinite(value)) return fmt::format("{}", value);
  const double magnitude = std::floor(std::log10(std::abs(rounded(value, digits))));
  if (magnitude < -4 || magnitude >= 7) return fmt::format("{:.{}e}", value, digits - 1);
  return fmt::format("{:.{}f}", value, std::max(0, digits - 1 - static_cast<int>(magnitude)));
}

}  // namespace equipoise
