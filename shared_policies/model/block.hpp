// A contiguous range of items that was handed to one unit, and how long its stages took.
#pragma once

#include <cstdint>

#include "shared_policies/model/measures.hpp"

namespace equipoise {

/// Why a policy asked for a block; a word for journals, nothing else depends on it.
enum class BlockTag : std::uint8_t { run, train, gap, tail };

[[nodiscard]] constexpr const char* to_string(BlockTag tag) {
  switch (tag) {
    case BlockTag::run:
      return "run";
    case BlockTag::train:
      return "train";
    case BlockTag::gap:
      return "gap";
    case BlockTag::tail:
      return "tail";
  }
  return "run";
}

/// Items [first, first + items), handed to one unit. A range that was lost is handed out again
/// under a new id, so that a late result of the lost block is recognised and discarded.
struct Block {
  std::uint64_t id = 0;  ///< 0, 1, 2, ... in the order of handing out; never used again
  Items first = 0;
  Items items = 0;
  int phase = 0;      ///< position in the run's list of workloads
  int iteration = 0;  ///< of that phase
  BlockTag tag = BlockTag::run;
  /// Blocks of one group on one unit hold their memory until all of them have ended; 0: no group.
  std::uint32_t group = 0;
};

/// How long the stages of one block took. Waiting in the unit's queue is in none of them.
struct StageTimes {
  Seconds in;       ///< copy to the unit, resident data of a first block included
  Seconds compute;  ///< on the unit
  Seconds out;      ///< copy of the results back
};

constexpr Seconds total(const StageTimes& times) { return times.in + times.compute + times.out; }

}  // namespace equipoise
