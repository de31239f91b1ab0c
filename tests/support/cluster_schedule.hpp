// Units on several nodes, run on the fake executor, for tests of hierarchical policies.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/policy_schedule.hpp"

namespace equipoise {

/// One unit of a cluster and the time that it takes per item.
struct ClusterUnit {
  std::string node;
  UnitKind kind = UnitKind::cpu;
  double per_item_s = 1.0;
  std::optional<double> memory_items;
};

struct Cluster {
  std::vector<ClusterUnit> units;
  Items items = 0;
  Items grain_items = 1;
  int iterations = 1;
  std::vector<FakeFault> faults;
  std::vector<std::string> later_kernels;
};

inline Schedule run_cluster(const std::string& policy, const TypedParameters& parameters,
                            const Cluster& cluster) {
  PolicyTest test;
  test.policy = policy;
  test.parameters = parameters;
  test.items = cluster.items;
  test.grain_items = cluster.grain_items;
  test.iterations = cluster.iterations;
  test.later_kernels = cluster.later_kernels;
  test.fake.faults = cluster.faults;
  for (const ClusterUnit& unit : cluster.units) {
    test.fake.units.push_back(affine_unit(0.0, unit.per_item_s));
    test.memory_bytes.push_back(unit.memory_items.value_or(1e9));
    test.units.emplace_back();
    test.units.back().name = "u" + std::to_string(test.units.size() - 1);
    test.units.back().node = unit.node;
    test.units.back().kind = unit.kind;
  }
  return run_schedule(test);
}

/// Sizes of a unit's blocks in one iteration of one phase.
inline std::vector<Items> sizes_in(const Schedule& schedule, std::uint32_t unit, int iteration,
                                   int phase = 0) {
  std::vector<Items> sizes;
  for (const BlockRecord& record : schedule.blocks) {
    if (record.unit.index == unit && record.block.iteration == iteration &&
        record.block.phase == phase) {
      sizes.push_back(record.block.items);
    }
  }
  return sizes;
}

inline Items share_in(const Schedule& schedule, std::uint32_t unit, int iteration, int phase = 0) {
  const std::vector<Items> sizes = sizes_in(schedule, unit, iteration, phase);
  return std::accumulate(sizes.begin(), sizes.end(), Items{0});
}

/// The time from the first assignment of an iteration to its last end.
inline double iteration_time(const Schedule& schedule, int iteration) {
  double begin = 1e300;
  double end = 0.0;
  for (const BlockRecord& record : schedule.blocks) {
    if (record.block.iteration == iteration) {
      begin = std::min(begin, record.assigned.value);
      end = std::max(end, record.end.value);
    }
  }
  return end - begin;
}

inline const TypedParameters whole_iterations{
    {"mode", "repeat"}, {"old_totals", "replaced"}, {"balance", "units"}};
/// Ours: learns while a load is done once.
inline const TypedParameters in_slices{{"preset", "robust"}};

/// The four nodes of the paper. Each has one GPU, and they have 3, 2, 1 and no cores that compute.
/// A GPU is 8 times as fast as a core and holds 122 items. GPUs are units 0, 4, 7 and 9.
inline Cluster paper_nodes() {
  Cluster cluster;
  cluster.items = 1024;
  for (int node = 0; node < 4; ++node) {
    const std::string name = "n" + std::to_string(node + 1);
    cluster.units.push_back({name, UnitKind::gpu, 0.125, 122.0});
    for (int core = node; core < 3; ++core) {
      cluster.units.push_back({name, UnitKind::cpu, 1.0, std::nullopt});
    }
  }
  return cluster;
}

}  // namespace equipoise
