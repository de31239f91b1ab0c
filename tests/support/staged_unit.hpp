// A unit of CPU cores whose stages a test or benchmark takes one by one.
#pragma once

#include <memory>
#include <vector>

#include "real/block_copies.hpp"
#include "real/kernels/buffer.hpp"
#include "real/kernels/kernel.hpp"
#include "real/unit_memory.hpp"
#include "shared_policies/model/failure.hpp"

namespace equipoise {

/// The memory of a unit with blocks of up to `items_max` items of `kernel`, and the kernel's
/// program.
class StagedUnit {
 public:
  StagedUnit(const Kernel& kernel, Items items_max)
      : data_(kernel.data()),
        program_(kernel.make_cpu_program()),
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
  void compute(ThreadTeam& team) { compute_with(team, program_, staged_); }
  void return_results(const Block& block) { copy_out(data_, block, staged_); }

  /// All stages.
  void perform(const Block& block, ThreadTeam& team) {
    bring(block);
    compute(team);
    return_results(block);
  }

 private:
  const KernelData& data_;
  CpuProgram program_;
  BufferOf<std::byte> bytes_;
  UnitMemory memory_;
  StagedBlock staged_;
  std::vector<std::uint64_t> versions_;
};

}  // namespace equipoise
