// A geometric series of block sizes, and additional sizes where the time curve bends.
#include "real/recording/size_plan.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace equipoise {

std::vector<Items> size_ladder(const Workload& workload, const Unit& unit, Items items_max) {
  constexpr int steps = 7;
  constexpr double span = 4096.0;
  const Items grain = workload.grain_items;
  const Items fits = largest_block(unit, workload);
  if (fits < std::min(grain, workload.items)) return {};
  const Items largest = std::min(std::max(items_max, std::min(grain, workload.items)), fits);
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

std::vector<Items> sizes_at_bends(const std::vector<SizeTime>& recorded, Items grain_items,
                                  double tolerance) {
  std::set<Items> known;
  for (const SizeTime& point : recorded) known.insert(point.items);
  std::set<Items> added;
  const auto add_between = [&](Items a, Items b) {
    const double middle = std::sqrt(static_cast<double>(a) * static_cast<double>(b));
    const Items items =
        static_cast<Items>(std::llround(middle / static_cast<double>(grain_items))) * grain_items;
    if (items > a && items < b && !known.contains(items)) added.insert(items);
  };
  for (std::size_t i = 1; i + 1 < recorded.size(); ++i) {
    const SizeTime& a = recorded[i - 1];
    const SizeTime& b = recorded[i];
    const SizeTime& c = recorded[i + 1];
    const double share =
        static_cast<double>(b.items - a.items) / static_cast<double>(c.items - a.items);
    const Seconds on_line = a.time + share * (c.time - a.time);
    if (std::abs((b.time - on_line).value) <= (tolerance + b.uncertainty) * b.time.value) continue;
    add_between(a.items, b.items);
    add_between(b.items, c.items);
  }
  return {added.begin(), added.end()};
}

}  // namespace equipoise
