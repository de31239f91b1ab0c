// A block: a contiguous range of items that is handed to one unit, and the times of its stages.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>

#include "shared_policies/model/measures.hpp"
#include "shared_policies/records/description.hpp"

namespace equipoise {

/// The id of no block.
inline constexpr std::uint64_t no_block = std::numeric_limits<std::uint64_t>::max();

/// Why a policy asked for a block. Only written into journals; nothing else depends on it.
enum class BlockTag : std::uint8_t {
  run,    ///< to do the work, as most blocks
  train,  ///< to learn how fast its unit is
  gap,    ///< to keep a unit busy that has ended earlier than the others will
  tail,   ///< to divide the last items, of which there are too few for blocks of the usual size
};

constexpr auto words(DescriptionOf<BlockTag> /*of*/) {
  return std::array{Word{BlockTag::run, "run"}, Word{BlockTag::train, "train"},
                    Word{BlockTag::gap, "gap"}, Word{BlockTag::tail, "tail"}};
}

[[nodiscard]] constexpr const char* to_string(BlockTag tag) { return word_of(tag); }

/// Items [first, first + items), handed to one unit. If the block is lost, its items are handed out
/// again in blocks with new ids, so that a late result of the lost block is recognised and
/// discarded. While a block is outstanding, a copy of it may be given to another unit.
struct Block {
  std::uint64_t id = 0;  ///< 0, 1, 2, ... in the order of handing out; ids are never reused
  Items first = 0;
  Items items = 0;
  int phase = 0;      ///< position in the run's list of workloads
  int iteration = 0;  ///< the iteration of that phase
  BlockTag tag = BlockTag::run;
  /// The memory of a group's blocks on a unit is released only when all of them have ended. 0: no
  /// group.
  std::uint32_t group = 0;
  /// The id of the block of which this one is a copy, with the same items (Decisions::give_twice);
  /// none: it is no copy.
  std::optional<std::uint64_t> copy_of{};
  /// In a run of two levels, the id of the block of its node of which it is a part; none: it is no
  /// part.
  std::optional<std::uint64_t> node_block{};

  /// The same for all blocks that are copies of one another.
  [[nodiscard]] std::uint64_t original() const { return copy_of.value_or(id); }
};

/// What became of a block that was to be taken back.
enum class Fate : std::uint8_t {
  too_late,   ///< its results are being copied, or it has ended, or its unit is lost
  not_begun,  ///< its unit will not begin it
  goes_on     ///< its unit has begun it and goes on, but does not copy its results
};

/// The durations of a block's stages, without its waiting time in the unit's queue.
struct StageTimes {
  Seconds setup;    ///< first use of the unit and copy of resident data; 0 for most blocks
  Seconds in;       ///< copy of the block's own input to the unit
  Seconds compute;  ///< computation on the unit
  Seconds out;      ///< copy of the results back to the master
};

/// The sum of all stages.
constexpr Seconds total(const StageTimes& times) {
  return times.setup + times.in + times.compute + times.out;
}

/// When the stages of a block began if they took `times` and followed one another without a pause
/// up to `end`.
constexpr StageTimes back_to_back(const StageTimes& times, Seconds end) {
  StageTimes begins;
  begins.out = end - times.out;
  begins.compute = begins.out - times.compute;
  begins.in = begins.compute - times.in;
  begins.setup = begins.in - times.setup;
  return begins;
}

/// When each stage of a block began: `begins` for those that took time; a stage of 0 s, which did
/// not happen, counts as begun when the next stage began, and the last stage at `end`, the end of
/// the block.
constexpr StageTimes without_empty_stages(StageTimes begins, const StageTimes& times, Seconds end) {
  if (times.out == Seconds{}) begins.out = end;
  if (times.compute == Seconds{}) begins.compute = begins.out;
  if (times.in == Seconds{}) begins.in = begins.compute;
  if (times.setup == Seconds{}) begins.setup = begins.in;
  return begins;
}

/// The sum of the stages that every block of this size has: all but the setup.
constexpr Seconds recurring(const StageTimes& times) {
  return times.in + times.compute + times.out;
}

}  // namespace equipoise
