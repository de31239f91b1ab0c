// Tests of where blocks lie: on the host, and in the memory of a unit.
#include "real/unit_memory.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "real/block_copies.hpp"
#include "real/kernels/buffer.hpp"
#include "real/threads/host_gate.hpp"
#include "tests/support/random_seed.hpp"

namespace equipoise::unit_memory_test {
namespace {

Block block_of(std::uint64_t id, Items first, Items items, std::uint32_t group = 0) {
  return {.id = id, .first = first, .items = items, .group = group};
}

/// 100 items with one number each in and out, and three numbers that stay on a unit.
struct Numbers {
  std::array<double, 100> in{};
  std::array<double, 100> out{};
  std::array<double, 3> kept{};
  KernelData data{{input_rows(in.data())},
                  {result_rows(out.data())},
                  {resident_array(std::span<const double>(kept))}};
};

/// The memory of a unit that holds `room_items` items of `data`.
struct Room {
  Room(const KernelData& data, Items room_items)
      : bytes(UnitMemory::bytes_for_several(data, room_items)) {
    memory.begin_phase(data, bytes.data(), bytes.span().size(), room_items);
  }
  BufferOf<std::byte> bytes;
  UnitMemory memory;
  StagedBlock staged;
};

TEST(HostRows, AreOneSegmentWhereItemsLieInOrder) {
  Numbers numbers;
  std::vector<std::pair<const std::byte*, std::size_t>> segments;
  for_each_segment(
      numbers.data.inputs[0], block_of(0, 7, 5),
      [&](const std::byte* begin, std::size_t bytes) { segments.emplace_back(begin, bytes); });
  ASSERT_EQ(segments.size(), 1u);
  EXPECT_EQ(segments[0].first, reinterpret_cast<const std::byte*>(&numbers.in[7]));
  EXPECT_EQ(segments[0].second, 40u);
}

TEST(HostRows, IncludeTheFurtherRowsThatABlockNeeds) {
  Numbers numbers;
  InputRows rows = numbers.data.inputs[0];
  rows.further_rows = 3;
  EXPECT_EQ(rows.bytes(5), 64u);
}

TEST(HostRows, AreASegmentForEachItemWhereItemsLieInAnyOrder) {
  Numbers numbers;
  const std::vector<Items> order = {9, 4, 2};
  numbers.data.results[0].row_of_item = order;
  Room room(numbers.data, 3);
  ASSERT_TRUE(room.memory.place(block_of(0, 0, 3), room.staged));
  std::ranges::copy(std::array{1.0, 2.0, 3.0}, room.staged.result<double>(0));
  copy_out(numbers.data, block_of(0, 0, 3), room.staged);
  EXPECT_EQ(numbers.out[9], 1.0);
  EXPECT_EQ(numbers.out[4], 2.0);
  EXPECT_EQ(numbers.out[2], 3.0);
  EXPECT_EQ(std::ranges::count(numbers.out, 0.0), 97);
}

TEST(HostCopies, BringResidentDataOnlyInAVersionThatIsNotThere) {
  Numbers numbers;
  numbers.kept = {1.0, 2.0, 3.0};
  Room room(numbers.data, 3);
  ASSERT_TRUE(room.memory.place(block_of(0, 0, 3), room.staged));
  std::vector<std::uint64_t> versions = {0};
  EXPECT_TRUE(copy_resident(numbers.data, room.staged, versions));
  EXPECT_EQ(room.staged.kept<double>(0)[2], 3.0);
  numbers.kept[2] = 4.0;
  EXPECT_FALSE(copy_resident(numbers.data, room.staged, versions));
  EXPECT_EQ(room.staged.kept<double>(0)[2], 3.0);
  ++numbers.data.resident[0].version;
  EXPECT_TRUE(copy_resident(numbers.data, room.staged, versions));
  EXPECT_EQ(room.staged.kept<double>(0)[2], 4.0);
}

TEST(UnitMemory, LetsABlockWaitUntilItsItemsFitBesideTheOthers) {
  Numbers numbers;
  Room room(numbers.data, 20);
  EXPECT_TRUE(room.memory.place(block_of(0, 0, 10), room.staged));
  EXPECT_TRUE(room.memory.place(block_of(1, 10, 10), room.staged));
  EXPECT_FALSE(room.memory.place(block_of(2, 20, 1), room.staged));
  room.memory.release(block_of(0, 0, 10), true);
  EXPECT_TRUE(room.memory.place(block_of(2, 20, 10), room.staged));
}

TEST(UnitMemory, KeepsTheMemoryOfAGroupUntilItsLastBlockHasEnded) {
  Numbers numbers;
  Room room(numbers.data, 20);
  EXPECT_TRUE(room.memory.place(block_of(0, 0, 10, 5), room.staged));
  EXPECT_TRUE(room.memory.place(block_of(1, 10, 10, 5), room.staged));
  room.memory.release(block_of(0, 0, 10, 5), false);
  EXPECT_FALSE(room.memory.place(block_of(2, 20, 10), room.staged));
  room.memory.release(block_of(1, 10, 10, 5), true);
  EXPECT_TRUE(room.memory.place(block_of(2, 20, 20), room.staged));
}

TEST(UnitMemory, ReleasesWhatAGroupHoldsWhereNothingElseCouldBegin) {
  Numbers numbers;
  Room room(numbers.data, 20);
  EXPECT_TRUE(room.memory.place(block_of(0, 0, 15, 5), room.staged));
  room.memory.release(block_of(0, 0, 15, 5), false);
  EXPECT_TRUE(room.memory.place(block_of(1, 20, 10, 5), room.staged));
}

TEST(UnitMemory, NeverLaysABlockOverAnother) {
  const unsigned seed = random_seed();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  const auto upto = [&](Items most) {
    return std::uniform_int_distribution<Items>(1, most)(random);
  };
  Numbers numbers;
  struct Placed {
    Block block;
    std::byte* begin;
    std::byte* end;
  };
  for (int round = 0; round < 50; ++round) {
    const Items room_items = upto(60);
    Room room(numbers.data, room_items);
    std::byte* const end_of_memory = room.bytes.data() + room.bytes.span().size();
    std::vector<Placed> placed;
    Items held = 0;
    for (std::uint64_t id = 0; id < 200; ++id) {
      const Block block = block_of(id, 0, upto(room_items));
      const bool fits = block.items <= room_items - held;
      if (room.memory.place(block, room.staged)) {
        EXPECT_TRUE(fits);
        held += block.items;
        std::byte* const begin = room.staged.inputs[0];
        std::byte* const end = room.staged.results[0] + 8 * block.items;
        EXPECT_LE(end, end_of_memory);
        EXPECT_GE(begin, room.staged.resident[0] + 24);
        for (const Placed& other : placed) EXPECT_TRUE(end <= other.begin || begin >= other.end);
        placed.push_back({block, begin, end});
      } else {
        EXPECT_FALSE(placed.empty()) << "nothing else is there, so it must fit";
      }
      if (placed.empty() || upto(2) == 1) continue;
      const auto gone = placed.begin() + upto(static_cast<Items>(placed.size())) - 1;
      room.memory.release(gone->block, true);
      held -= gone->block.items;
      placed.erase(gone);
    }
  }
}

TEST(HostGate, LetsNoBlockOfAnEarlierEpochIn) {
  HostGate gate;
  const std::uint32_t epoch = gate.epoch();
  int touched = 0;
  EXPECT_TRUE(gate.access(epoch, std::nullopt, [&] { ++touched; }));
  gate.abandon();
  EXPECT_FALSE(gate.access(epoch, std::nullopt, [&] { ++touched; }));
  EXPECT_TRUE(gate.access(gate.epoch(), std::nullopt, [&] { ++touched; }));
  EXPECT_EQ(touched, 2);
}

}  // namespace
}  // namespace equipoise::unit_memory_test
