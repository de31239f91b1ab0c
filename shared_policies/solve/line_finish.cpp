// Finds the common finish time by going through the breakpoints of a piecewise-linear sum.
#include "shared_policies/solve/line_finish.hpp"

#include <algorithm>
#include <cstddef>

namespace equipoise {

std::vector<double> divide_by_lines(std::span<const CostLine> lines, double items) {
  struct Breakpoint {
    double at_s = 0.0;
    double items_per_s = 0.0;  // change of the slope of the sum
  };
  std::vector<Breakpoint> breakpoints;
  for (const CostLine& line : lines) {
    const double per_s = 1.0 / line.seconds_per_item;
    breakpoints.push_back({-line.advance_s, per_s});
    breakpoints.push_back({line.seconds_per_item * line.cap_items - line.advance_s, -per_s});
  }
  std::sort(breakpoints.begin(), breakpoints.end(),
            [](const Breakpoint& a, const Breakpoint& b) { return a.at_s < b.at_s; });
  double slope = 0.0;
  double sum = 0.0;
  double finish_s = breakpoints.empty() ? 0.0 : breakpoints.back().at_s;
  for (std::size_t i = 0; i + 1 < breakpoints.size(); ++i) {
    slope += breakpoints[i].items_per_s;
    const double grown = slope * (breakpoints[i + 1].at_s - breakpoints[i].at_s);
    if (sum + grown >= items) {
      finish_s = breakpoints[i].at_s + (items - sum) / slope;
      break;
    }
    sum += grown;
  }
  std::vector<double> shares;
  for (const CostLine& line : lines) {
    const double share = (finish_s + line.advance_s) / line.seconds_per_item;
    shares.push_back(std::clamp(share, 0.0, line.cap_items));
  }
  return shares;
}

}  // namespace equipoise
