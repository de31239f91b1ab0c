// Pools a trace by unit and size, formats it as a table and looks for doubtful values.
#include "tools/report/trace_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "shared_policies/model/student_t.hpp"
#include "tools/console/console.hpp"
#include "tools/console/quantity_text.hpp"
#include "tools/console/text_table.hpp"
#include "tools/report/json_values.hpp"
#include "tools/worlds/experiment_facts.hpp"
#include "traces/json_record.hpp"

namespace equipoise {
namespace {

/// All samples of one size on one unit, pooled, without outliers.
struct Row {
  std::uint32_t unit = 0;
  double items = 0.0;
  double count = 0.0;
  double mean_s = 0.0;
  double sd_s = 0.0;
  bool knows_sd = true;  ///< false if a summary in it has no deviation; `sd_s` is too small then

  /// Half the 95 % confidence interval of the mean; 0 where a single value is known.
  [[nodiscard]] double half_ci95_s() const {
    if (!(count > 1.0)) return 0.0;
    return student_t_quantile(count - 1.0, 0.975) * sd_s / std::sqrt(count - 1.0);
  }
};

/// Whether the mean of a larger block is below that of a smaller one by more than both are
/// uncertain.
bool falls(const Row& smaller, const Row& larger) {
  const double noise_s = std::hypot(smaller.half_ci95_s(), larger.half_ci95_s());
  return smaller.mean_s - larger.mean_s > noise_s;
}

/// By unit, then by size.
std::vector<Row> pool(const Trace& trace) {
  std::map<std::pair<std::uint32_t, double>, std::vector<const TraceSample*>> groups;
  for (const TraceSample& sample : trace.samples) {
    if (!sample.is_outlier) groups[{sample.unit, sample.items}].push_back(&sample);
  }
  std::vector<Row> rows;
  for (const auto& [key, samples] : groups) {
    Row row{.unit = key.first, .items = key.second};
    for (const TraceSample* sample : samples) {
      row.count += static_cast<double>(sample->count);
      row.mean_s += static_cast<double>(sample->count) * sample->compute_mean_s;
    }
    row.mean_s /= row.count;
    for (const TraceSample* sample : samples) {
      const double sd_s = sample->compute_sd_s.value_or(0.0);
      if (sample->count > 1 && !sample->compute_sd_s) row.knows_sd = false;
      const double apart_s = sample->compute_mean_s - row.mean_s;
      row.sd_s += static_cast<double>(sample->count) * (sd_s * sd_s + apart_s * apart_s);
    }
    row.sd_s = std::sqrt(row.sd_s / row.count);
    rows.push_back(row);
  }
  return rows;
}

/// Those of one unit.
std::span<const Row> of_unit(const std::vector<Row>& rows, std::size_t unit) {
  return {std::ranges::lower_bound(rows, unit, {}, &Row::unit),
          std::ranges::upper_bound(rows, unit, {}, &Row::unit)};
}

/// What is printed of a unit behind its name: lines of cells.
struct UnitLines {
  std::string name;
  std::vector<std::vector<std::string>> lines;
};

/// The same with one entry for all units that follow each other by number and have the same lines.
std::vector<UnitLines> folded(const std::vector<UnitLines>& units) {
  std::vector<UnitLines> rows;
  for (std::size_t first = 0, next = 0; first < units.size(); first = next) {
    std::vector<std::string> names = {units[first].name};
    for (next = first + 1; next < units.size() && units[next].lines == units[first].lines; ++next) {
      names.push_back(units[next].name);
      if (folded_names(names).size() == 1) continue;
      names.pop_back();
      break;
    }
    rows.push_back({folded_names(names).front(), units[first].lines});
  }
  return rows;
}

/// What is known of a unit, behind its name.
std::string unit_facts(const Unit& unit) {
  std::string line = fmt::format("({}", to_string(unit.kind));
  if (!unit.model.empty()) line += ", " + unit.model;
  if (unit.memory_bytes) line += fmt::format(", {:.3g} GiB", *unit.memory_bytes / 0x1p30);
  if (!unit.node.empty()) line += ", node " + unit.node;
  if (!unit.device.empty()) line += ", device " + unit.device;
  if (unit.idle_w) line += fmt::format(", {} W idle", significant(*unit.idle_w, 3));
  if (unit.busy_w) line += fmt::format(", {} W busy", significant(*unit.busy_w, 3));
  for (const auto& [kernel, items] : unit.max_block_items) {
    line += fmt::format(", blocks of at most {} items", items);
  }
  return line + ")";
}

/// The greatest of the falls of a unit, and how many more there are; empty if there is none.
std::string falls_text(const std::string& unit, std::span<const Row> own) {
  std::size_t count = 0;
  std::size_t worst = 0;
  for (std::size_t i = 1; i < own.size(); ++i) {
    if (!falls(own[i - 1], own[i])) continue;
    const auto ratio = [&](std::size_t at) { return own[at - 1].mean_s / own[at].mean_s; };
    if (count == 0 || ratio(i) > ratio(worst)) worst = i;
    ++count;
  }
  if (count == 0) return {};
  const Row& smaller = own[worst - 1];
  const Row& larger = own[worst];
  const std::string text =
      fmt::format("{}: the time falls from {} to {} as the size grows from {:.6g} to {:.6g} items",
                  unit, quantity_text(smaller.mean_s, "s", 4), quantity_text(larger.mean_s, "s", 4),
                  smaller.items, larger.items);
  return count == 1 ? text
                    : fmt::format("{}, and at {} by less", text, counted(count - 1, "other size"));
}

void judge_unit(const std::string& name, std::span<const Row> own,
                std::vector<std::string>& doubts) {
  if (own.empty()) {
    doubts.push_back(name + ": no samples; it cannot take part");
    return;
  }
  if (own.size() == 1) {
    doubts.push_back(name + ": a single size; other sizes are in proportion, without a fixed cost");
  }
  for (const Row& row : own) {
    if (row.sd_s <= 0.5 * row.mean_s) continue;
    doubts.push_back(fmt::format("{}: a deviation of {:.0f} % of the mean at {:.6g} items", name,
                                 100.0 * row.sd_s / row.mean_s, row.items));
  }
  if (const std::string text = falls_text(name, own); !text.empty()) doubts.push_back(text);
}

void find_copies(const Trace& trace, const std::vector<Row>& rows,
                 std::vector<std::string>& doubts) {
  std::map<std::pair<double, double>, std::vector<const Row*>> same;
  for (const Row& row : rows) {
    if (row.count > 1.0 && row.sd_s > 0.0) same[{row.mean_s, row.count}].push_back(&row);
  }
  for (const auto& [key, group] : same) {
    for (std::size_t i = 1; i < group.size(); ++i) {
      if (group[i]->sd_s != group[0]->sd_s) continue;
      doubts.push_back(fmt::format(
          "{} at {:.6g} items has the count, mean and deviation of {} at {:.6g} items: a copy, not "
          "a measurement",
          trace.units[group[i]->unit].name, group[i]->items, trace.units[group[0]->unit].name,
          group[0]->items));
    }
  }
}

/// A line of time over size.
struct TimeLine {
  double fixed_s = 0.0;
  double item_s = 0.0;
};

/// The line with the least squares of relative differences. Nothing for less than two sizes.
std::optional<TimeLine> line_through(std::span<const Row> rows) {
  if (rows.size() < 2) return std::nullopt;
  // Of 1/t and x/t, for a/t + b x/t = 1.
  double ones = 0.0, mixed = 0.0, squares = 0.0, sum_ones = 0.0, sum_items = 0.0;
  for (const Row& row : rows) {
    const double u = 1.0 / row.mean_s;
    const double v = row.items / row.mean_s;
    ones += u * u;
    mixed += u * v;
    squares += v * v;
    sum_ones += u;
    sum_items += v;
  }
  const double determinant = ones * squares - mixed * mixed;
  if (!(determinant > 0.0)) return std::nullopt;
  return TimeLine{(sum_ones * squares - sum_items * mixed) / determinant,
                  (ones * sum_items - mixed * sum_ones) / determinant};
}

/// The cells of a row behind the unit's name.
std::vector<std::string> cells_of(const Row& row) {
  return {fmt::format("{:.10g}", row.items), fmt::format("{:.0f}", row.count),
          quantity_text(row.mean_s, "s", 4),
          row.knows_sd ? fmt::format("{:.1f}", 100.0 * row.sd_s / row.mean_s) : "-",
          quantity_text(row.items / row.mean_s, "items/s")};
}

/// A line for each size of each unit.
std::string sample_table(const Trace& trace, const std::vector<Row>& rows) {
  std::vector<UnitLines> units;
  for (std::size_t unit = 0; unit < trace.units.size(); ++unit) {
    const std::span<const Row> own = of_unit(rows, unit);
    if (own.empty()) continue;
    units.push_back({trace.units[unit].name, {}});
    for (const Row& row : own) units.back().lines.push_back(cells_of(row));
  }
  TextTable table({"unit", "size (items)", "samples", "mean", "sd %", "speed"});
  for (const auto& [name, lines] : folded(units)) {
    for (std::vector<std::string> cells : lines) {
      cells.insert(cells.begin(), name);
      table.add(std::move(cells));
    }
  }
  return table.text();
}

}  // namespace

std::string starting_text(const Trace& trace) {
  constexpr double times_as_long = 10.0;
  const std::vector<Row> rows = pool(trace);
  double most_items = static_cast<double>(trace.grain_items.value_or(1));
  std::string text;
  for (std::size_t unit = 0; unit < trace.units.size(); ++unit) {
    const std::optional<TimeLine> line = line_through(of_unit(rows, unit));
    if (!line || line->fixed_s <= 0.0) continue;
    const double items =
        (times_as_long - 1.0) * line->fixed_s / std::max(line->item_s, 1e-6 * line->fixed_s);
    if (items <= most_items) continue;
    most_items = items;
    text = fmt::format(
        "{}: {} of each block are for starting the command, so that a block of fewer than {} items "
        "is less than ten times as long; with \"mode\": \"serve\" it is started once for each unit "
        "(docs/own-work.md)",
        trace.units[unit].name, quantity_text(line->fixed_s, "s", 2), significant(items, 2));
  }
  return text;
}

std::string describe_trace(const Trace& trace) {
  std::string text = fmt::format("kernel      {}\nitem        {}\nsource      {}\n", trace.kernel,
                                 trace.item, trace.source);
  if (!trace.provenance.empty()) text += "provenance  " + trace.provenance + "\n";
  for (const auto& [name, value] : trace.problem) {
    text += fmt::format("problem     {}={}\n", name, value);
  }
  if (trace.grain_items) text += fmt::format("grain       {} items\n", *trace.grain_items);
  if (trace.resident_bytes) text += fmt::format("resident    {} bytes\n", *trace.resident_bytes);
  if (trace.memory_bytes_per_item) {
    text += fmt::format("memory      {} bytes an item\n", *trace.memory_bytes_per_item);
  }
  for (const auto& [name, time] :
       {std::pair("dispatch", trace.dispatch), std::pair("merge", trace.merge),
        std::pair("first use", trace.first_use)}) {
    if (time) text += fmt::format("{:<12}{}\n", name, quantity_text(time->value, "s", 4));
  }
  if (trace.controller) {
    text += fmt::format("controller  {} for a report, {} for a block",
                        quantity_text(trace.controller->report.value, "s", 4),
                        quantity_text(trace.controller->block.value, "s", 4));
    if (trace.controller->byte_s > 0.0) {
      text += fmt::format(", {} for a byte", quantity_text(trace.controller->byte_s, "s", 4));
    }
    text += '\n';
  }
  if (trace.costs) text += fmt::format("costs       {}\n", differing_items_text(*trace.costs));
  std::vector<UnitLines> units;
  for (const Unit& unit : trace.units) units.push_back({unit.name, {{unit_facts(unit)}}});
  for (const auto& [name, lines] : folded(units)) {
    text += fmt::format("unit        {} {}\n", name, lines.front().front());
  }
  return text + "\n" + sample_table(trace, pool(trace));
}

Json trace_json(const Trace& trace, const std::string& file, const std::string& platform) {
  Json costs;
  if (trace.costs) {
    const ItemCosts items(trace.costs->ranges);
    costs = json_of(CostsFacts{items.least(), items.most(), items.deviation()}, in_traces);
  }
  Json units = Json::array();
  for (const Unit& unit : trace.units) units.push_back(json_of(unit, in_runs));
  Json sizes = Json::array();
  for (const Row& row : pool(trace)) {
    sizes.push_back({{"unit", trace.units[row.unit].name},
                     {"items", row.items},
                     {"samples", static_cast<std::uint64_t>(row.count)},
                     {"mean_s", row.mean_s},
                     {"sd_s", row.knows_sd ? Json(row.sd_s) : Json()},
                     {"items_per_s", row.items / row.mean_s}});
  }
  return {{"schema", "equipoise.trace-summary/1"},
          {"file", file},
          {"platform", text_or_null(platform)},
          {"kernel", trace.kernel},
          {"item", trace.item},
          {"source", trace.source},
          {"provenance", text_or_null(trace.provenance)},
          {"problem", trace.problem},
          {"grain_items", json_of(trace.grain_items)},
          {"resident_bytes", json_of(trace.resident_bytes)},
          {"memory_bytes_per_item", json_of(trace.memory_bytes_per_item)},
          {"dispatch_s", json_of(trace.dispatch)},
          {"controller", trace.controller ? json_of(*trace.controller, in_traces) : Json()},
          {"first_use_s", json_of(trace.first_use)},
          {"merge_s", json_of(trace.merge)},
          {"costs", std::move(costs)},
          {"units", std::move(units)},
          {"lines", trace.samples.size()},
          {"sizes", std::move(sizes)},
          {"doubts", doubtful_in_trace(trace)}};
}

std::vector<std::string> falling_times(const Trace& trace) {
  const std::vector<Row> rows = pool(trace);
  std::vector<std::string> doubts;
  for (std::size_t unit = 0; unit < trace.units.size(); ++unit) {
    const std::string text = falls_text(trace.units[unit].name, of_unit(rows, unit));
    if (!text.empty()) doubts.push_back(text);
  }
  return doubts;
}

std::string differing_items_text(const CostsRecord& costs) {
  const ItemCosts items(costs.ranges);
  return fmt::format(
      "items differ: from {} to {} times the mean, with a standard deviation of {} of it, in {}",
      significant(items.least(), 2), significant(items.most(), 2),
      significant(items.deviation(), 2), counted(costs.ranges.size(), "range"));
}

std::string outliers_text(const Trace& trace) {
  std::map<std::uint32_t, std::size_t> by_unit;
  std::size_t all = 0;
  for (const TraceSample& sample : trace.samples) {
    if (!sample.is_outlier) continue;
    ++by_unit[sample.unit];
    ++all;
  }
  if (all == 0) return {};
  std::vector<std::string> parts;
  for (const auto& [unit, count] : by_unit) {
    parts.push_back(fmt::format("{}: {}", trace.units[unit].name, count));
  }
  return fmt::format("{} marked as {} ({})", counted(all, "block"),
                     all == 1 ? "an outlier" : "outliers", fmt::join(parts, ", "));
}

std::vector<std::string> doubtful_in_trace(const Trace& trace) {
  const std::vector<Row> rows = pool(trace);
  std::vector<std::string> doubts;
  for (std::size_t unit = 0; unit < trace.units.size(); ++unit) {
    judge_unit(trace.units[unit].name, of_unit(rows, unit), doubts);
  }
  // Different units may have equal models, so equal rows prove nothing in a modelled trace.
  if (trace.source != "modelled") find_copies(trace, rows, doubts);
  return doubts;
}

std::string imprecision_text(const Recording& recording) {
  if (recording.imprecise.empty()) return {};
  const ImpreciseMean& worst =
      *std::ranges::max_element(recording.imprecise, {}, &ImpreciseMean::uncertainty);
  const double times = std::pow(worst.uncertainty / recording_precision, 2.0);
  const std::string advice =
      worst.has_all_samples
          ? "more time does not help, because it has as many samples as are taken of one size: "
            "record while nothing else runs"
          : fmt::format(
                "to know it to {:.0f} %, record {} times as long (--seconds-max), or while "
                "nothing else runs",
                100.0 * recording_precision, significant(times, 2));
  return fmt::format(
      "{} of {} mean times are uncertain by more than {:.0f} %; the worst, of {} at {} items, by "
      "{:.1f} %: a prediction with blocks of this size may be off by as much; {}",
      recording.imprecise.size(), recording.means, 100.0 * recording_precision, worst.unit,
      worst.items, 100.0 * worst.uncertainty, advice);
}

void warn_of(const Recording& recording) {
  if (recording.trace.costs) {
    note(differing_items_text(*recording.trace.costs) +
         "; the trace has their costs, and simulations of it count them");
  }
  std::vector<std::string> doubts = recording.doubts;
  std::ranges::move(falling_times(recording.trace), std::back_inserter(doubts));
  for (const std::string& line :
       {imprecision_text(recording), in_one_line(doubts), in_one_line(recording.unmetered)}) {
    if (!line.empty()) warn(line);
  }
}

}  // namespace equipoise
