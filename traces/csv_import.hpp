// Creates traces from tables of times in CSV files.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "shared_policies/machine/trace.hpp"
#include "shared_policies/records/description.hpp"

namespace equipoise {

/// Where the numbers of a table stand. Columns are named as in its header row.
struct CsvColumns {
  std::optional<std::string> unit_column;
  std::string items_column;
  std::optional<std::string> items_pattern;
  std::string compute_column;
  std::optional<std::string> time_unit;
  std::optional<std::string> sd_column;
  std::optional<std::string> min_column;
  std::optional<std::string> max_column;
  std::optional<std::string> count_column;
  std::optional<std::string> in_column;
  std::optional<std::string> out_column;
  std::optional<std::string> in_bytes_column;
  std::optional<std::string> out_bytes_column;
};

constexpr auto describe(DescriptionOf<CsvColumns> /*of*/) {
  using Columns = CsvColumns;
  return std::tuple(
      member("unit_column", &Columns::unit_column,
             "column that names each row's unit, where a file has times of several")
          .if_any(),
      member("items_column", &Columns::items_column, "block sizes"),
      member("items_pattern", &Columns::items_pattern,
             "form of sizes within text: with '*x*_mask3', 128x128_mask3 is 128 * 128 items, and "
             "rows with other sizes are left out")
          .if_any(),
      member("compute_column", &Columns::compute_column, "times, or mean times"),
      member("time_unit", &Columns::time_unit,
             "of all times: s, ms, us or ns; by default what the name of the column of times ends "
             "with, such as elapsed_ms, else s")
          .if_any(),
      member("sd_column", &Columns::sd_column, "standard deviations").if_any(),
      member("min_column", &Columns::min_column, "least times").if_any(),
      member("max_column", &Columns::max_column, "longest times").if_any(),
      member("count_column", &Columns::count_column, "numbers of samples").if_any(),
      member("in_column", &Columns::in_column, "copy-in times").if_any(),
      member("out_column", &Columns::out_column, "copy-out times").if_any(),
      member("in_bytes_column", &Columns::in_bytes_column, "bytes that a block copies in").if_any(),
      member("out_bytes_column", &Columns::out_bytes_column, "bytes that a block copies out")
          .if_any());
}

/// How tables of times are read, and what the trace that they become says besides.
struct CsvImportOptions {
  std::vector<std::string> units;
  std::optional<std::string> kind;
  std::string model;
  std::vector<std::string> where;
  CsvColumns columns;
  std::optional<std::string> max_block_items;
  std::optional<std::string> kernel;
  std::string item = "item";
  std::optional<std::string> grain_items;
  std::string provenance;
  /// What messages call the option that is described as `name`, such as "--time-unit" for
  /// "time_unit".
  std::function<std::string(const std::string& name)> called = [](const auto& name) {
    return name;
  };
};

constexpr auto describe(DescriptionOf<CsvImportOptions> /*of*/) {
  using Options = CsvImportOptions;
  return std::tuple(
      member("unit", &Options::units,
             "unit that was timed; with several files, once for each, in their order")
          .if_any(),
      member("kind", &Options::kind,
             "cpu, gpu or mic; by default what each unit's name begins with")
          .if_any(),
      member("model", &Options::model,
             "hardware model of the units, e.g. 'A40'; runs warn if a platform's host is another "
             "model")
          .if_any(),
      member("where", &Options::where, "COLUMN=VALUE: only these rows; repeatable").if_any(),
      member("columns", &Options::columns, "where the numbers stand").flat(),
      member("max_block_items", &Options::max_block_items,
             "largest block that a unit may get; 'recorded': its largest recorded size")
          .if_any(),
      member("kernel", &Options::kernel,
             "name of the kernel; by default the first file's name without its ending")
          .if_any(),
      member("item", &Options::item, "what one item is, in words").may_lack(),
      member("grain_items", &Options::grain_items, "block sizes are multiples of this").if_any(),
      member("provenance", &Options::provenance,
             "where the table comes from, and under what licence; for the trace's header")
          .if_any(),
      unwritten(&Options::called));
}

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
/// Without a unit of time, times are in the one with which the name of their column ends
/// (`elapsed_ms`, `time [us]`), else in seconds.
///
/// Throws InputError with FILE:LINE if a file is missing or empty, a row has too few or too many
/// fields, a field is not a number, a size, time or count is not finite and positive, a deviation,
/// copy time or number of bytes is negative, a time is below 1e-15 s, a deviation is more than a
/// million times its mean, or a mean is not from the least to the longest time. Also throws for an
/// unknown column, unit of time or kind (suggesting the nearest known one), for columns whose names
/// end with different units of time if none is given, for conditions that
/// hold for no row of a file, a form of sizes that no row has, for an empty name of a unit or the
/// kernel, and unless there is one unit, a unit for each file, or a column of units.
[[nodiscard]] CsvImport import_csv(const std::vector<std::string>& paths,
                                   const CsvImportOptions& options);

}  // namespace equipoise
