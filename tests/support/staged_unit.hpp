// A unit whose stages a test or benchmark takes one by one.
#pragma once

#include <memory>
#include <vector>

#include "real/host_copies.hpp"
#include "real/kernels/buffer.hpp"
#include "real/kernels/kernel.hpp"
#include "real/unit_memory.hpp"
#include "shared_policies/model/failure.hpp"

namespace equipoise {

/// The memory of a unit, with one block of up to `items_max` items of `kernel` at a time.
class StagedMemory {
 public:
  StagedMemory(const Kernel& kernel, Items items_max)
      : data_(kernel.data()),
        bytes_(UnitMemory::bytes_for_one(data_, items_max)),
        versions_(data_.resident.size()) {
    memory_.begin_phase(data_, bytes_.data(), bytes_.span().size(), items_max);
  }

  /// Copies `block` and, if it is new, the resident data.
  void bring(const Block& block) {
    EQ_CHECK(memory_.place(block, staged_), "a test's blocks are no larger than it says");
    memory_.release(block, true);
    copy_resident(data_, staged_, versions_);
    copy_in(data_, block, staged_);
  }
  /// The block that `bring` brought.
  [[nodiscard]] const StagedBlock& staged() const { return staged_; }
  void return_results(const Block& block) { copy_out(data_, block, staged_); }

 private:
  const KernelData& data_;
  BufferOf<std::byte> bytes_;
  UnitMemory memory_;
  StagedBlock staged_;
  std::vector<std::uint64_t> versions_;
};

/// The memory of a unit of CPU cores, and the kernel's program.
class StagedUnit {
 public:
  StagedUnit(const Kernel& kernel, Items items_max)
      : memory_(kernel, items_max), program_(kernel.make_cpu_program()) {}

  void bring(const Block& block) { memory_.bring(block); }
  void compute(ThreadTeam& team) { program_->compute(memory_.staged(), team); }
  void return_results(const Block& block) { memory_.return_results(block); }

  /// All stages.
  void perform(const Block& block, ThreadTeam& team) {
    bring(block);
    compute(team);
    return_results(block);
  }

 private:
  StagedMemory memory_;
  std::unique_ptr<CpuProgram> program_;
};

}  // namespace equipoise
