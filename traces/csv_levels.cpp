// Finds sizes whose rows spread, and the columns that tell these rows apart.
#include "traces/csv_levels.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

namespace equipoise {
namespace {

constexpr double most_spread = 0.2;
constexpr std::size_t most_shown = 4;

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
  const bool is_long = values.size() > most_shown;
  if (is_long) values.resize(most_shown);
  return fmt::format("`{}` ({}{})", rows.header[column], fmt::join(values, ", "),
                     is_long ? ", ..." : "");
}

}  // namespace

std::vector<std::string> pooled_levels(const CsvRows& rows, const std::vector<Unit>& units) {
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
      text += fmt::format("; they differ in {}: choose, for example with --where '{}={}'",
                          column_text(rows, *worst, *column), rows.header[*column],
                          rows.fields[worst->front()][*column]);
    } else {
      text += "; if a condition differs, import each with its own --where or from its own file";
    }
    said.push_back(text);
  }
  for (const std::size_t column : levels) {
    const auto pooled = std::ranges::find_if(
        groups, [&](const Group& group) { return differ_in(rows, group, column); });
    if (pooled == groups.end() || told.contains(column)) continue;
    said.push_back(
        fmt::format("rows of one size that differ in {} are pooled: right for repetitions; "
                    "if they are different conditions, choose with --where",
                    column_text(rows, *pooled, column)));
  }
  return said;
}

}  // namespace equipoise
