// Which block sizes are recorded.
#include <algorithm>
#include <cmath>

#include "real/recorder.hpp"

namespace equipoise {

std::vector<Items> size_ladder(const Workload& workload, const Unit& unit) {
  constexpr int steps = 7;
  constexpr double span = 4096.0;
  const Items grain = workload.grain_items;
  const Items fits = largest_block(unit, workload);
  if (fits < std::min(grain, workload.items)) return {};
  const Items largest =
      std::min(std::max(workload.items / 2, std::min(grain, workload.items)), fits);
  const double smallest =
      std::min(std::max(static_cast<double>(workload.items) / span, static_cast<double>(grain)),
               static_cast<double>(largest));
  const double factor = std::pow(static_cast<double>(largest) / smallest, 1.0 / steps);
  std::vector<Items> sizes;
  for (int i = 0; i <= steps; ++i) {
    const double size = smallest * std::pow(factor, i) / static_cast<double>(grain);
    const Items rounded = static_cast<Items>(std::llround(size)) * grain;
    const Items items = std::clamp(rounded, std::min(grain, largest), largest);
    if (sizes.empty() || items > sizes.back()) sizes.push_back(items);
  }
  return sizes;
}

}  // namespace equipoise
