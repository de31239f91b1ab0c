// Draws a run with block characters.
#include "tools/exports/run_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <langinfo.h>
#include <locale.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "shared_policies/model/overload.hpp"
#include "shared_policies/run/metrics.hpp"
#include "shared_policies/text/printable_text.hpp"
#include "tools/console/quantity_text.hpp"
#include "tools/console/terminal.hpp"
#include "tools/console/text_table.hpp"
#include "tools/exports/gantt_svg.hpp"
#include "tools/exports/run_marks.hpp"
#include "tools/exports/svg_drawing.hpp"
#include "traces/json_record.hpp"

namespace equipoise {
namespace {

constexpr std::size_t most_shown_rows = 24;
constexpr std::size_t most_listed_events = 10;
constexpr std::size_t narrowest_chart = 20;
constexpr std::size_t widest_chart = 200;

RunNumbers numbers_of(const RunFile& file) {
  Metrics metrics(file.run.units);
  for (const RecordedLine& line : file.run.lines) {
    std::visit(Overload{[&](const BlockRecord& r) { metrics.block(r); },
                        [&](const DecisionRecord& r) { metrics.decision(r); },
                        [&](const EventRecord& r) { metrics.event(r); },
                        [&](const Measured& r) { metrics.measured(r); }},
               line.what);
  }
  return metrics.numbers();
}

/// When a unit was there.
struct Presence {
  std::vector<std::pair<double, double>> absences_s;  ///< from, to

  /// How much of the first `end_s` seconds.
  [[nodiscard]] double until(double end_s) const {
    double there_s = end_s;
    for (const auto& [from_s, to_s] : absences_s) {
      there_s -= std::max(0.0, std::min(to_s, end_s) - from_s);
    }
    return there_s;
  }
};

/// Of (units). One that joins without having been lost was not there before.
std::vector<Presence> presences_of(const RunFile& file) {
  constexpr double never = std::numeric_limits<double>::infinity();
  std::vector<Presence> presences(file.run.units.size());
  for (const RecordedLine& line : file.run.lines) {
    const auto* const event = std::get_if<EventRecord>(&line.what);
    if (event == nullptr) continue;
    if (const auto* const lost = std::get_if<UnitLost>(&event->what)) {
      presences[lost->unit.index].absences_s.emplace_back(event->at.value, never);
    } else if (const auto* const joined = std::get_if<UnitJoined>(&event->what)) {
      auto& absences_s = presences[joined->unit.index].absences_s;
      if (absences_s.empty() || absences_s.back().second < never) absences_s.emplace_back(0.0, 0.0);
      absences_s.back().second = event->at.value;
    }
  }
  return presences;
}

/// The shares with which all units would have ended together, or worked until they were lost, at
/// the speed v_i that each had while it computed or copied: v_i p_i(T) / sum, where p_i(T) is how
/// long it was there until T, and T the least time in which all items are done. Of (units), none
/// for one without blocks; all none if the run had several phases.
std::vector<std::optional<double>> ideal_shares(const RunFile& file, const RunNumbers& n) {
  std::vector<std::optional<double>> shares(n.units.size());
  if (n.phases.size() > 1) return shares;
  std::vector<double> items_per_s(shares.size());
  for (std::size_t i = 0; i < shares.size(); ++i) {
    if (!(n.units[i].occupied > Seconds{})) continue;
    items_per_s[i] = static_cast<double>(n.units[i].items) / n.units[i].occupied.value;
  }
  const std::vector<Presence> presences = presences_of(file);
  const auto done_by = [&](double end_s) {
    double items = 0.0;
    for (std::size_t i = 0; i < shares.size(); ++i) {
      items += items_per_s[i] * presences[i].until(end_s);
    }
    return items;
  };
  double low_s = 0.0;
  double high_s = n.makespan.value;  // by then, all were done
  for (int step = 0; step < 100; ++step) {
    const double middle_s = (low_s + high_s) / 2.0;
    (done_by(middle_s) < static_cast<double>(n.items) ? low_s : high_s) = middle_s;
  }
  const double all = done_by(high_s);
  for (std::size_t i = 0; i < shares.size(); ++i) {
    if (items_per_s[i] > 0.0) shares[i] = items_per_s[i] * presences[i].until(high_s) / all;
  }
  return shares;
}

std::string percent(double share) { return fmt::format("{:.1f}", 100.0 * share); }

std::string unit_table(const RunFile& file, const RunNumbers& n, const std::vector<UnitRow>& rows) {
  const std::vector<std::optional<double>> ideal = ideal_shares(file, n);
  TextTable table({"unit", "share %", "ideal %", "idle %", "blocks", "items"});
  for (const UnitRow& row : rows) {
    double did = 0.0;
    double due = 0.0;
    double idle = 0.0;
    bool is_known = true;
    std::uint64_t blocks = 0;
    Items items = 0;
    for (std::size_t i = row.first; i < row.first + row.count; ++i) {
      did += share(n, i);
      is_known = is_known && ideal[i].has_value();
      due += ideal[i].value_or(0.0);
      idle += idle_fraction(n, i) / static_cast<double>(row.count);
      blocks += n.units[i].blocks;
      items += n.units[i].items;
    }
    table.add({printable(row.name, 40), percent(did), is_known ? percent(due) : "-", percent(idle),
               fmt::format("{}", blocks), fmt::format("{}", items)});
  }
  std::string text = table.text();
  if (rows.size() < file.run.units.size()) {
    text += fmt::format("{} units in {} rows: sums of shares, blocks and items, means of idle %\n",
                        file.run.units.size(), rows.size());
  }
  text += "ideal %: the share with which all would have ended together, at the speed of this run";
  const bool all_stayed = std::ranges::all_of(
      presences_of(file), [](const Presence& unit) { return unit.absences_s.empty(); });
  return text + (all_stayed ? "\n" : ", or worked as long as they were there\n");
}

/// What a cell of the chart shows, with its characters.
struct CellKind {
  const char* unicode;
  const char* ascii;
  const char* meaning;
};
enum Cell : std::size_t {
  cell_waiting,
  cell_absent,
  cell_copy,
  cell_train,
  cell_compute,
  cell_unfinished,
  cell_redone,
  cell_lost
};
constexpr std::array<CellKind, 8> cell_kinds{{{"·", ".", "waiting"},
                                              {" ", " ", "absent"},
                                              {"▒", "=", "copying"},
                                              {"▓", "+", "computing, training block"},
                                              {"█", "#", "computing"},
                                              {"?", "?", "unfinished block"},
                                              {"╱", "/", "taken back or done twice"},
                                              {"×", "x", "lost block"}}};

/// The kind that takes most of a cell's time; a loss is shown even if it is short.
Cell kind_of(const TimeGrid& grid, std::size_t row, std::size_t column) {
  const auto share = [&](Activity activity) { return grid.share(row, column, activity); };
  if (share(Activity::lost) > 1e-6) return cell_lost;
  if (share(Activity::unfinished) > 0.5) return cell_unfinished;
  if (share(Activity::redone) > 0.5) return cell_redone;
  const std::array<std::pair<double, Cell>, 5> shares{
      {{share(Activity::compute), cell_compute},
       {share(Activity::compute_train), cell_train},
       {share(Activity::setup) + share(Activity::copy_in) + share(Activity::copy_out), cell_copy},
       {share(Activity::absent), cell_absent},
       {share(Activity::wait_training) + share(Activity::wait_barrier) +
            share(Activity::wait_control) + share(Activity::wait_tail) + 1e-9,
        cell_waiting}}};
  return std::ranges::max_element(shares, {}, &std::pair<double, Cell>::first)->second;
}

/// The last line of the chart: times below their columns.
std::string time_line(std::size_t label, std::size_t columns, double end_s) {
  const std::string end = time_text(end_s, end_s, 4);
  std::string line(label + columns, ' ');
  line.replace(label, 1, "0");
  line.replace(label + columns - end.size(), end.size(), end);
  return line;
}

std::string gantt(const RunFile& file, const std::vector<UnitRow>& rows, const Screen& screen) {
  std::size_t label = 2;
  for (const UnitRow& row : rows) label = std::max(label, printable(row.name, 24).size() + 2);
  const std::size_t columns = std::clamp(
      screen.columns > label + 1 ? screen.columns - label - 1 : 0, narrowest_chart, widest_chart);
  const Seconds end = end_of_run(file);
  TimeGrid grid(rows, columns, end);
  for_each_span(file, [&](const UnitSpan& span) { grid.add(span); });
  std::array<bool, cell_kinds.size()> seen{};
  std::string text;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    text += fmt::format("{:<{}}", printable(rows[row].name, 24), label);
    for (std::size_t column = 0; column < columns; ++column) {
      const Cell kind = kind_of(grid, row, column);
      seen[kind] = true;
      text += screen.is_unicode ? cell_kinds[kind].unicode : cell_kinds[kind].ascii;
    }
    text.erase(text.find_last_not_of(' ') + 1);
    text += "\n";
  }
  text += time_line(label, columns, end.value) + "\n";
  std::vector<std::string> legend;
  for (std::size_t i = cell_kinds.size(); i-- > 0;) {
    if (!seen[i] || i == cell_absent) continue;
    legend.push_back(fmt::format("{} {}",
                                 screen.is_unicode ? cell_kinds[i].unicode : cell_kinds[i].ascii,
                                 cell_kinds[i].meaning));
  }
  return text + fmt::format("{}\nA character shows what took most of its time.\n",
                            fmt::join(legend, "   "));
}

std::vector<RunMark> troubles_of(const RunFile& file) {
  std::vector<RunMark> marks = marks_of(file);
  std::erase_if(marks, [](const RunMark& mark) {
    return mark.kind != MarkKind::trouble && !mark.is_about_join;
  });
  return marks;
}

/// Losses and disturbances, a line each.
std::string trouble_list(const RunFile& file) {
  const std::vector<RunMark> marks = troubles_of(file);
  if (marks.empty()) return {};
  TextTable table({"at s", "what", "unit", ""});
  for (std::size_t i = 0; i < std::min(marks.size(), most_listed_events); ++i) {
    const RunMark& mark = marks[i];
    std::string details = mark.details;
    if (mark.until > mark.at && mark.until < Seconds::infinity()) {
      details += fmt::format("{}until {} s", details.empty() ? "" : ", ",
                             significant(mark.until.value, 4));
    }
    std::string what = mark.what;
    std::ranges::replace(what, '_', ' ');
    table.add({significant(mark.at.value, 4), printable(what),
               mark.unit ? printable(file.run.units[mark.unit->index].name) : "",
               printable(details)});
  }
  std::string text = "\n" + table.text();
  if (marks.size() > most_listed_events) {
    text += fmt::format("and {} more; --json lists all\n", marks.size() - most_listed_events);
  }
  return text;
}

std::string heading(const RunFile& file, const RunNumbers& n) {
  const RunHeader& h = file.header;
  std::string where = h.settings.platform_file;
  if (where.empty()) where = fmt::format("{}", fmt::join(h.settings.units, " "));
  std::string workloads = fmt::format("{}", fmt::join(h.settings.workloads, ", then "));
  return fmt::format(
      "{} on {}: {}\n{}{}{}{}\n{}, {}, {}\n\n", printable(h.spelling), h.on, length_text(file),
      printable(workloads), where.empty() ? "" : ", ", printable(where),
      h.settings.scenario_file.empty() ? "" : ", " + printable(h.settings.scenario_file),
      counted(n.blocks, "block"), counted(n.rebalances, "rebalance"),
      !file.summary || !file.summary->verified ? "not verified"
      : file.summary->unchecked                ? "unverified"
                                               : "verified");
}

}  // namespace

Screen screen_of_stdout() {
  Screen screen;
  screen.columns = terminal_width(OutputStream::out).value_or(screen.columns);
  const locale_t locale = ::newlocale(LC_CTYPE_MASK, "", nullptr);
  screen.is_unicode =
      locale != nullptr && std::strcmp(::nl_langinfo_l(CODESET, locale), "UTF-8") == 0;
  if (locale != nullptr) ::freelocale(locale);
  return screen;
}

std::string run_text(const RunFile& file, const Screen& screen) {
  const RunNumbers n = numbers_of(file);
  const std::vector<UnitRow> rows = unit_rows(file.run.units, most_shown_rows);
  return heading(file, n) + unit_table(file, n, rows) + "\n" + gantt(file, rows, screen) +
         trouble_list(file);
}

Json run_json(const RunFile& file) {
  const RunNumbers n = numbers_of(file);
  const std::vector<std::optional<double>> ideal = ideal_shares(file, n);
  Json units = Json::array();
  for (std::size_t i = 0; i < file.run.units.size(); ++i) {
    units.push_back({{"unit", file.run.units[i].name},
                     {"share", share(n, i)},
                     {"ideal_share", json_of(ideal[i])},
                     {"idle_fraction", idle_fraction(n, i)},
                     {"blocks", n.units[i].blocks},
                     {"items", n.units[i].items}});
  }
  Json events = Json::array();
  for (const RunMark& mark : troubles_of(file)) {
    events.push_back({{"at_s", mark.at.value},
                      {"event", mark.what},
                      {"unit", mark.unit ? Json(file.run.units[mark.unit->index].name) : Json()},
                      {"details", mark.details}});
  }
  const auto& summary = file.summary;
  const bool has_bound = summary && summary->lower_bound;
  return {{"schema", "equipoise.show/1"},
          {"policy", file.header.spelling},
          {"on", file.header.on},
          {"workloads", file.header.settings.workloads},
          {"interrupted", !summary},
          {"makespan_s", summary ? Json(summary->numbers.makespan.value) : Json()},
          {"ended_s", end_of_run(file).value},
          {"lower_bound_s", has_bound ? Json(summary->lower_bound->value) : Json()},
          {"blocks", n.blocks},
          {"rebalances", n.rebalances},
          {"units", std::move(units)},
          {"events", std::move(events)}};
}

}  // namespace equipoise
