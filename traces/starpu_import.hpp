// Makes traces from the timings that StarPU's developers recorded on their machines.
#pragma once

#include <string>
#include <vector>

#include "shared_policies/machine/trace.hpp"

namespace equipoise {

/// Where Debian's package starpu-examples keeps its performance models.
extern const char* const default_starpu_directory;

/// What to import.
struct StarpuImportOptions {
  std::string directory = default_starpu_directory;  ///< holds codelets/45 and bus
  std::string machine;                               ///< "sirocco"
  std::string kernel;                                ///< "starpu_dgemm_gemm", its full name
  bool items_from_bytes = false;  ///< an item is 1 KiB of operands instead of 1 MFlop
  bool operand_bytes = false;     ///< operand bytes become `in_bytes` and `out_bytes`
  /// What is known of the machine's units (model, memory), for the header; units are found by name.
  std::vector<Unit> known_units;
  std::string machine_facts = "{}";  ///< a JSON object, for the header
};

/// A row, or a whole table, that is not in the trace.
struct RefusedRow {
  std::string unit;         ///< "cuda1", or the combination in words: "cpu0 x 4 cores"
  double size_bytes = 0.0;  ///< of the operands; 0: the whole table
  int line = 0;             ///< in the model file
  std::string why;
};

/// What came of it.
struct StarpuImport {
  Trace trace;
  std::vector<RefusedRow> refused;  ///< in the file's order
  std::string file;                 ///< the model file that was read
};

/// Imports one kernel's model.
///
/// Items are MFlop (`flops` / 1e6, fractions kept), or KiB of operands with `items_from_bytes`;
/// each row becomes a summary with mean, deviation and count. Units are `cpu0`, `cuda0`, `opencl0`,
/// ...; a CPU entry is what one core takes, and one entry times all cores through the platform's
/// property `trace_unit`.
///
/// Refused are: combinations of several devices or cores, and second implementations; rows without
/// flops (unless items are bytes); counts of 0; times that are not finite and positive; sizes that
/// are negative or not finite; deviations
/// above the mean; and rows that are no measurement of their own, because another row has the same
/// count and the same mean times 1, 2, 3, 4, 5, 8, 10, 16, 32, 64, 100, 1000 or 10^6 or one over it
/// (as far as 7 digits tell). Of such rows the one whose mean is its sum over its count is kept,
/// else that of the unit named first (cpu, cuda, opencl, in order), else the larger one. A unit
/// that copies leave with fewer than two sizes is left out altogether: a single size would claim
/// that it has no fixed cost, when the rest of its times are another unit's.
///
/// With `operand_bytes`, a block moves all its operands in and a third of them out (the tile C of
/// C += A B, one of three of equal size). Tiles are reused, so this overstates what a divisible
/// load moves; the header says so.
///
/// Throws InputError for a missing directory, an unknown machine or kernel (naming the nearest), a
/// malformed file, and a model without a single usable row (saying why not).
[[nodiscard]] StarpuImport import_starpu_model(const StarpuImportOptions& options);

/// SHORT in the file name MACHINE-SHORT.jsonl: the kernel without `starpu_` before and `_gemm`
/// behind.
[[nodiscard]] std::string short_kernel_name(const std::string& kernel);

/// The kernels of which `directory` has a model for `machine`, sorted.
[[nodiscard]] std::vector<std::string> starpu_kernels(const std::string& directory,
                                                      const std::string& machine);

/// Where the files of `directory` come from, in words: Debian's package with its version if it is
/// that package's directory and the package is installed, else "StarPU performance models".
[[nodiscard]] std::string starpu_source(const std::string& directory);

}  // namespace equipoise
