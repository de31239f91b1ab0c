// A loop of the user's program as a kernel: its arrays and its bodies.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "real/kernels/kernel.hpp"
#include "real/kernels/kernel_data.hpp"
#include "shared_policies/model/workload.hpp"

namespace equipoise {

/// Which threads do a block on a unit of CPU cores.
enum class BodyThreads : std::uint8_t {
  of_unit,  ///< a thread on each core of the unit calls the body for an equal part of the block
  own       ///< one thread calls it for the whole block, and it starts others, which keep to the
            ///< unit's cores
};

/// What bodies have thrown.
class BodyFailures {
 public:
  void add(const std::string& what) {
    const std::lock_guard<std::mutex> lock(mutex_);
    last_ = what;
  }
  /// The last; empty: nothing.
  [[nodiscard]] std::string last() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return last_;
  }

 private:
  mutable std::mutex mutex_;
  std::string last_;
};

/// A loop of the user's program.
struct LoopWork {
  Workload workload;  ///< its bytes follow from `data`
  std::string item = "item";
  /// Arrays of the program. Input and results must not overlap: a block may be done twice.
  KernelData data;
  CpuProgram cpu;  ///< null: CPU cores cannot do it
  BodyThreads threads = BodyThreads::of_unit;
  GpuLaunch gpu;                         ///< null: GPUs cannot do it
  std::vector<bool> resident_changes;    ///< (resident arrays) between iterations
  std::function<void(int)> between;      ///< before iteration k, from 1; null: nothing to do
  std::function<Verification()> verify;  ///< null: nobody checks the results
  std::shared_ptr<BodyFailures> failures = std::make_shared<BodyFailures>();
};
using LoopWorkPtr = std::shared_ptr<const LoopWork>;

/// Sets the bytes of `workload` to those of `data`, and checks both. Throws InputError (at the
/// loop's name): no such name, sizes out of range, or results that overlap with input.
void complete(LoopWork& work);

/// Makes the kernel of a complete loop. What its bodies throw is a BlockFailure that says so; two
/// blocks may be in a body at a time. If the body calls OpenMP, it gets no more threads than the
/// unit has cores.
[[nodiscard]] std::unique_ptr<Kernel> make_loop_kernel(LoopWorkPtr work);

/// Does some blocks of the loop twice, on this thread, and without changing its results: with other
/// bytes in the memory of the results, and as one block or several. Says whether the body writes all
/// results of its items, the same each time, and nothing else of the loop's arrays. Throws
/// InputError if CPU cores cannot do the loop; what the body throws comes out as a BlockFailure.
[[nodiscard]] Verification check_body(const LoopWork& work);

}  // namespace equipoise
