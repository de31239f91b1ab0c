// Places blocks first-fit behind the resident data.
#include "real/unit_memory.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "shared_policies/model/failure.hpp"

namespace equipoise {
namespace {

constexpr std::size_t aligned(std::size_t bytes) {
  return (bytes + array_alignment - 1) / array_alignment * array_alignment;
}

template <class Rows>
std::size_t bytes_of_arrays(const std::vector<Rows>& arrays, Items items, std::size_t blocks) {
  std::size_t bytes = 0;
  for (const Rows& rows : arrays) {
    bytes += aligned(rows.bytes(items));
    if (blocks > 1) {
      bytes += static_cast<std::size_t>(rows.further_rows) * rows.row_bytes;
      bytes += blocks_max * array_alignment;
    }
  }
  return bytes;
}

std::size_t resident_bytes(const KernelData& data) {
  std::size_t bytes = 0;
  for (const ResidentArray& resident : data.resident) bytes += aligned(resident.bytes);
  return bytes;
}

}  // namespace

std::size_t UnitMemory::bytes_for(const KernelData& data, Items room_items, std::size_t blocks) {
  return resident_bytes(data) + bytes_of_arrays(data.inputs, room_items, blocks) +
         bytes_of_arrays(data.results, room_items, blocks);
}

void UnitMemory::begin_phase(const KernelData& data, std::byte* begin, std::size_t bytes,
                             Items room_items) {
  EQ_CHECK(resident_bytes(data) <= bytes, "a unit's memory holds the resident data");
  data_ = &data;
  end_ = begin + bytes;
  room_items_ = room_items;
  resident_.clear();
  for (const ResidentArray& resident : data.resident) {
    resident_.push_back(begin);
    begin += aligned(resident.bytes);
  }
  blocks_begin_ = begin;
  ranges_.clear();
  in_flight_ = 0;
  room_.clear();
}

std::size_t UnitMemory::bytes_of(Items items) const {
  return bytes_of_arrays(data_->inputs, items, 1) + bytes_of_arrays(data_->results, items, 1);
}

bool UnitMemory::place(const Block& block, StagedBlock& staged) {
  if (in_flight_ > 0 && !room_.has_room(block.items, room_items_)) return false;
  if (in_flight_ == 0 && !room_.has_room(block.items, room_items_)) ranges_.clear();
  const auto bytes = static_cast<std::ptrdiff_t>(bytes_of(block.items));
  const auto find_place = [&] {
    std::byte* from = blocks_begin_;
    auto next = ranges_.begin();
    for (; next != ranges_.end() && next->begin - from < bytes; ++next) from = next->end;
    return std::pair(from, next);
  };
  auto [at, next] = find_place();
  if (end_ - at < bytes && in_flight_ == 0) {
    ranges_.clear();  // of groups that have no block in flight
    std::tie(at, next) = find_place();
  }
  if (end_ - at < bytes) return false;
  ranges_.insert(next, {at, at + bytes, block.id, block.group});
  room_.take(block, room_items_);
  ++in_flight_;
  staged.first = block.first;
  staged.items = block.items;
  staged.resident = resident_;
  staged.inputs.clear();
  staged.results.clear();
  for (const InputRows& rows : data_->inputs) {
    staged.inputs.push_back(at);
    at += aligned(rows.bytes(block.items));
  }
  for (const ResultRows& rows : data_->results) {
    staged.results.push_back(at);
    at += aligned(rows.bytes(block.items));
  }
  return true;
}

void UnitMemory::release(const Block& block, bool is_last) {
  const auto range = std::ranges::find(ranges_, block.id, &Range::block);
  EQ_CHECK(range != ranges_.end(), "a released block has memory");
  --in_flight_;
  room_.release(block, is_last);
  if (block.group == 0) {
    ranges_.erase(range);
    return;
  }
  range->is_over = true;
  if (!is_last) return;
  std::erase_if(ranges_,
                [&](const Range& other) { return other.is_over && other.group == block.group; });
}

}  // namespace equipoise
