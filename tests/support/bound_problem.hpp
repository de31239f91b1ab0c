// A platform, its timings and a workload that tests assemble by hand, and their lower bound.
#pragma once

#include <fmt/format.h>

#include <functional>
#include <vector>

#include "shared_policies/machine/block_timing.hpp"
#include "shared_policies/solve/lower_bound.hpp"

namespace equipoise {

/// A platform of units without links, and a trace of them.
struct BoundProblem {
  Platform platform;
  Trace trace;
  Workload workload;
  Scenario scenario;
  double merge_s = 0.0;
  ItemCostsPtr costs;

  explicit BoundProblem(Items items) {
    workload.kernel = "k";
    workload.items = items;
  }
  /// Adds a unit with the times `seconds` at these sizes, and returns its index.
  std::size_t add(const std::vector<double>& sizes, const std::function<double(double)>& seconds) {
    PlatformUnit unit;
    unit.unit.name = fmt::format("u{}", platform.units.size());
    unit.unit.copy_engines = 2;
    unit.trace_unit = unit.unit.name;
    platform.units.push_back(unit);
    trace.units.push_back(unit.unit);
    for (const double size : sizes) {
      TraceSample sample;
      sample.unit = static_cast<std::uint32_t>(trace.units.size() - 1);
      sample.items = size;
      sample.compute_mean_s = seconds(size);
      trace.samples.push_back(sample);
    }
    return platform.units.size() - 1;
  }
  std::size_t add_affine_unit(double fixed_s, double per_item_s) {
    return add({1.0, 100.0, 10000.0}, [=](double x) { return fixed_s + per_item_s * x; });
  }
  std::uint32_t add_link(double bytes_per_s, double latency_s = 0.0, bool shared = true) {
    platform.links.push_back(
        {fmt::format("l{}", platform.links.size()), bytes_per_s, Seconds{latency_s}, shared});
    return static_cast<std::uint32_t>(platform.links.size() - 1);
  }
  void disturb(double at_s, DisturbanceKind kind, const std::string& target, double amount = 1.0,
               double until_s = Seconds::infinity().value) {
    scenario.events.push_back({Seconds{at_s}, Seconds{until_s}, kind, target, amount, {}});
  }
  [[nodiscard]] std::vector<BlockTiming> timings() const {
    std::vector<BlockTiming> list;
    for (std::uint32_t p = 0; p < trace.units.size(); ++p) {
      list.emplace_back(trace, p);
    }
    return list;
  }
  [[nodiscard]] LowerBound bound(double start_s = 0.0) const {
    const std::vector<BlockTiming> list = timings();
    std::vector<const BlockTiming*> pointers;
    for (const BlockTiming& timing : list) {
      pointers.push_back(&timing);
    }
    return lower_bound(platform, workload, pointers, scenario, Seconds{start_s}, Seconds{merge_s},
                       costs.get());
  }
};

}  // namespace equipoise
