// A loop of the user's program as a kernel: its arrays and its bodies.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "real/kernels/kernel.hpp"
#include "real/kernels/kernel_data.hpp"
#include "shared_policies/model/workload.hpp"

namespace equipoise {

/// The calls of the bodies of one run, or the blocks that threads of the program have.
class BodyCalls {
 public:
  /// How many have not returned.
  [[nodiscard]] int going_on() const { return going_on_; }
  /// Waits until all have returned; ten times as long as the longest of them took, but a second, at
  /// most.
  void await_end() const;

  void add_failure(const std::string& what) {
    const std::lock_guard<std::mutex> lock(mutex_);
    last_failure_ = what;
  }
  /// What the last one that failed has thrown; empty: none failed.
  [[nodiscard]] std::string last_failure() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return last_failure_;
  }

 private:
  friend class BodyCall;

  std::atomic<int> going_on_ = 0;
  std::atomic<double> longest_s_ = 0.0;
  mutable std::mutex mutex_;
  std::string last_failure_;
};

/// A call of a body, while it lasts.
class BodyCall {
 public:
  explicit BodyCall(std::shared_ptr<BodyCalls> calls);
  BodyCall(const BodyCall&) = delete;
  BodyCall& operator=(const BodyCall&) = delete;
  ~BodyCall();

 private:
  std::shared_ptr<BodyCalls> calls_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

/// A loop of the user's program.
struct LoopWork {
  Workload workload;  ///< its bytes follow from `data`
  std::string item = "item";
  /// Arrays of the program. Input and results must not overlap: a block may be done twice.
  KernelData data;
  CpuProgram cpu;  ///< null: CPU cores cannot do it
  /// Whether that is called for whole blocks and starts threads of its own, which keep to the
  /// unit's cores. Otherwise each core of the unit calls it for an equal part of a block.
  bool starts_threads = false;
  GpuLaunch gpu;                         ///< null: GPUs cannot do it
  std::vector<bool> resident_changes;    ///< (resident arrays) between iterations
  std::function<void(int)> between;      ///< before iteration k, from 1; null: nothing to do
  std::vector<int> cores_of_between;     ///< where its threads may run; empty: anywhere
  std::function<Verification()> verify;  ///< null: nobody checks the results
  std::shared_ptr<BodyCalls> calls = std::make_shared<BodyCalls>();
};
using LoopWorkPtr = std::shared_ptr<const LoopWork>;

/// Sets the bytes of `workload` to those of `data`, and checks both. Throws InputError (at the
/// loop's name): no such name, sizes out of range, or results that overlap with input.
void check_and_measure(LoopWork& work);

/// Makes the kernel of a loop that was measured. What its bodies throw is a BlockFailure that says
/// so. If a body calls OpenMP, it gets no more threads than the unit has cores.
[[nodiscard]] std::unique_ptr<Kernel> make_loop_kernel(LoopWorkPtr work);

/// Does some blocks of the loop twice, on this thread, and without changing its results: with other
/// bytes in the memory of the results, and as one block or several. Says what the body does that it
/// must not: not all results of its items, others the second time, or anything else in the loop's
/// arrays. Empty: nothing was found. Throws InputError if CPU cores cannot do the loop; what the
/// body throws comes out as a BlockFailure.
[[nodiscard]] std::string fault_of_body(const LoopWork& work);

}  // namespace equipoise
