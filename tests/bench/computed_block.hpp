// How the kernel benchmarks time one unit.
#pragma once

#include <benchmark/benchmark.h>

#include <memory>
#include <string>
#include <vector>

#include "real/kernels/catalog.hpp"
#include "real/threads/this_thread.hpp"
#include "tests/support/staged_unit.hpp"

namespace equipoise {

/// Repeatedly computes the block of the first `items` items of a kernel, with one thread and
/// without copies. Counts items and FLOP.
inline void compute_block(benchmark::State& state, const std::string& name,
                          const TypedParameters& parameters, Items items) {
  const std::unique_ptr<Kernel> kernel = make_kernel(name, parameters, "--workload");
  kernel->allocate(1);
  const std::vector<int> before = cores_of_this_thread();
  {
    ThreadTeam team({before.front()});
    StagedUnit unit(*kernel, items);
    unit.bring({.id = 0, .first = 0, .items = items});
    for (auto _ : state) unit.compute(team);
  }
  pin_this_thread(before);
  state.SetItemsProcessed(state.iterations() * items);
  state.counters["flop_per_s"] =
      benchmark::Counter(kernel->workload().flop_per_item * static_cast<double>(items),
                         benchmark::Counter::kIsIterationInvariantRate);
}

}  // namespace equipoise
