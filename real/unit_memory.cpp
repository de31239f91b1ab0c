// Places blocks first-fit behind the resident data.
#include "real/unit_memory.hpp"

#include <tuple>
#include <utility>

#include "real/worker.hpp"
#include "shared_policies/model/failure.hpp"

namespace equipoise {
namespace {

/// The bytes of the arrays of one block of `items`.
std::size_t block_bytes(const KernelData& data, Items items) {
  std::size_t bytes = 0;
  for (const InputRows& rows : data.inputs) bytes += in_whole_pages(rows.bytes(items));
  for (const ResultRows& rows : data.results) bytes += in_whole_pages(rows.bytes(items));
  return bytes;
}

}  // namespace

std::size_t UnitMemory::resident_bytes(const KernelData& data) {
  std::size_t bytes = 0;
  for (const ResidentArray& resident : data.resident) bytes += in_whole_pages(resident.bytes);
  return bytes;
}

std::size_t UnitMemory::bytes_for_one(const KernelData& data, Items items) {
  return resident_bytes(data) + block_bytes(data, items);
}

std::size_t UnitMemory::bytes_for_several(const KernelData& data, Items room_items) {
  std::size_t bytes = block_bytes(data, room_items);
  const auto add_what_blocks_need_besides = [&bytes](const auto& rows) {
    bytes += static_cast<std::size_t>(rows.further_rows) * rows.row_bytes;
    bytes += blocks_at_worker_max * array_alignment;
  };
  std::ranges::for_each(data.inputs, add_what_blocks_need_besides);
  std::ranges::for_each(data.results, add_what_blocks_need_besides);
  return bytes;
}

void UnitMemory::begin_phase(const KernelData& data, std::byte* begin, std::size_t bytes,
                             Items room_items, std::byte* resident_begin) {
  const bool is_here = resident_begin == nullptr;
  EQ_CHECK(!is_here || resident_bytes(data) <= bytes, "a unit's memory holds the resident data");
  data_ = &data;
  blocks_begin_ = is_here ? begin + resident_bytes(data) : begin;
  end_ = begin + bytes;
  room_items_ = room_items;
  resident_.clear();
  std::byte* at = is_here ? begin : resident_begin;
  for (const ResidentArray& resident : data.resident) {
    resident_.push_back(at);
    at += in_whole_pages(resident.bytes);
  }
  ranges_.clear();
  in_flight_ = 0;
  room_.clear();
}

bool UnitMemory::place(const Block& block, StagedBlock& staged) {
  if (in_flight_ > 0 && !room_.has_room(block.items, room_items_)) return false;
  if (in_flight_ == 0 && !room_.has_room(block.items, room_items_)) ranges_.clear();
  const auto bytes = static_cast<std::ptrdiff_t>(block_bytes(*data_, block.items));
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
    at += in_whole_pages(rows.bytes(block.items));
  }
  for (const ResultRows& rows : data_->results) {
    staged.results.push_back(at);
    at += in_whole_pages(rows.bytes(block.items));
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
