// The interface of all kernels that real units compute.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "real/thread_team.hpp"
#include "shared_policies/model/block.hpp"
#include "shared_policies/model/workload.hpp"

namespace equipoise {

/// A kernel's code and buffers on one unit. Every kind of unit stages blocks in its own buffers,
/// CPUs too, so that copies are real and can be measured. One thread at a time uses an object;
/// several units work on disjoint blocks of a kernel at once. A failure (no memory, a device error)
/// is reported by an exception.
class UnitKernel {
 public:
  UnitKernel() = default;
  UnitKernel(const UnitKernel&) = delete;
  UnitKernel& operator=(const UnitKernel&) = delete;
  virtual ~UnitKernel() = default;

  /// Copies the data that every block needs and no block changes; called before the first block.
  virtual void copy_resident() = 0;
  /// Copies the input of `block` to the unit.
  virtual void copy_in(const Block& block) = 0;
  /// Computes `block`, which was copied in last, with all threads of `team`. Must not use the
  /// kernel: a thread that was left behind may still compute when the kernel is destroyed.
  virtual void compute(const Block& block, ThreadTeam& team) = 0;
  /// Copies the results of `block` back to the host's arrays.
  virtual void copy_out(const Block& block) = 0;
};

/// The result of a kernel's own check of its numbers.
struct Verification {
  bool passed = false;
  std::string what;  ///< which check passed how closely; or which item is wrong, and by how much
};

/// A kernel with its problem size and, once allocated, its data on the host.
class Kernel {
 public:
  Kernel() = default;
  Kernel(const Kernel&) = delete;
  Kernel& operator=(const Kernel&) = delete;
  virtual ~Kernel() = default;

  /// Items, grain, bytes, memory, FLOP and parameters; known before allocation.
  [[nodiscard]] virtual const Workload& workload() const = 0;
  /// One item in words, such as "option" or "row".
  [[nodiscard]] virtual std::string item() const = 0;
  /// The parameters on which the cost per item depends. A trace recorded with other values does not
  /// predict the times of this kernel.
  [[nodiscard]] virtual std::map<std::string, double> problem() const = 0;
  /// Memory that `allocate` takes on the host.
  [[nodiscard]] virtual double host_bytes() const = 0;

  /// Makes the input, which is the same for the same seed, and room for the results. Called once,
  /// before the functions below.
  virtual void allocate(std::uint64_t seed) = 0;
  /// Discards all results, so that `verify` fails for items that are not computed again.
  virtual void clear_results() = 0;
  /// Prepares the data that blocks of `iteration` (counted from 1) need from the results of the
  /// iteration before. Called between iterations, while no block is computed. Results may be
  /// missing, because a paced unit only takes the time of its items; missing results are ignored.
  /// Does nothing by default.
  virtual void begin_iteration(int /*iteration*/) {}
  /// Makes a CPU unit's side with buffers for blocks of up to `items_max` items. The buffers are
  /// written once, so that no block pays for the first access. Copies use `this`; `compute` may
  /// outlive it.
  [[nodiscard]] virtual std::unique_ptr<UnitKernel> make_cpu_side(Items items_max) = 0;
  /// Checks the results of all items against a computation that shares nothing with the kernel's
  /// code.
  [[nodiscard]] virtual Verification verify() const = 0;
};

}  // namespace equipoise
