// Creates traces from tables of times in CSV files.
#pragma once

#include <optional>
#include <string>

#include "shared_policies/machine/trace.hpp"

namespace equipoise {

/// The columns to read, and the unit that they belong to. Columns are named as in the header row.
struct CsvImportOptions {
  std::string unit = "gpu0";                ///< all rows are times of this unit
  std::optional<std::string> kind;          ///< cpu, gpu or mic; by default derived from the unit's
                                            ///< name
  std::string items_column;                 ///< block sizes
  std::string compute_column;               ///< times; in summaries: their mean
  std::string time_unit = "s";              ///< s, ms, us or ns, for all time columns
  std::optional<std::string> sd_column;     ///< standard deviation of a summary
  std::optional<std::string> count_column;  ///< number of samples of a summary
  std::optional<std::string> in_column;     ///< copy-in times
  std::optional<std::string> out_column;    ///< copy-out times
  std::optional<std::string> kernel;        ///< by default the file name without its extension
  std::string item = "item";                ///< the meaning of one item
};

/// Reads a CSV file with a header row. Fields are separated by commas and may be quoted ("" is a
/// quote inside), lines may end in CR LF, empty lines are skipped. Each row is a sample, or a
/// summary if there is a column of deviations or counts.
///
/// Throws InputError with FILE:LINE if the file is missing or empty, a row has too few or too many
/// fields, a field is not a number, a size, time or count is not finite and positive, a deviation
/// or copy time is negative, a time is below 1e-15 s, or a deviation is more than a million times
/// its mean. Also throws for an unknown column, unit of time or kind (suggesting the nearest known
/// one) and for an empty name of the unit or the kernel.
[[nodiscard]] Trace import_csv(const std::string& path, const CsvImportOptions& options);

}  // namespace equipoise
