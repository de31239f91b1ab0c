// Work as a power of bytes, and whether bytes measure it.
#include "traces/starpu_work.hpp"

#include <charconv>
#include <cmath>

#include "shared_policies/model/failure.hpp"

namespace equipoise {
namespace {

constexpr double growth_to_tell = 1.25;

/// The number at the beginning of `text`, which is removed, or 0 if there is none.
double take_number(std::string& text) {
  double number = 0.0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  text.erase(0, static_cast<std::size_t>(rest - text.data()));
  return error == std::errc() && std::isfinite(number) ? number : 0.0;
}

}  // namespace

double FlopsOfBytes::flop(double bytes) const { return factor * std::pow(bytes, exponent); }

FlopsOfBytes parse_flops(const std::string& text, const std::string& where) {
  std::string rest = text;
  std::erase(rest, ' ');
  FlopsOfBytes flops;
  flops.factor = take_number(rest);
  const std::string bytes = "*bytes";
  bool is_read = flops.factor > 0.0 && rest.starts_with(bytes);
  if (is_read) rest.erase(0, bytes.size());
  if (is_read && rest.starts_with('^')) {
    rest.erase(0, 1);
    flops.exponent = take_number(rest);
  }
  is_read = is_read && rest.empty() && flops.exponent > 0.0 && flops.exponent <= 10.0;
  if (is_read) return flops;
  throw InputError(where, "'" + text +
                              "' says no flops; write FACTOR*bytes^EXPONENT of the bytes of a "
                              "task's operands: a product of square tiles is 0.017*bytes^1.5 of "
                              "doubles, 0.048*bytes^1.5 of floats");
}

std::optional<GrowthBeyondBytes> growth_beyond_bytes(const Trace& trace) {
  double worst = growth_to_tell;
  std::optional<GrowthBeyondBytes> found;
  for (std::uint32_t unit = 0; unit < trace.units.size(); ++unit) {
    const TraceSample* cheapest = nullptr;  // per item, of all sizes
    const TraceSample* largest = nullptr;
    const auto cost = [](const TraceSample& sample) {
      return sample.compute_mean_s / sample.items;
    };
    for (const TraceSample& sample : trace.samples) {
      if (sample.unit != unit) continue;
      if (cheapest == nullptr || cost(sample) < cost(*cheapest)) cheapest = &sample;
      if (largest == nullptr || sample.items > largest->items) largest = &sample;
    }
    if (largest == nullptr || cost(*largest) <= worst * cost(*cheapest)) continue;
    worst = cost(*largest) / cost(*cheapest);
    found = GrowthBeyondBytes{trace.units[unit].name, largest->items / cheapest->items,
                              largest->compute_mean_s / cheapest->compute_mean_s};
  }
  return found;
}

}  // namespace equipoise
