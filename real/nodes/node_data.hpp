// The data of a kernel on a node that has none of its input: memory of the same shape, which fills
// with what is sent.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "real/kernels/kernel.hpp"
#include "real/kernels/kernel_data.hpp"
#include "shared_policies/model/workload.hpp"

namespace equipoise {

/// The shape of rows.
struct RowsShape {
  std::uint64_t row_bytes = 0;
  std::int64_t further_rows = 0;
  std::int64_t rows = 0;  ///< all of them
  std::vector<Items> row_of_item{};

  bool operator==(const RowsShape&) const = default;
};

/// The shape of a kernel's data.
struct DataShape {
  std::vector<RowsShape> inputs;
  std::vector<RowsShape> results;
  std::vector<std::uint64_t> resident_bytes;

  bool operator==(const DataShape&) const = default;
};

/// The shape of the data of a kernel with `items` items.
[[nodiscard]] DataShape shape_of(const KernelData& data, Items items);

/// Of a workload that no kernel computes: rows and resident data with as many bytes as it says, of
/// which those that an iteration changes are an array of their own.
[[nodiscard]] DataShape shape_of(const Workload& workload);

/// Memory of a shape. It reads as 0 where nothing was written, and stays as long as somebody owns
/// it. Before `make_ready` it takes room only where something was written.
class ShapedData {
 public:
  /// Throws std::bad_alloc.
  explicit ShapedData(const DataShape& shape);

  [[nodiscard]] KernelData& data() { return data_; }
  [[nodiscard]] const KernelData& data() const { return data_; }
  /// Takes all of its memory now, because taking a page when it is first written costs time then.
  /// It may be written meanwhile.
  void make_ready();
  /// Its memory.
  [[nodiscard]] const std::shared_ptr<void>& owner() const { return owner_; }

 private:
  template <class Rows>
  void add_rows(const std::vector<RowsShape>& shapes, std::vector<Rows>& rows);

  std::vector<std::vector<Items>> row_maps_;
  KernelData data_;
  std::shared_ptr<void> owner_;
  std::byte* next_ = nullptr;
  std::size_t bytes_ = 0;
  bool is_ready_ = false;
};

/// A kernel whose programs are those of another one, which is not allocated, and whose data are
/// what was sent.
class NodeKernel final : public Kernel {
 public:
  /// `computed` outlives this kernel; null: no unit of the node computes.
  NodeKernel(const Kernel* computed, const Workload& workload, std::shared_ptr<ShapedData> data);

  /// Where what is sent belongs.
  [[nodiscard]] const std::shared_ptr<ShapedData>& memory() const { return memory_; }
  /// The input of `block` there.
  [[nodiscard]] std::vector<std::span<std::byte>> room_for_input(const Block& block) const;
  /// Resident array `array`, of which `version` is to come.
  [[nodiscard]] std::span<std::byte> room_for_resident(std::size_t array, std::uint64_t version);

  void allocate(std::uint64_t /*seed*/) override {}
  void clear_results() override {}
  ProgramSource program_source() const override;
  bool has_cpu_program() const override;
  bool has_block_program() const override;
  CpuProgram make_cpu_program() const override;
  std::unique_ptr<BlockProgram> make_block_program(const UnitPlace& place) const override;
  GpuLaunch gpu_launch() const override;
  /// The master verifies.
  Verification verify() const override;

 private:
  const Kernel* computed_;
  std::shared_ptr<ShapedData> memory_;
};

}  // namespace equipoise
