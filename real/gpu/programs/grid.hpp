// Sizes of grids and of blocks of threads, for kernels whichever compiler takes them.
#pragma once

#include <cstddef>

#include "shared_policies/model/failure.hpp"

namespace equipoise {

/// How many blocks a grid has, or threads a block, in each direction.
struct Size3 {
  unsigned x = 1;
  unsigned y = 1;
  unsigned z = 1;
};

/// The blocks of threads for `count` items (at least one), `block_items` of them in each.
[[nodiscard]] inline unsigned blocks_for(std::size_t count, std::size_t block_items) {
  constexpr std::size_t blocks_max = (std::size_t{1} << 31) - 1;
  const std::size_t blocks = (count + block_items - 1) / block_items;
  EQ_CHECK(blocks >= 1 && blocks <= blocks_max, "items that are in a GPU's memory fit in a grid");
  return static_cast<unsigned>(blocks);
}

}  // namespace equipoise
