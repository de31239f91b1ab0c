// Makes traces from tables of timings in CSV files.
#pragma once

#include <optional>
#include <string>

#include "shared_policies/machine/trace.hpp"

namespace equipoise {

/// Which columns of the file hold what. Columns are named as the header row names them.
struct CsvImportOptions {
  std::string unit = "gpu0";             ///< all rows are timings of this unit
  std::optional<std::string> kind;       ///< cpu, gpu or mic; by default as the unit's name begins
  std::string items_column;              ///< block sizes
  std::string compute_column;            ///< times (of a summary: their mean)
  std::string time_unit = "s";           ///< s, ms, us or ns: of every time column
  std::optional<std::string> sd_column;  ///< deviation of a summary
  std::optional<std::string> count_column;  ///< number of samples of a summary
  std::optional<std::string> in_column;     ///< copy-in times
  std::optional<std::string> out_column;    ///< copy-out times
  std::optional<std::string> kernel;        ///< by default the file's name without its ending
  std::string item = "item";                ///< what one item is, in words
};

/// Reads a CSV file with a header row: comma-separated, fields may be quoted ("" is a quote
/// inside), lines may end in CR LF, empty lines are skipped. Each row is a sample, or a summary
/// where a deviation or a count is given.
///
/// Throws InputError with FILE:LINE for a missing or empty file, a row with too few fields, a field
/// that is no number, sizes, times and counts that are not finite and positive, negative deviations
/// and copy times, times below 1e-15 s, deviations of more than a million means; and for an unknown column, unit
/// of time or kind (naming the nearest known one) and an empty name of the unit or the kernel.
[[nodiscard]] Trace import_csv(const std::string& path, const CsvImportOptions& options);

}  // namespace equipoise
