// Converts the rows of a CSV file to trace samples.
#include "traces/csv_import.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <vector>

#include "shared_policies/model/failure.hpp"
#include "shared_policies/model/nearest_name.hpp"
#include "traces/csv_reader.hpp"
#include "traces/time_limits.hpp"

namespace equipoise {
namespace {

/// Larger sizes and counts do not fit in 63 bits.
constexpr double most_countable = 9.2e18;

/// The positions of the columns.
struct Columns {
  std::size_t items = 0;
  std::size_t compute = 0;
  std::optional<std::size_t> sd;
  std::optional<std::size_t> count;
  std::optional<std::size_t> in;
  std::optional<std::size_t> out;
};

std::size_t find_column(const std::string& where, const std::vector<std::string>& header,
                        const std::string& name, const char* option) {
  const auto found = std::find(header.begin(), header.end(), name);
  if (found == header.end()) {
    throw InputError(where, unknown_name(fmt::format("column for --{}", option), name, header));
  }
  return static_cast<std::size_t>(found - header.begin());
}

std::optional<std::size_t> find_column(const std::string& where,
                                       const std::vector<std::string>& header,
                                       const std::optional<std::string>& name, const char* option) {
  if (!name) return std::nullopt;
  return find_column(where, header, *name, option);
}

double seconds_per(const std::string& unit) {
  if (unit == "s") return 1.0;
  if (unit == "ms") return 1e-3;
  if (unit == "us") return 1e-6;
  if (unit == "ns") return 1e-9;
  const std::vector<std::string> known = {"s", "ms", "us", "ns"};
  throw InputError("--time-unit", unknown_name("unit of time", unit, known));
}

UnitKind kind_of(const CsvImportOptions& options) {
  if (!options.kind) return options.unit.starts_with("cpu") ? UnitKind::cpu : UnitKind::gpu;
  return read_unit_kind(*options.kind, "--kind");
}

/// One row, with the names of its columns.
struct Record {
  std::string where;
  const std::vector<std::string>& header;
  const std::vector<std::string>& fields;

  [[noreturn]] void refuse(const std::string& why) const {
    throw InputError(where, why + "; correct the row or leave it out");
  }

  [[nodiscard]] double number(std::size_t column) const {
    return csv_number(fields[column], header[column], where);
  }

  [[nodiscard]] double positive(std::size_t column) const {
    const double value = number(column);
    if (value <= 0.0) {
      refuse(fmt::format("`{}` must be more than zero, not {}", header[column], fields[column]));
    }
    if (value > most_countable) {
      refuse(fmt::format("`{}` overflows: {}", header[column], fields[column]));
    }
    return value;
  }

  [[nodiscard]] std::optional<double> not_negative(std::optional<std::size_t> column) const {
    if (!column || fields[*column].empty()) return std::nullopt;
    const double value = number(*column);
    if (value < 0.0) {
      refuse(fmt::format("`{}` must not be negative", header[*column]));
    }
    if (value > most_countable) {
      refuse(fmt::format("`{}` overflows: {}", header[*column], fields[*column]));
    }
    return value;
  }

  /// Converts `value` of the column to seconds; `seconds` is the unit of the column.
  [[nodiscard]] double in_seconds(double value, std::size_t column, double seconds) const {
    const double converted = value * seconds;
    const std::string why = value > 0.0 ? why_no_time(converted) : std::string();
    if (!why.empty()) refuse(fmt::format("`{}` {}, not {}", header[column], why, fields[column]));
    return converted;
  }
};

TraceSample read_sample(const Record& record, const Columns& columns, double seconds) {
  if (record.fields.size() != record.header.size()) {
    record.refuse(fmt::format("{} fields where the header row has {}", record.fields.size(),
                              record.header.size()));
  }
  TraceSample sample;
  sample.items = record.positive(columns.items);
  sample.compute_mean_s =
      record.in_seconds(record.positive(columns.compute), columns.compute, seconds);
  if (columns.count) {
    const double count = record.positive(*columns.count);
    if (count != std::floor(count)) {
      record.refuse("`" + record.header[*columns.count] + "` must be a whole number");
    }
    sample.count = static_cast<std::uint64_t>(count);
  }
  const auto in_seconds = [&](std::optional<std::size_t> column) {
    std::optional<double> value = record.not_negative(column);
    if (value) *value = record.in_seconds(*value, *column, seconds);
    return value;
  };
  if (columns.sd) {
    const std::optional<double> sd = record.not_negative(columns.sd);
    if (sd) sample.compute_sd_s = *sd * seconds;
    const std::string why =
        why_no_deviation(sample.compute_sd_s.value_or(0.0), sample.compute_mean_s);
    if (!why.empty()) record.refuse("`" + record.header[*columns.sd] + "` " + why);
  }
  sample.in_s = in_seconds(columns.in);
  sample.out_s = in_seconds(columns.out);
  sample.is_summary = columns.count.has_value() || columns.sd.has_value();
  return sample;
}

}  // namespace

Trace import_csv(const std::string& path, const CsvImportOptions& options) {
  const double seconds = seconds_per(options.time_unit);
  if (options.unit.empty()) throw InputError("--unit", "the name is empty; name the unit");
  if (options.kernel == "") throw InputError("--kernel", "the name is empty; name the kernel");
  Trace trace;
  Unit& unit = trace.units.emplace_back();
  unit.name = options.unit;
  unit.kind = kind_of(options);
  CsvReader reader(path);
  std::vector<std::string> header;
  if (!reader.next(header)) throw InputError(path, "the file is empty; give a CSV file");
  const std::string where = reader.where();
  const Columns columns{
      .items = find_column(where, header, options.items_column, "items-column"),
      .compute = find_column(where, header, options.compute_column, "compute-column"),
      .sd = find_column(where, header, options.sd_column, "sd-column"),
      .count = find_column(where, header, options.count_column, "count-column"),
      .in = find_column(where, header, options.in_column, "in-column"),
      .out = find_column(where, header, options.out_column, "out-column")};
  for (std::vector<std::string> fields; reader.next(fields);) {
    trace.samples.push_back(read_sample({reader.where(), header, fields}, columns, seconds));
  }
  if (trace.samples.empty())
    throw InputError(path, "the file has no rows below its header row; give one that has");
  const std::filesystem::path file(path);
  trace.source = "imported";
  trace.kernel = options.kernel.value_or(file.stem().string());
  trace.item = options.item;
  trace.provenance = fmt::format("column {} of {} in {} against column {}", options.compute_column,
                                 file.filename().string(), options.time_unit, options.items_column);
  trace.machine = "{}";
  return trace;
}

}  // namespace equipoise
