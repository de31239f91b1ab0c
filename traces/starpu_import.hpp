// Creates traces from the times that StarPU's developers recorded on their machines.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "shared_policies/machine/trace.hpp"

namespace equipoise {

/// Flops as a power of the bytes of a task's operands: factor * bytes^exponent.
struct FlopsOfBytes {
  double factor = 0.0;
  double exponent = 1.0;

  [[nodiscard]] double flop(double bytes) const;
};

/// Reads "0.017*bytes^1.5" or "2*bytes". Throws InputError (at `where`) for any other text, and
/// unless both numbers are above 0.
[[nodiscard]] FlopsOfBytes parse_flops(const std::string& text, const std::string& where);

/// A unit whose times grow faster than the bytes of operands.
struct GrowthBeyondBytes {
  std::string unit;
  double bytes = 1.0;  ///< the largest size over the size at which a KiB is cheapest
  double time = 1.0;   ///< the same of their times; more than 1.25 times `bytes`
};

/// The unit of `trace`, in which an item is 1 KiB of operands, whose times grow furthest beyond the
/// bytes; nullopt if none does.
[[nodiscard]] std::optional<GrowthBeyondBytes> growth_beyond_bytes(const Trace& trace);

/// The folder where Debian's package starpu-examples keeps its performance models.
extern const char* const default_starpu_directory;

/// What to import, and how.
struct StarpuImportOptions {
  std::string directory = default_starpu_directory;  ///< contains codelets/45 and bus
  std::string machine;                               ///< "sirocco"
  std::string kernel;                                ///< its full name: "starpu_dgemm_gemm"
  bool items_from_bytes = false;      ///< an item is 1 KiB of operands instead of 1 MFlop
  std::optional<FlopsOfBytes> flops;  ///< of rows whose flops the model does not say
  bool operand_bytes = false;         ///< operand bytes become `in_bytes` and `out_bytes`
  /// Known properties of the machine's units (model, memory), for the header; units are matched by
  /// name.
  std::vector<Unit> known_units;
  Facts machine_facts;  ///< for the header
};

/// A row, or a whole table, that was left out of the trace.
struct RefusedRow {
  std::string unit;         ///< "cuda1", or a combination as text: "cpu0 x 4 cores"
  double size_bytes = 0.0;  ///< of the operands; 0: the whole table
  int line = 0;             ///< line in the model file
  std::string why;
};

/// The result of an import.
struct StarpuImport {
  Trace trace;
  std::vector<RefusedRow> refused;  ///< in the file's order
  std::string file;                 ///< the model file that was read
};

/// Imports one kernel's model.
///
/// Items are MFlop (`flops` / 1e6, with fractions), or KiB of operands if `items_from_bytes`. Each
/// row becomes a summary with mean, deviation and count. Units are `cpu0`, `cuda0`, `opencl0`, ...
/// A CPU entry is the time of one core; through the platform's property `trace_unit`, one entry
/// provides the times of all cores.
///
/// Left out are: combinations of several devices or cores, and implementations other than the
/// first; rows without flops (unless `flops` gives them or items are bytes); counts of 0; times
/// that are not finite and positive; sizes that are negative or not finite; deviations above the
/// mean; and rows that are copies of another row: they have the same count, and the same mean times
/// or divided by 1, 2, 3, 4, 5, 8, 10, 16, 32, 64, 100, 1000 or 10^6 (within the precision of 7
/// digits). Of such rows, the one whose mean is its sum over its count is kept, else that of the
/// first unit (in the order cpu, cuda, opencl), else the larger one. If this leaves a unit with
/// fewer than two sizes, the unit is left out completely: a single size would say that it has no
/// fixed cost, although its other times belong to another unit.
///
/// With `operand_bytes`, a block copies all its operands in and a third of them out (the tile C of
/// C += A B, one of three of equal size). Tiles are reused in StarPU, so this overstates what a
/// divisible load moves; the header says so.
///
/// Throws InputError for a missing directory, an unknown machine or kernel (suggesting the
/// nearest), a malformed file, and a model without a usable row (with the reason).
[[nodiscard]] StarpuImport import_starpu_model(const StarpuImportOptions& options);

/// SHORT in the file name MACHINE-SHORT.jsonl: the kernel's name without the prefix `starpu_` and
/// the suffix `_gemm`.
[[nodiscard]] std::string short_kernel_name(const std::string& kernel);

/// The kernels for which `directory` has a model of `machine`, sorted.
[[nodiscard]] std::vector<std::string> starpu_kernels(const std::string& directory,
                                                      const std::string& machine);

/// The origin of the files in `directory`, as text: Debian's package with its version if
/// `directory` is that package's and the package is installed, else "StarPU performance models".
[[nodiscard]] std::string starpu_source(const std::string& directory);

}  // namespace equipoise
