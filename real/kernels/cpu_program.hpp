// What computes a kernel's blocks on CPU cores.
#pragma once

#include <memory>
#include <utility>

#include "real/kernels/staged_block.hpp"
#include "real/threads/thread_team.hpp"

namespace equipoise {

/// Computes the blocks of one kernel on CPU cores. Several units may use an object at once. It
/// needs nothing of the kernel, because a thread that was left behind may still compute when the
/// kernel is destroyed.
class CpuProgram {
 public:
  CpuProgram() = default;
  CpuProgram(const CpuProgram&) = delete;
  CpuProgram& operator=(const CpuProgram&) = delete;
  virtual ~CpuProgram() = default;

  /// Computes `block` with all threads of `team`. A failure (no memory) is an exception.
  virtual void compute(const StagedBlock& block, ThreadTeam& team) const = 0;
};

/// Makes a program from `part`, a function of (const StagedBlock&, Items first, Items items) that
/// computes the items [first, first + items), counted from the block's start. The threads of a team
/// call it at once, for equal parts of a block.
template <class Part>
[[nodiscard]] std::unique_ptr<CpuProgram> make_cpu_program_of(Part part) {
  class OfParts final : public CpuProgram {
   public:
    explicit OfParts(Part part) : part_(std::move(part)) {}
    void compute(const StagedBlock& block, ThreadTeam& team) const override {
      team.run(block.items, [&](Items first, Items items) { part_(block, first, items); });
    }

   private:
    Part part_;
  };
  return std::make_unique<OfParts>(std::move(part));
}

}  // namespace equipoise
