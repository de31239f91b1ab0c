// Which block sizes are recorded, and the line through their copies.
#include <algorithm>
#include <cmath>

#include "real/recorder.hpp"
#include "shared_policies/model/failure.hpp"

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

CopySpeed fit_copy_speed(const std::vector<double>& bytes, const std::vector<double>& times_s) {
  EQ_CHECK(!bytes.empty() && bytes.size() == times_s.size(), "every copy has its time");
  // Weighted sums with weights 1 / time^2: of 1, b, b^2, t, t b.
  double w = 0.0;
  double wb = 0.0;
  double wbb = 0.0;
  double wt = 0.0;
  double wtb = 0.0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const double weight = 1.0 / (times_s[i] * times_s[i]);
    w += weight;
    wb += weight * bytes[i];
    wbb += weight * bytes[i] * bytes[i];
    wt += weight * times_s[i];
    wtb += weight * times_s[i] * bytes[i];
  }
  const double determinant = w * wbb - wb * wb;
  if (determinant > 1e-9 * w * wbb) {
    const double slope = (w * wtb - wb * wt) / determinant;
    const double latency = (wt - slope * wb) / w;
    if (latency >= 0.0 && slope > 0.0) return {Seconds{latency}, 1.0 / slope};
  }
  return {Seconds{}, wbb / wtb};
}

}  // namespace equipoise
