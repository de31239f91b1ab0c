// What can be computed for real: the interface of every kernel.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "real/thread_team.hpp"
#include "shared_policies/model/block.hpp"
#include "shared_policies/model/workload.hpp"

namespace equipoise {

/// A kernel at work on one unit: its code there, and the unit's own buffers. Blocks are staged in
/// those buffers on every kind of unit, CPUs too, so that copies are real and can be measured. Used
/// by one thread at a time; several units of one kernel work at once on disjoint blocks. A failure
/// to work (no memory, a device error) is an exception.
class UnitKernel {
 public:
  UnitKernel() = default;
  UnitKernel(const UnitKernel&) = delete;
  UnitKernel& operator=(const UnitKernel&) = delete;
  virtual ~UnitKernel() = default;

  /// Brings what every block needs and no block changes; before the first block.
  virtual void copy_resident() = 0;
  /// Brings the input of `block` to the unit.
  virtual void copy_in(const Block& block) = 0;
  /// Computes `block`, which was copied in last, with all threads of `team`. Uses nothing of the
  /// kernel, which may be gone: a thread that was left behind still computes.
  virtual void compute(const Block& block, ThreadTeam& team) = 0;
  /// Brings the results of `block` back to the host's arrays.
  virtual void copy_out(const Block& block) = 0;
};

/// What a kernel's own check of its numbers found.
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

  /// Items, grain, bytes, memory, FLOP and parameters; known before anything is allocated.
  [[nodiscard]] virtual const Workload& workload() const = 0;
  /// What one item is, in words: "option", "row".
  [[nodiscard]] virtual std::string item() const = 0;
  /// The parameters on which the cost per item depends: a trace that was made with others does not
  /// tell how long this one takes.
  [[nodiscard]] virtual std::map<std::string, double> problem() const = 0;
  /// Memory that `allocate` takes on the host.
  [[nodiscard]] virtual double host_bytes() const = 0;

  /// Makes the input, the same for the same seed, and room for the results. Once, before the rest.
  virtual void allocate(std::uint64_t seed) = 0;
  /// Forgets all results, so that `verify` fails for what is not computed again.
  virtual void clear_results() = 0;
  /// Makes ready what the blocks of `iteration`, counted from 1, need of the results of the one
  /// before: called between iterations, while no block is at work. Results of items that nobody
  /// computed (a paced unit only takes their time) may be missing; they count for nothing. Does
  /// nothing unless a kernel says so.
  virtual void begin_iteration(int /*iteration*/) {}
  /// A CPU unit's own side, with room for blocks of up to `items_max` items; the memory is touched,
  /// so that no block pays for that. Its copies use `this`; its `compute` may outlive it.
  [[nodiscard]] virtual std::unique_ptr<UnitKernel> make_cpu_side(Items items_max) = 0;
  /// Checks the results of all items against a computation that shares nothing with the kernel's
  /// own.
  [[nodiscard]] virtual Verification verify() const = 0;
};

}  // namespace equipoise
