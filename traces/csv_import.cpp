// Converts the rows of a CSV file to trace samples: chooses rows, reads them, and finds sizes whose
// rows spread.
#include "traces/csv_import.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "shared_policies/machine/trace.hpp"
#include "shared_policies/model/failure.hpp"
#include "shared_policies/specs/spec.hpp"
#include "shared_policies/text/nearest_name.hpp"
#include "shared_policies/text/printable_text.hpp"
#include "shared_policies/text/words.hpp"
#include "traces/csv_reader.hpp"
#include "traces/time_limits.hpp"

namespace equipoise {
namespace {

/// A condition COLUMN=VALUE.
struct CsvCondition {
  std::string column;
  std::string value;

  /// Throws InputError, at `where`, unless `text` is COLUMN=VALUE with a column.
  CsvCondition(const std::string& text, const std::string& where) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0) {
      throw InputError(where, "'" + text + "' is no condition; write COLUMN=VALUE");
    }
    column = text.substr(0, equals);
    value = text.substr(equals + 1);
  }

  /// Whether `field` is the value, or the same number.
  [[nodiscard]] bool holds_for(const std::string& field) const {
    if (field == value) return true;
    const auto number = number_of_all<double>(field);
    return number && number == number_of_all<double>(value);
  }
};

/// Removes the number without a sign with which `text` begins; none if it does not begin with one.
std::optional<double> take_number(std::string_view& text) {
  if (text.empty() || text.front() < '0' || text.front() > '9') return std::nullopt;
  double number = 0.0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(rest - text.data()));
  return number;
}

/// Throws InputError, at `where`, if a form of sizes has no *, or two in a row.
void check_pattern(const std::string& pattern, const std::string& where) {
  if (pattern.find('*') != std::string::npos && pattern.find("**") == std::string::npos) return;
  throw InputError(where,
                   "'" + pattern +
                       "' has no * for the number of items, or two in a row; write for example "
                       "'*x*_mask3' for sizes like 128x128_mask3");
}

/// The product of the numbers that the stars of `pattern` stand for in `field`: 128 * 128 for
/// "*x*_mask3" and "128x128_mask3"; none if `field` does not have this form.
std::optional<double> items_in(std::string_view field, const std::string& pattern) {
  double items = 1.0;
  for (const char expected : pattern) {
    if (expected != '*') {
      if (!field.starts_with(expected)) return std::nullopt;
      field.remove_prefix(1);
      continue;
    }
    const std::optional<double> number = take_number(field);
    if (!number) return std::nullopt;
    items *= *number;
  }
  return field.empty() ? std::optional(items) : std::nullopt;
}

/// "1, 2, 4": the first of `values`, and "..." if there are more than `most`.
std::string some_of(std::vector<std::string> values, std::size_t most) {
  const bool is_long = values.size() > most;
  if (is_long) values.resize(most);
  return fmt::format("{}{}", fmt::join(values, ", "), is_long ? ", ..." : "");
}
std::string some_of(const std::set<std::string>& values) {
  return some_of({values.begin(), values.end()}, 8);
}

/// The rows of one CSV file that became samples.
struct CsvRows {
  std::vector<std::string> header;
  std::vector<bool> is_used;                     ///< (header) whether an option names the column
  std::vector<std::vector<std::string>> fields;  ///< (rows, header)
  std::vector<TraceSample> samples;              ///< (rows)
};

constexpr double most_spread = 0.2;

/// Positions in CsvRows::samples of one unit and size.
using Group = std::vector<std::size_t>;

std::vector<Group> groups_of(const CsvRows& rows) {
  std::map<std::pair<std::uint32_t, double>, Group> by_size;
  for (std::size_t i = 0; i < rows.samples.size(); ++i) {
    by_size[{rows.samples[i].unit, rows.samples[i].items}].push_back(i);
  }
  std::vector<Group> groups;
  for (auto& [size, group] : by_size) {
    if (group.size() > 1) groups.push_back(std::move(group));
  }
  return groups;
}

/// The deviation of the times of a group over their mean.
double spread_of(const CsvRows& rows, const Group& group) {
  double count = 0.0;
  double sum_s = 0.0;
  for (const std::size_t i : group) {
    count += static_cast<double>(rows.samples[i].count);
    sum_s += static_cast<double>(rows.samples[i].count) * rows.samples[i].compute_mean_s;
  }
  const double mean_s = sum_s / count;
  double square = 0.0;
  for (const std::size_t i : group) {
    const double apart = rows.samples[i].compute_mean_s / mean_s - 1.0;
    const double own = rows.samples[i].compute_sd_s.value_or(0.0) / mean_s;
    square += static_cast<double>(rows.samples[i].count) * (apart * apart + own * own);
  }
  return std::sqrt(square / count);
}

std::set<std::string> values_of(const CsvRows& rows, std::size_t column) {
  std::set<std::string> values;
  for (const auto& fields : rows.fields) values.insert(fields[column]);
  return values;
}

/// The columns whose values recur, those with the fewest values first.
std::vector<std::size_t> columns_of_levels(const CsvRows& rows) {
  std::vector<std::pair<std::size_t, std::size_t>> by_values;
  for (std::size_t column = 0; column < rows.header.size(); ++column) {
    const std::size_t values = rows.is_used[column] ? 0 : values_of(rows, column).size();
    if (values > 1 && 2 * values <= rows.fields.size()) by_values.emplace_back(values, column);
  }
  std::ranges::sort(by_values);
  std::vector<std::size_t> columns;
  for (const auto& [values, column] : by_values) columns.push_back(column);
  return columns;
}

bool differ_in(const CsvRows& rows, const Group& group, std::size_t column) {
  return std::ranges::any_of(group, [&](std::size_t i) {
    return rows.fields[i][column] != rows.fields[group.front()][column];
  });
}

/// "`threads` (1, 2, 4)", in the order of the file.
std::string column_text(const CsvRows& rows, const Group& group, std::size_t column) {
  std::vector<std::string> values;
  for (const std::size_t i : group) {
    const std::string& value = rows.fields[i][column];
    if (std::ranges::find(values, value) == values.end()) values.push_back(value);
  }
  return fmt::format("`{}` ({})", rows.header[column], some_of(std::move(values), 4));
}

/// What must not stay unsaid about rows that are pooled because they have the same unit and size:
///
/// - their times spread by more than 20 % (the deviation of all of them over their mean): the worst
///   size, with the columns in which its rows differ, so that a condition can choose;
/// - else, the columns in which rows of one size differ.
///
/// Of the columns that no option names, only those count whose values recur: at most half as many
/// values as rows. `units` are the names by TraceSample::unit, `where` is the option for
/// conditions. One text each, without a file's name.
std::vector<std::string> pooled_levels(const CsvRows& rows, const std::vector<Unit>& units,
                                       const std::string& where) {
  const std::vector<Group> groups = groups_of(rows);
  const std::vector<std::size_t> levels = columns_of_levels(rows);
  const Group* worst = nullptr;
  double worst_spread = most_spread;
  std::size_t wide = 0;
  for (const Group& group : groups) {
    const double spread = spread_of(rows, group);
    wide += spread > most_spread ? 1 : 0;
    if (spread > worst_spread) worst = &group;
    worst_spread = std::max(spread, worst_spread);
  }
  std::vector<std::string> said;
  std::set<std::size_t> told;
  if (worst != nullptr) {
    const TraceSample& sample = rows.samples[worst->front()];
    std::string text = fmt::format(
        "the {} times of {} at {:.10g} items spread by {:.0f} %, and those of {} size{} by more "
        "than {:.0f} %",
        worst->size(), units[sample.unit].name, sample.items, 100.0 * worst_spread, wide,
        wide == 1 ? "" : "s", 100.0 * most_spread);
    const auto column = std::ranges::find_if(
        levels, [&](std::size_t level) { return differ_in(rows, *worst, level); });
    if (column != levels.end()) {
      told.insert(*column);
      text += fmt::format("; they differ in {}: choose, for example with {} '{}={}'",
                          column_text(rows, *worst, *column), where, rows.header[*column],
                          rows.fields[worst->front()][*column]);
    } else {
      text += fmt::format(
          "; if a condition differs, import each with its own {} or from its own file", where);
    }
    said.push_back(text);
  }
  for (const std::size_t column : levels) {
    const auto pooled = std::ranges::find_if(
        groups, [&](const Group& group) { return differ_in(rows, group, column); });
    if (pooled == groups.end() || told.contains(column)) continue;
    said.push_back(
        fmt::format("rows of one size that differ in {} are pooled: right for repetitions; "
                    "if they are different conditions, choose with {}",
                    column_text(rows, *pooled, column), where));
  }
  return said;
}

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
                        const std::string& name, const std::string& option) {
  const auto found = std::find(header.begin(), header.end(), name);
  if (found == header.end()) {
    throw InputError(where, unknown_name(fmt::format("column for {}", option), name, header));
  }
  if (std::find(found + 1, header.end(), name) != header.end()) {
    throw InputError(where, fmt::format("two columns are called {}, which {} names; rename one",
                                        printable(name), option));
  }
  return static_cast<std::size_t>(found - header.begin());
}

constexpr std::array<std::pair<const char*, double>, 4> time_units = {
    {{"s", 1.0}, {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}}};

double seconds_per(const std::string& unit, const std::string& where) {
  std::vector<std::string> known;
  for (const auto& [name, seconds] : time_units) {
    if (unit == name) return seconds;
    known.emplace_back(name);
  }
  throw InputError(where, unknown_name("unit of time", unit, known));
}

/// The unit of time with which the name of a column ends: "ms" for "elapsed_ms" and "time [ms]";
/// none for others.
std::optional<std::string> unit_in_name(const std::string& column) {
  std::string word;
  for (const char c : lower(column)) {
    const bool is_letter = c >= 'a' && c <= 'z';
    if (is_letter) word += c;
    if (!is_letter && c != ']' && c != ')') word.clear();
  }
  const auto is_it = [&](const auto& unit) { return word == unit.first; };
  return std::ranges::any_of(time_units, is_it) ? std::optional(word) : std::nullopt;
}

/// The unit of all times. Throws InputError if it is not given and the names of columns say more
/// than one.
std::string time_unit_of(const CsvImportOptions& options) {
  const CsvColumns& columns = options.columns;
  if (columns.time_unit) return *columns.time_unit;
  std::string unit = unit_in_name(columns.compute_column).value_or("s");
  for (const auto& other : {columns.sd_column, columns.min_column, columns.max_column,
                            columns.in_column, columns.out_column}) {
    if (!other || unit_in_name(*other).value_or(unit) == unit) continue;
    throw InputError(options.called("time_unit"),
                     fmt::format("the names of `{}` and `{}` say different units of time, and "
                                 "all times are read in one; say which",
                                 printable(columns.compute_column), printable(*other)));
  }
  return unit;
}

UnitKind kind_of(const CsvImportOptions& options, const std::string& unit) {
  if (!options.kind) return unit.starts_with("cpu") ? UnitKind::cpu : UnitKind::gpu;
  return read_unit_kind(*options.kind, options.called("kind"));
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
    if (value < 0.0) refuse(fmt::format("`{}` must not be negative", header[*column]));
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
      : options_(options),
        seconds_(seconds_per(time_unit_of(options), options.called("time_unit"))) {
    for (const std::string& text : options.where) {
      conditions_.emplace_back(text, options.called("where"));
    }
    if (options.columns.items_pattern) {
      check_pattern(*options.columns.items_pattern, options.called("items_pattern"));
    }
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
      asked.push_back(find_column(where, rows.header, condition.column, options_.called("where")));
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
          options_.columns.items_pattern
              ? items_in(fields[columns.items], *options_.columns.items_pattern)
              : record.number(columns.items);
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
    for (const std::string& said :
         pooled_levels(rows, import_.trace.units, options_.called("where"))) {
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
    const auto find = [&](const std::optional<std::string>& name,
                          const char* option) -> std::optional<std::size_t> {
      if (!name) return std::nullopt;
      const std::size_t column = find_column(where, rows.header, *name, options_.called(option));
      rows.is_used[column] = true;
      return column;
    };
    return {.items = *find(options_.columns.items_column, "items_column"),
            .compute = *find(options_.columns.compute_column, "compute_column"),
            .sd = find(options_.columns.sd_column, "sd_column"),
            .least = find(options_.columns.min_column, "min_column"),
            .most = find(options_.columns.max_column, "max_column"),
            .count = find(options_.columns.count_column, "count_column"),
            .in = find(options_.columns.in_column, "in_column"),
            .out = find(options_.columns.out_column, "out_column"),
            .in_bytes = find(options_.columns.in_bytes_column, "in_bytes_column"),
            .out_bytes = find(options_.columns.out_bytes_column, "out_bytes_column"),
            .unit = find(options_.columns.unit_column, "unit_column")};
  }

  /// The position of the unit called `name`, which is added if it is new.
  std::uint32_t position_of(const std::string& name, const Record& record) {
    std::vector<Unit>& units = import_.trace.units;
    const auto found = std::ranges::find(units, name, &Unit::name);
    if (found != units.end()) return static_cast<std::uint32_t>(found - units.begin());
    if (name.empty()) record.refuse("`" + *options_.columns.unit_column + "` names no unit");
    if (!is_printable(name)) {
      record.refuse(fmt::format("`{}` has control characters: {}", *options_.columns.unit_column,
                                printable(name)));
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
      throw InputError(
          path, fmt::format("no size is like '{}' of {}; `{}` has {}",
                            *options_.columns.items_pattern, options_.called("items_pattern"),
                            options_.columns.items_column, some_of(other_sizes)));
    }
    throw InputError(path, fmt::format("no row meets all conditions of {}; leave one out",
                                       options_.called("where")));
  }

  void limit_blocks() {
    const bool as_recorded = *options_.max_block_items == "recorded";
    const std::string option = options_.called("max_block_items");
    const Items given = as_recorded ? 0 : parse_items(*options_.max_block_items, option);
    if (!as_recorded && given < 1) {
      throw InputError(option, "give a whole number of items from 1 on, or 'recorded'");
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
  CsvImport import_;
};

/// The unit of each file; empty texts if rows name their units.
std::vector<std::string> units_of(const std::vector<std::string>& paths,
                                  const CsvImportOptions& options) {
  const std::vector<std::string>& units = options.units;
  const std::string option = options.called("unit");
  const std::string column = options.called("unit_column");
  if (std::ranges::count(units, "") > 0) {
    throw InputError(option, "the name is empty; name the unit");
  }
  if (options.columns.unit_column) {
    if (!units.empty()) {
      throw InputError(option, "beside " + column + " it says twice whose the times are; keep one");
    }
    return std::vector<std::string>(paths.size());
  }
  if (units.empty() && paths.size() == 1) return {options.kind.value_or("gpu") + "0"};
  if (units.size() == paths.size()) return units;
  if (units.size() == 1) return std::vector<std::string>(paths.size(), units.front());
  throw InputError(option, fmt::format("{} unit{} for {} file{}; give one for all files, one for "
                                       "each in their order, or {}",
                                       units.size(), units.size() == 1 ? "" : "s", paths.size(),
                                       paths.size() == 1 ? "" : "s", column));
}

std::string provenance_of(const std::vector<std::string>& files, const CsvImportOptions& options) {
  std::string text = options.provenance.empty() ? "" : options.provenance + "; ";
  text += fmt::format("column {} of {} in {} against column {}", options.columns.compute_column,
                      fmt::join(files, ", "), time_unit_of(options), options.columns.items_column);
  if (options.columns.items_pattern) text += " like " + *options.columns.items_pattern;
  if (options.where.empty()) return text;
  return text + fmt::format(", where {}", fmt::join(options.where, " and "));
}

std::optional<Items> grain_of(const CsvImportOptions& options) {
  if (!options.grain_items) return std::nullopt;
  const std::string option = options.called("grain_items");
  const Items grain = parse_items(*options.grain_items, option);
  if (grain < 1) throw InputError(option, "give a whole number of items from 1 on");
  return grain;
}

}  // namespace

CsvImport import_csv(const std::vector<std::string>& paths, const CsvImportOptions& options) {
  if (options.kernel == "")
    throw InputError(options.called("kernel"), "the name is empty; name the kernel");
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
