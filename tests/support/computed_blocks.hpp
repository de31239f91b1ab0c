// Helpers for tests of kernels: messages of refused parameters, and blocks that a unit computes.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <thread>
#include <vector>

#include "real/kernels/catalog.hpp"
#include "real/threads/this_thread.hpp"
#include "real/threads/thread_team.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/staged_unit.hpp"

namespace equipoise {

/// The message with which the kernel `name` is refused, as from `refusal_of`. Expects that it names
/// the place.
inline std::string refusal_of_kernel(const std::string& name, const TypedParameters& typed) {
  std::string why = refusal_of([&] { (void)make_kernel(name, typed, "--workload"); });
  EXPECT_TRUE(why == "not refused" || why.starts_with("--workload: ")) << why;
  return why;
}

/// Computes the items [first, first + items) of `kernel` on a new unit of `threads` threads.
inline void compute(Kernel& kernel, Items first, Items items, std::size_t threads = 1) {
  std::thread on_its_own([&] {
    ThreadTeam team(std::vector<int>(threads, cores_of_this_thread().front()));
    StagedUnit(kernel, items).perform({.id = 0, .first = first, .items = items}, team);
  });
  on_its_own.join();
}

/// Computes all items in blocks of `block_items`, alternately on a unit of one thread and on a unit
/// of two threads.
inline void compute_in_turns(Kernel& kernel, Items block_items, int iteration = 0) {
  std::thread on_its_own([&] {
    const int core = cores_of_this_thread().front();
    ThreadTeam one({core});
    ThreadTeam two({core, core});
    StagedUnit units[] = {{kernel, block_items}, {kernel, block_items}};
    const Items all = kernel.workload().items;
    std::uint64_t id = 0;
    for (Items first = 0; first < all; first += block_items, ++id) {
      const Block block{.id = id,
                        .first = first,
                        .items = std::min(block_items, all - first),
                        .iteration = iteration};
      units[id % 2].perform(block, id % 2 == 0 ? one : two);
    }
  });
  on_its_own.join();
}

/// Computes all items on one unit that is kept for all iterations, with one block per iteration.
/// Calls `after_iteration` with the number of each iteration.
template <class AfterIteration>
void compute_iterations(Kernel& kernel, int iterations, const AfterIteration& after_iteration) {
  std::thread on_its_own([&] {
    ThreadTeam team({cores_of_this_thread().front()});
    const Items all = kernel.workload().items;
    StagedUnit unit(kernel, all);
    for (int iteration = 0; iteration < iterations; ++iteration) {
      if (iteration > 0) kernel.begin_iteration(iteration);
      const Block block{.id = 0, .first = 0, .items = all, .iteration = iteration};
      unit.perform(block, team);
      after_iteration(iteration);
    }
  });
  on_its_own.join();
}

}  // namespace equipoise
