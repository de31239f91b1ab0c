// Memory that is reserved whole and taken page by page, and the kernel that has it.
#include "real/nodes/node_data.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cmath>
#include <new>
#include <utility>

#include "real/nodes/payload.hpp"

namespace equipoise {
namespace {

template <class Byte>
RowsShape shape_of_rows(const HostRows<Byte>& rows, Items items) {
  RowsShape shape{rows.row_bytes, rows.further_rows, items + rows.further_rows};
  if (rows.row_of_item.empty()) return shape;
  shape.row_of_item.assign(rows.row_of_item.begin(), rows.row_of_item.end());
  shape.rows = std::ranges::max(shape.row_of_item) + 1;
  return shape;
}

std::size_t bytes_of(const RowsShape& shape) {
  return in_whole_pages(shape.row_bytes * static_cast<std::size_t>(shape.rows));
}

std::uint64_t whole_bytes(double bytes) { return static_cast<std::uint64_t>(std::ceil(bytes)); }

}  // namespace

DataShape shape_of(const KernelData& data, Items items) {
  DataShape shape;
  for (const InputRows& rows : data.inputs) shape.inputs.push_back(shape_of_rows(rows, items));
  for (const ResultRows& rows : data.results) shape.results.push_back(shape_of_rows(rows, items));
  for (const ResidentArray& array : data.resident) shape.resident_bytes.push_back(array.bytes);
  return shape;
}

DataShape shape_of(const Workload& workload) {
  DataShape shape;
  const auto rows = [&](double bytes_per_item) {
    std::vector<RowsShape> all;
    if (bytes_per_item > 0.0) all.push_back({whole_bytes(bytes_per_item), 0, workload.items, {}});
    return all;
  };
  shape.inputs = rows(workload.in_bytes_per_item);
  shape.results = rows(workload.out_bytes_per_item);
  const double changing = workload.iteration_bytes;
  if (workload.resident_bytes > changing) {
    shape.resident_bytes.push_back(whole_bytes(workload.resident_bytes - changing));
  }
  if (changing > 0.0) shape.resident_bytes.push_back(whole_bytes(changing));
  return shape;
}

ShapedData::ShapedData(const DataShape& shape) {
  std::size_t bytes = 0;
  for (const RowsShape& rows : shape.inputs) bytes += bytes_of(rows);
  for (const RowsShape& rows : shape.results) bytes += bytes_of(rows);
  for (const std::uint64_t resident : shape.resident_bytes) bytes += in_whole_pages(resident);
  bytes_ = bytes;
  if (bytes > 0) {
    void* const begin = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (begin == MAP_FAILED) throw std::bad_alloc();
    owner_ = std::shared_ptr<void>(begin, [bytes](void* memory) { ::munmap(memory, bytes); });
    next_ = static_cast<std::byte*>(begin);
  }
  row_maps_.reserve(shape.inputs.size() + shape.results.size());
  add_rows(shape.inputs, data_.inputs);
  add_rows(shape.results, data_.results);
  for (const std::uint64_t resident : shape.resident_bytes) {
    data_.resident.push_back({std::exchange(next_, next_ + in_whole_pages(resident)), resident});
  }
}

void ShapedData::make_ready() {
  if (bytes_ == 0 || std::exchange(is_ready_, true)) return;
  // Where the system cannot do it (before Linux 5.14), pages are taken one by one, as they are
  // written.
  constexpr int populate_write = 23;  // MADV_POPULATE_WRITE, which older headers do not know
  ::madvise(owner_.get(), bytes_, MADV_HUGEPAGE);
  ::madvise(owner_.get(), bytes_, populate_write);
}

template <class Rows>
void ShapedData::add_rows(const std::vector<RowsShape>& shapes, std::vector<Rows>& rows) {
  for (const RowsShape& shape : shapes) {
    row_maps_.push_back(shape.row_of_item);
    rows.push_back({std::exchange(next_, next_ + bytes_of(shape)), shape.row_bytes,
                    shape.further_rows, row_maps_.back()});
  }
}

NodeKernel::NodeKernel(const Kernel* computed, const Workload& workload,
                       std::shared_ptr<ShapedData> data)
    : Kernel(computed == nullptr ? "item" : computed->item(), workload),
      computed_(computed),
      memory_(std::move(data)) {
  data_ = memory_->data();
}

std::vector<std::span<std::byte>> NodeKernel::room_for_input(const Block& block) const {
  std::vector<std::span<std::byte>> room;
  for (const SentPart& part : input_parts(data_, block)) {
    // Input is constant for programs. This memory is the kernel's own.
    room.emplace_back(const_cast<std::byte*>(part.data()), part.size());
  }
  return room;
}

std::span<std::byte> NodeKernel::room_for_resident(std::size_t array, std::uint64_t version) {
  ResidentArray& resident = data_.resident[array];
  resident.version = version;
  return {const_cast<std::byte*>(resident.data), resident.bytes};  // likewise
}

ProgramSource NodeKernel::program_source() const {
  return computed_ == nullptr ? ProgramSource::catalog : computed_->program_source();
}

bool NodeKernel::has_cpu_program() const {
  return computed_ != nullptr && computed_->has_cpu_program();
}

bool NodeKernel::has_block_program() const {
  return computed_ != nullptr && computed_->has_block_program();
}

CpuProgram NodeKernel::make_cpu_program() const {
  return computed_ == nullptr ? nullptr : computed_->make_cpu_program();
}

std::unique_ptr<BlockProgram> NodeKernel::make_block_program(const UnitPlace& place) const {
  return computed_ == nullptr ? nullptr : computed_->make_block_program(place);
}

GpuLaunch NodeKernel::gpu_launch() const {
  return computed_ == nullptr ? nullptr : computed_->gpu_launch();
}

Verification NodeKernel::verify() const {
  return {.passed = true, .what = "the master verifies", .is_unchecked = true};
}

}  // namespace equipoise
