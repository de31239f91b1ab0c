// Creates traces from tables of times in CSV files.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "shared_policies/machine/trace.hpp"

namespace equipoise {

/// The columns to read, and the units that the rows belong to. Columns are named as in the header
/// rows.
struct CsvImportOptions {
  /// Whose times the files are, in the order of the files. A single unit is that of all files;
  /// none, with a single file, is gpu0.
  std::vector<std::string> units;
  std::optional<std::string> unit_column;  ///< names each row's unit, instead of `units`
  std::optional<std::string> kind;         ///< cpu, gpu or mic; by default derived from each unit's
                                           ///< name
  std::string model;                       ///< of all units: "A40"; empty: not known
  std::vector<std::string> where;          ///< COLUMN=VALUE: only rows for which all of them hold
  std::string items_column;                ///< block sizes
  /// The form of sizes that are no numbers, such as "*x*_mask3", where each * stands for a number:
  /// only rows whose size has this form count.
  std::optional<std::string> items_pattern;
  std::string compute_column;                   ///< times; in summaries: their mean
  std::string time_unit = "s";                  ///< s, ms, us or ns, for all time columns
  std::optional<std::string> sd_column;         ///< standard deviation of a summary
  std::optional<std::string> min_column;        ///< least time of a summary
  std::optional<std::string> max_column;        ///< longest time of a summary
  std::optional<std::string> count_column;      ///< number of samples of a summary
  std::optional<std::string> in_column;         ///< copy-in times
  std::optional<std::string> out_column;        ///< copy-out times
  std::optional<std::string> in_bytes_column;   ///< bytes that a block copies in
  std::optional<std::string> out_bytes_column;  ///< bytes that a block copies out
  std::optional<std::string> kernel;  ///< by default the first file's name without its extension
  std::string item = "item";          ///< the meaning of one item
  std::optional<std::string> grain_items;  ///< block sizes are multiples of it
  std::string provenance;  ///< where the table comes from, and under what licence; stands before
                           ///< what is said of its columns
  /// The largest block that each unit may get: a number of items, or "recorded", its largest size.
  std::optional<std::string> max_block_items;
};

/// The result of an import.
struct CsvImport {
  Trace trace;
  std::vector<std::string> warnings;  ///< "FILE: ...", about rows that were pooled
};

/// Reads CSV files with a header row each, and makes one trace of them. Fields are separated by
/// commas and may be quoted ("" is a quote inside), lines may end in CR LF, empty lines are
/// skipped. Each row is a sample, or a summary if there is a column of deviations, counts, or least
/// or longest times. Rows of one unit and size are pooled when the trace is used; what is doubtful
/// about that is in `warnings`.
///
/// Throws InputError with FILE:LINE if a file is missing or empty, a row has too few or too many
/// fields, a field is not a number, a size, time or count is not finite and positive, a deviation,
/// copy time or number of bytes is negative, a time is below 1e-15 s, a deviation is more than a
/// million times its mean, or a mean is not from the least to the longest time. Also throws for an
/// unknown column, unit of time or kind (suggesting the nearest known one), for conditions that
/// hold for no row of a file, a form of sizes that no row has, for an empty name of a unit or the
/// kernel, and unless there is one unit, a unit for each file, or a column of units.
[[nodiscard]] CsvImport import_csv(const std::vector<std::string>& paths,
                                   const CsvImportOptions& options);

}  // namespace equipoise
