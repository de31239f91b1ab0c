// Puts together the meters of packages and GPUs.
#include "real/meters/meter.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <vector>

namespace equipoise {

Meters machine_meters(std::span<const Gpu> gpus, const MeterPlaces& places) {
  Meters meters = powercap_meters(places.powercap);
  Meters of_gpus = nvml_meters(gpus, places.nvml);
  std::ranges::move(of_gpus.found, std::back_inserter(meters.found));
  std::ranges::move(of_gpus.notes, std::back_inserter(meters.notes));
  return meters;
}

std::string meters_text(const Meters& meters) {
  if (meters.found.empty()) return fmt::format("none: {}", fmt::join(meters.notes, "; "));
  std::vector<std::string> found;
  for (const auto& meter : meters.found) {
    found.push_back(fmt::format("{} ({})", meter->domain(), meter->source()));
  }
  std::string text = fmt::format("{}", fmt::join(found, ", "));
  for (const std::string& note : meters.notes) text += "; " + note;
  return text;
}

}  // namespace equipoise
