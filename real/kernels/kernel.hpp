// The interface of all kernels that real units compute: a kernel describes its data and checks its
// results. It copies nothing and computes no block; units copy, and programs compute.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "real/kernels/cpu_program.hpp"
#include "real/kernels/kernel_data.hpp"
#include "shared_policies/model/workload.hpp"

namespace equipoise {

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
  /// Where the data lies on the host. Valid after `allocate` until the kernel is destroyed. Only
  /// the versions of resident data change, in `clear_results` and `begin_iteration`.
  [[nodiscard]] virtual const KernelData& data() const = 0;
  /// Makes the program for units of CPU cores. To be called after `allocate`.
  [[nodiscard]] virtual std::unique_ptr<CpuProgram> make_cpu_program() const = 0;
  /// Checks the results of all items against a computation that shares nothing with the kernel's
  /// code.
  [[nodiscard]] virtual Verification verify() const = 0;
};

}  // namespace equipoise
