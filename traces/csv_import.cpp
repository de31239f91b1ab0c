// Converts the rows of a CSV file to trace samples.
#include "traces/csv_import.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>
#include <utility>

#include "shared_policies/model/failure.hpp"
#include "shared_policies/specs/spec.hpp"
#include "shared_policies/text/nearest_name.hpp"
#include "shared_policies/text/printable_text.hpp"
#include "traces/csv_choice.hpp"
#include "traces/csv_levels.hpp"
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
  std::optional<std::size_t> least;
  std::optional<std::size_t> most;
  std::optional<std::size_t> count;
  std::optional<std::size_t> in;
  std::optional<std::size_t> out;
  std::optional<std::size_t> in_bytes;
  std::optional<std::size_t> out_bytes;
  std::optional<std::size_t> unit;
};

std::size_t find_column(const std::string& where, const std::vector<std::string>& header,
                        const std::string& name, const char* option) {
  const auto found = std::find(header.begin(), header.end(), name);
  if (found == header.end()) {
    throw InputError(where, unknown_name(fmt::format("column for --{}", option), name, header));
  }
  if (std::find(found + 1, header.end(), name) != header.end()) {
    throw InputError(where, fmt::format("two columns are called {}, which --{} names; rename one",
                                        printable(name), option));
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

UnitKind kind_of(const CsvImportOptions& options, const std::string& unit) {
  if (!options.kind) return unit.starts_with("cpu") ? UnitKind::cpu : UnitKind::gpu;
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
    return positive(column, number(column));
  }

  /// `value`, which is read from the column.
  [[nodiscard]] double positive(std::size_t column, double value) const {
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

/// Reads the least and the longest time of a summary.
void read_limits(const Record& record, const Columns& columns, double seconds,
                 TraceSample& sample) {
  const auto time = [&](std::optional<std::size_t> column) -> std::optional<double> {
    if (!column || record.fields[*column].empty()) return std::nullopt;
    return record.in_seconds(record.positive(*column), *column, seconds);
  };
  sample.compute_min_s = time(columns.least);
  sample.compute_max_s = time(columns.most);
  if (sample.compute_min_s > sample.compute_mean_s) {
    record.refuse("`" + record.header[*columns.least] + "` is above the mean");
  }
  if (sample.compute_max_s && *sample.compute_max_s < sample.compute_mean_s) {
    record.refuse("`" + record.header[*columns.most] + "` is below the mean");
  }
}

TraceSample read_sample(const Record& record, const Columns& columns, double items,
                        double seconds) {
  TraceSample sample;
  sample.items = record.positive(columns.items, items);
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
  read_limits(record, columns, seconds, sample);
  sample.in_s = in_seconds(columns.in);
  sample.out_s = in_seconds(columns.out);
  sample.in_bytes = record.not_negative(columns.in_bytes);
  sample.out_bytes = record.not_negative(columns.out_bytes);
  sample.is_summary = columns.count || columns.sd || columns.least || columns.most;
  return sample;
}

/// Reads files into one trace.
class CsvImporter {
 public:
  explicit CsvImporter(const CsvImportOptions& options)
      : options_(options), seconds_(seconds_per(options.time_unit)) {
    for (const std::string& text : options.where) conditions_.emplace_back(text);
    if (options.items_pattern) pattern_.emplace(*options.items_pattern);
    if (options.kind) static_cast<void>(kind_of(options, {}));  // throws if unknown
  }

  /// Adds the rows of a file. `unit` is theirs, if there is no column of units.
  void add(const std::string& path, const std::string& unit) {
    CsvReader reader(path);
    CsvRows rows;
    if (!reader.next(rows.header)) throw InputError(path, "the file is empty; give a CSV file");
    const std::string where = reader.where();
    const Columns columns = find_columns(where, rows);
    std::vector<std::size_t> asked;
    for (const CsvCondition& condition : conditions_) {
      asked.push_back(find_column(where, rows.header, condition.column, "where"));
      rows.is_used[asked.back()] = true;
    }
    bool any = false;
    std::vector<std::set<std::string>> values(asked.size());
    std::set<std::string> other_sizes;
    for (std::vector<std::string> fields; reader.next(fields); any = true) {
      const Record record{reader.where(), rows.header, fields};
      if (fields.size() != rows.header.size()) {
        record.refuse(fmt::format("{} fields where the header row has {}", fields.size(),
                                  rows.header.size()));
      }
      bool holds = true;
      for (std::size_t i = 0; i < asked.size(); ++i) {
        values[i].insert(fields[asked[i]]);
        holds = holds && conditions_[i].holds_for(fields[asked[i]]);
      }
      if (!holds) continue;
      const std::optional<double> items =
          pattern_ ? pattern_->items_in(fields[columns.items]) : record.number(columns.items);
      if (!items) {
        other_sizes.insert(fields[columns.items]);
        continue;
      }
      TraceSample sample = read_sample(record, columns, *items, seconds_);
      sample.unit = position_of(columns.unit ? fields[*columns.unit] : unit, record);
      rows.samples.push_back(sample);
      rows.fields.push_back(fields);
    }
    if (!any)
      throw InputError(path, "the file has no rows below its header row; give one that has");
    if (rows.samples.empty()) refuse_choice(path, values, other_sizes);
    import_.trace.samples.insert(import_.trace.samples.end(), rows.samples.begin(),
                                 rows.samples.end());
    for (const std::string& said : pooled_levels(rows, import_.trace.units)) {
      import_.warnings.push_back(path + ": " + said);
    }
  }

  [[nodiscard]] CsvImport take() {
    if (options_.max_block_items) limit_blocks();
    return std::move(import_);
  }

 private:
  [[nodiscard]] Columns find_columns(const std::string& where, CsvRows& rows) const {
    rows.is_used.resize(rows.header.size());
    const auto find = [&](const std::optional<std::string>& name, const char* option) {
      const std::optional<std::size_t> column = find_column(where, rows.header, name, option);
      if (column) rows.is_used[*column] = true;
      return column;
    };
    return {.items = *find(options_.items_column, "items-column"),
            .compute = *find(options_.compute_column, "compute-column"),
            .sd = find(options_.sd_column, "sd-column"),
            .least = find(options_.min_column, "min-column"),
            .most = find(options_.max_column, "max-column"),
            .count = find(options_.count_column, "count-column"),
            .in = find(options_.in_column, "in-column"),
            .out = find(options_.out_column, "out-column"),
            .in_bytes = find(options_.in_bytes_column, "in-bytes-column"),
            .out_bytes = find(options_.out_bytes_column, "out-bytes-column"),
            .unit = find(options_.unit_column, "unit-column")};
  }

  /// The position of the unit called `name`, which is added if it is new.
  std::uint32_t position_of(const std::string& name, const Record& record) {
    std::vector<Unit>& units = import_.trace.units;
    const auto found = std::ranges::find(units, name, &Unit::name);
    if (found != units.end()) return static_cast<std::uint32_t>(found - units.begin());
    if (name.empty()) record.refuse("`" + *options_.unit_column + "` names no unit");
    if (!is_printable(name)) {
      record.refuse(
          fmt::format("`{}` has control characters: {}", *options_.unit_column, printable(name)));
    }
    Unit& unit = units.emplace_back();
    unit.name = name;
    unit.kind = kind_of(options_, name);
    unit.model = options_.model;
    return static_cast<std::uint32_t>(units.size() - 1);
  }

  /// No row is chosen. Names the values of the first column that has another one.
  [[noreturn]] void refuse_choice(const std::string& path,
                                  const std::vector<std::set<std::string>>& values,
                                  const std::set<std::string>& other_sizes) const {
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto holds = [&](const std::string& value) { return conditions_[i].holds_for(value); };
      if (std::ranges::any_of(values[i], holds)) continue;
      throw InputError(path,
                       fmt::format("no row has {}={}; the column has {}", conditions_[i].column,
                                   conditions_[i].value, some_of(values[i])));
    }
    if (!other_sizes.empty()) {
      throw InputError(path,
                       fmt::format("no size is like '{}' of --items-pattern; `{}` has {}",
                                   pattern_->text(), options_.items_column, some_of(other_sizes)));
    }
    throw InputError(path, "no row meets all conditions of --where; leave one out");
  }

  void limit_blocks() {
    const bool as_recorded = *options_.max_block_items == "recorded";
    const Items given =
        as_recorded ? 0 : parse_items(*options_.max_block_items, "--max-block-items");
    if (!as_recorded && given < 1) {
      throw InputError("--max-block-items",
                       "give a whole number of items from 1 on, or 'recorded'");
    }
    Trace& trace = import_.trace;
    for (std::uint32_t unit = 0; unit < trace.units.size(); ++unit) {
      double largest = 1.0;
      for (const TraceSample& sample : trace.samples) {
        if (sample.unit == unit) largest = std::max(largest, std::min(sample.items, 0x1p53));
      }
      trace.units[unit].max_block_items[options_.kernel.value()] =
          as_recorded ? static_cast<Items>(largest) : given;
    }
  }

  const CsvImportOptions& options_;
  double seconds_;
  std::vector<CsvCondition> conditions_;
  std::optional<ItemsPattern> pattern_;
  CsvImport import_;
};

/// The unit of each file; empty texts if rows name their units.
std::vector<std::string> units_of(const std::vector<std::string>& paths,
                                  const CsvImportOptions& options) {
  const std::vector<std::string>& units = options.units;
  if (std::ranges::count(units, "") > 0) {
    throw InputError("--unit", "the name is empty; name the unit");
  }
  if (options.unit_column) {
    if (!units.empty()) {
      throw InputError("--unit",
                       "beside --unit-column it says twice whose the times are; keep one");
    }
    return std::vector<std::string>(paths.size());
  }
  if (units.empty() && paths.size() == 1) return {options.kind.value_or("gpu") + "0"};
  if (units.size() == paths.size()) return units;
  if (units.size() == 1) return std::vector<std::string>(paths.size(), units.front());
  throw InputError("--unit", fmt::format("{} unit{} for {} file{}; give one for all files, one for "
                                         "each in their order, or --unit-column",
                                         units.size(), units.size() == 1 ? "" : "s", paths.size(),
                                         paths.size() == 1 ? "" : "s"));
}

std::string provenance_of(const std::vector<std::string>& files, const CsvImportOptions& options) {
  std::string text = options.provenance.empty() ? "" : options.provenance + "; ";
  text += fmt::format("column {} of {} in {} against column {}", options.compute_column,
                      fmt::join(files, ", "), options.time_unit, options.items_column);
  if (options.items_pattern) text += " like " + *options.items_pattern;
  if (options.where.empty()) return text;
  return text + fmt::format(", where {}", fmt::join(options.where, " and "));
}

/// --grain-items as a number.
std::optional<Items> grain_of(const CsvImportOptions& options) {
  if (!options.grain_items) return std::nullopt;
  const Items grain = parse_items(*options.grain_items, "--grain-items");
  if (grain < 1) throw InputError("--grain-items", "give a whole number of items from 1 on");
  return grain;
}

}  // namespace

CsvImport import_csv(const std::vector<std::string>& paths, const CsvImportOptions& options) {
  if (options.kernel == "") throw InputError("--kernel", "the name is empty; name the kernel");
  CsvImportOptions complete = options;
  complete.kernel = options.kernel.value_or(std::filesystem::path(paths.front()).stem().string());
  const std::vector<std::string> units = units_of(paths, options);
  CsvImporter importer(complete);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    importer.add(paths[i], units[i]);
    names.push_back(std::filesystem::path(paths[i]).filename().string());
  }
  CsvImport import = importer.take();
  Trace& trace = import.trace;
  trace.source = "imported";
  trace.kernel = *complete.kernel;
  trace.item = options.item;
  trace.grain_items = grain_of(options);
  trace.provenance = provenance_of(names, options);
  return import;
}

}  // namespace equipoise
