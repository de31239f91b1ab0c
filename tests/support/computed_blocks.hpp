// How tests let a unit compute blocks of a kernel.
#pragma once

#include <algorithm>
#include <memory>
#include <thread>
#include <vector>

#include "real/kernels/kernel.hpp"
#include "real/thread_team.hpp"

namespace equipoise {

/// Takes the items [first, first + items) of `kernel` through a new unit of `threads` threads.
inline void compute(Kernel& kernel, Items first, Items items, std::size_t threads = 1) {
  std::thread on_its_own([&] {
    ThreadTeam team(std::vector<int>(threads, cores_of_this_thread().front()));
    const auto side = kernel.make_cpu_side(items);
    const Block block{.id = 0, .first = first, .items = items};
    side->copy_resident();
    side->copy_in(block);
    side->compute(block, team);
    side->copy_out(block);
  });
  on_its_own.join();
}

/// Takes all items through two units, of one thread and of two, in turns, in blocks of
/// `block_items`.
inline void compute_in_turns(Kernel& kernel, Items block_items, int iteration = 0) {
  std::thread on_its_own([&] {
    const int core = cores_of_this_thread().front();
    ThreadTeam one({core});
    ThreadTeam two({core, core});
    const std::unique_ptr<UnitKernel> sides[] = {kernel.make_cpu_side(block_items),
                                                 kernel.make_cpu_side(block_items)};
    for (const auto& side : sides) side->copy_resident();
    const Items all = kernel.workload().items;
    std::uint64_t id = 0;
    for (Items first = 0; first < all; first += block_items, ++id) {
      const Block block{.id = id,
                        .first = first,
                        .items = std::min(block_items, all - first),
                        .iteration = iteration};
      UnitKernel& side = *sides[id % 2];
      side.copy_in(block);
      side.compute(block, id % 2 == 0 ? one : two);
      side.copy_out(block);
    }
  });
  on_its_own.join();
}

}  // namespace equipoise
