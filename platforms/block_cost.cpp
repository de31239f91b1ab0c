// Roofline, whole rounds and the start of a block.
#include "platforms/block_cost.hpp"

#include <algorithm>
#include <cmath>

namespace equipoise {
namespace {

constexpr Items size_step = 4;
constexpr double rounds_in_full = 16.0;  ///< so many steps of a unit's times are in its trace

/// The bandwidth of the unit's memory that the kernel reaches; 0: not limited.
double reached_bytes_per_s(const UnitFigures& unit, const TraceChoice& trace) {
  return trace.cost.efficiency.at(unit.kind) * unit.memory_bytes_per_s;
}

double roofline_items_per_s(const UnitFigures& unit, const TraceChoice& trace) {
  const auto known = unit.items_per_s.find(trace.kernel);
  if (known != unit.items_per_s.end()) return known->second;
  const double efficiency = trace.cost.efficiency.at(unit.kind);
  const double share = trace.element_bytes == 8 ? unit.double_share.value_or(0.0) : 1.0;
  double seconds = trace.cost.flop / (efficiency * unit.peak_flop_per_s * share);
  const double bytes_per_s = reached_bytes_per_s(unit, trace);
  if (bytes_per_s > 0.0) seconds = std::max(seconds, trace.cost.traffic_bytes / bytes_per_s);
  return 1.0 / seconds;
}

/// The trace's own round for this kind of unit, else the unit's for this kernel, else the kernel's.
double round_of(const UnitFigures& unit, const TraceChoice& trace) {
  const auto own = trace.round_items.find(unit.kind);
  if (own != trace.round_items.end()) return own->second;
  const auto units = unit.round_items.find(trace.kernel);
  if (units != unit.round_items.end()) return units->second;
  const auto kernels = trace.cost.round_items.find(unit.kind);
  return kernels == trace.cost.round_items.end() ? 1.0 : kernels->second;
}

}  // namespace

double BlockCost::seconds(double items) const {
  const double whole = std::ceil(items / round_items) * round_items;
  return startup_s + std::max((whole + half_saturation_items) / items_per_s, resident_s);
}

BlockCost block_cost(const UnitFigures& unit, const TraceChoice& trace) {
  BlockCost cost;
  cost.startup_s = unit.startup_s;
  const auto half = trace.half_saturation_items.find(unit.kind);
  cost.half_saturation_items = half == trace.half_saturation_items.end()
                                   ? unit.half_saturation_threads / trace.cost.threads
                                   : half->second;
  cost.items_per_s = roofline_items_per_s(unit, trace);
  cost.round_items = round_of(unit, trace);
  const double bytes_per_s = reached_bytes_per_s(unit, trace);
  if (bytes_per_s > 0.0) cost.resident_s = trace.cost.resident_memory_bytes / bytes_per_s;
  return cost;
}

std::vector<Items> timed_sizes(const BlockCost& cost, Items largest) {
  std::vector<Items> sizes;
  const auto add = [&](double items) {
    if (items < static_cast<double>(largest)) sizes.push_back(static_cast<Items>(items));
  };
  if (cost.round_items <= 1.0) {
    for (Items size = 1; size < largest; size *= size_step) sizes.push_back(size);
  } else {
    const double last = std::ceil(static_cast<double>(largest) / cost.round_items);
    add(1.0);
    for (double round = 1.0; round <= last; round += round < rounds_in_full ? 1.0 : round) {
      add(round * cost.round_items);
      add(round * cost.round_items + 1.0);
    }
  }
  sizes.push_back(largest);
  return sizes;
}

}  // namespace equipoise
