// `equipoise optimum --objective pareto`: the divisions that none beats in both time and energy, as
// a table, JSON and a picture.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "shared_policies/model/failure.hpp"
#include "shared_policies/model/unit.hpp"
#include "tools/commands/commands.hpp"
#include "tools/console/console.hpp"
#include "tools/console/quantity_text.hpp"
#include "tools/console/text_table.hpp"
#include "tools/exports/formats.hpp"
#include "tools/report/glossary.hpp"
#include "tools/search/division_front.hpp"
#include "tools/worlds/sim_machine_loading.hpp"
#include "traces/json_record.hpp"

namespace equipoise {
namespace {

constexpr std::size_t most_rows = 20;
constexpr Items usual_pieces = 256;

using Rows = std::vector<const DivisionPoint*>;

/// The points that no division beats in time and energy in all.
Rows unbeaten(const DivisionFront& front) {
  Rows rows;
  for (const DivisionPoint& point : front.points) {
    if (!point.is_beaten_in_all) rows.push_back(&point);
  }
  return rows;
}

/// Some of `all`, evenly spread, the first and the last and that with the least EDP among them.
Rows shown_of(const Rows& all, const DivisionPoint& least_edp) {
  if (all.size() <= most_rows) return all;
  Rows shown;
  std::size_t next = 0;  // how many evenly spread points there are so far
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool is_spread = i == next * (all.size() - 1) / (most_rows - 2);
    next += is_spread ? 1 : 0;
    if (is_spread || all[i] == &least_edp) shown.push_back(all[i]);
  }
  return shown;
}

/// "cpu 23.0 %, Tesla K40m 77.0 %": the shares of the units of each model, in the order of units.
std::string shares_text(const SimMachine& machine, const std::vector<Items>& items) {
  std::vector<std::pair<std::string, Items>> by_model;
  Items all = 0;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const Unit& unit = machine.units[i];
    const std::string model = unit.model.empty() ? to_string(unit.kind) : unit.model;
    auto found = std::ranges::find(by_model, model, &std::pair<std::string, Items>::first);
    if (found == by_model.end()) found = by_model.insert(found, {model, 0});
    found->second += items[i];
    all += items[i];
  }
  std::vector<std::string> texts;
  for (const auto& [model, sum] : by_model) {
    const double percent = 100.0 * static_cast<double>(sum) / static_cast<double>(all);
    texts.push_back(fmt::format("{} {:.1f} %", model, percent));
  }
  return fmt::format("{}", fmt::join(texts, ", "));
}

/// "time, EDP": what the point has the least of.
std::string least_text(const DivisionFront& front, const DivisionPoint& point) {
  std::vector<const char*> least;
  for (const auto& [objective, word] : {std::pair(Objective::time, "time"),
                                        {Objective::edp, "EDP"},
                                        {Objective::energy, "energy"}}) {
    if (&front.least(objective) == &point) least.push_back(word);
  }
  return fmt::format("{}", fmt::join(least, ", "));
}

std::string front_table(const SimMachine& machine, const DivisionFront& front, const Rows& rows) {
  const Prefix prefix = prefix_of_seconds(rows.back()->model.time_s);
  TextTable table({"makespan " + prefix.name + "s", "energy J", "EDP J s",
                   "simulated " + prefix.name + "s", "simulated J", "least", "shares"});
  for (const DivisionPoint* const point : rows) {
    const std::optional<SplitResult>& simulated = point->simulated;
    table.add({significant(point->model.time_s / prefix.factor, 5),
               significant(point->model.energy_j, 5), significant(point->model.edp_js(), 5),
               simulated ? significant(simulated->time_s / prefix.factor, 5) : "-",
               simulated ? significant(simulated->energy_j, 5) : "-", least_text(front, *point),
               shares_text(machine, point->items)});
  }
  return table.text();
}

/// "0.998 to 1.213 times" of the least and the greatest; "1.000 times" if they do not differ.
std::string range_text(const std::vector<double>& ratios) {
  const auto [least, most] = std::ranges::minmax(ratios);
  const std::string low = fmt::format("{:.3f}", least);
  const std::string high = fmt::format("{:.3f}", most);
  return (low == high ? low : low + " to " + high) + " times";
}

/// How far the simulated runs are from the model.
std::string simulated_text(const Rows& rows) {
  std::vector<double> times;
  std::vector<double> energies;
  for (const DivisionPoint* const point : rows) {
    if (!point->simulated) continue;
    times.push_back(point->simulated->time_s / point->model.time_s);
    if (point->model.energy_j > 0.0) {
      energies.push_back(point->simulated->energy_j / point->model.energy_j);
    }
  }
  if (times.empty()) {
    return wrapped("Simulated, none of them does all items: the scenario leaves no unit.");
  }
  std::string text = fmt::format("Simulated, they take {} this time", range_text(times));
  if (!energies.empty()) text += fmt::format(" and {} this energy", range_text(energies));
  if (times.size() < rows.size()) {
    text += fmt::format("; {} of them do not end", rows.size() - times.size());
  }
  return wrapped(text + ".");
}

std::string front_text(const SimMachine& machine, const DivisionFront& front) {
  const Rows all = unbeaten(front);
  const Rows rows = shown_of(all, front.least(Objective::edp));
  std::string text = front_table(machine, front, rows) + "\n";
  const Pieces& pieces = front.pieces;
  text += wrapped(fmt::format(
      "No division into {} of {} beats one of these in both time and energy, by mean block times "
      "and if nothing else uses a unit's links: each unit gets its share at once.",
      counted(static_cast<std::uint64_t>(pieces.count), "piece"),
      counted(static_cast<std::uint64_t>(pieces.items), "item")));
  if (rows.size() < all.size()) {
    text +=
        wrapped(fmt::format("{} more lie between those that are shown; --json and --svg have "
                            "them.",
                            all.size() - rows.size()));
  }
  if (all.size() < front.points.size()) {
    text += wrapped(
        fmt::format("{} more have less dynamic energy, but take longer and more energy "
                    "in all ({} are drawn by idle units); --json has them.",
                    front.points.size() - all.size(), quantity_text(front.static_w, "W", 4)));
  }
  return text + simulated_text(all);
}

Json result_json(const SplitResult& result) {
  return {
      {"makespan_s", result.time_s}, {"energy_j", result.energy_j}, {"edp_js", result.edp_js()}};
}

Json point_json(const SimMachine& machine, const DivisionPoint& point) {
  Json items = Json::object();
  for (std::size_t i = 0; i < point.items.size(); ++i) {
    items[machine.units[i].name] = point.items[i];
  }
  Json json = result_json(point.model);
  json["dynamic_j"] = point.dynamic_j;
  json["is_beaten_in_all"] = point.is_beaten_in_all;
  json["simulated"] = point.simulated ? result_json(*point.simulated) : Json();
  json["items_by_unit"] = std::move(items);
  return json;
}

Json front_json(const SimMachine& machine, const DivisionFront& front) {
  Json points = Json::array();
  for (const DivisionPoint& point : front.points) points.push_back(point_json(machine, point));
  return {{"schema", "equipoise.pareto-front/1"}, {"objective", "pareto"},
          {"pieces", front.pieces.count},         {"piece_items", front.pieces.items},
          {"static_w", front.static_w},           {"points", std::move(points)}};
}

}  // namespace

int optimum_front_command(const OptimumRequest& request) {
  const RunOptions& options = request.options;
  if (options.workloads.size() > 1) {
    throw InputError("--workload",
                     "a front is of one workload, and several are given; give each a command of "
                     "its own");
  }
  std::optional<ExportFile> picture;
  const SimMachine machine = load_sim_machine(options);
  require_watts(
      machine.units,
      fmt::format("{} and {}", options.platform_file, fmt::join(options.trace_files, ", ")),
      "--objective pareto");
  if (!request.svg.empty()) picture.emplace(request.svg, "--svg");
  catch_stop_signals();
  const DivisionFront front =
      division_front(machine, options, request.pieces.value_or(usual_pieces));
  if (picture) {
    picture->put(front_svg(front, options.workloads.front()));
    picture->finish();
    if (request.svg == "-") return 0;
  }
  return request.json ? print_json(front_json(machine, front))
                      : print_out("{}", front_text(machine, front));
}

}  // namespace equipoise
