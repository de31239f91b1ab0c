// Prints two runs of the oracle, one for the objective and one for time.
#include "tools/commands/energy_optimum.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "shared_policies/model/unit.hpp"
#include "tools/console/console.hpp"
#include "tools/console/quantity_text.hpp"
#include "tools/console/text_table.hpp"
#include "tools/report/glossary.hpp"
#include "tools/search/ideal_runs.hpp"
#include "tools/search/schedule_search.hpp"
#include "tools/search/units_worth_using.hpp"
#include "tools/simulations/sim_world.hpp"
#include "tools/worlds/sim_world_loading.hpp"
#include "traces/json_record.hpp"

namespace equipoise {
namespace {

std::string text(const SimWorld& world, const std::string& objective, const RunNumbers& best,
                 const RunNumbers& fastest, const std::string& worth) {
  const Prefix prefix = prefix_of_seconds(best.makespan.value);
  TextTable table({"unit", "items", "share %", "blocks", "last end " + prefix.name + "s",
                   "energy J", "items for time"});
  std::vector<std::string> unused;
  for (std::size_t i = 0; i < world.units.size(); ++i) {
    const UnitNumbers& unit = best.units[i];
    table.add({world.units[i].name, fmt::format("{}", unit.items),
               fmt::format("{:.2f}", 100.0 * share(best, i)), fmt::format("{}", unit.blocks),
               significant(unit.last_end.value / prefix.factor, 5), significant(*unit.energy_j, 5),
               fmt::format("{}", fastest.units[i].items)});
    if (unit.items == 0) unused.push_back(world.units[i].name);
  }
  std::string text = folded_text(std::move(table)) + "\n";
  for (const auto& [name, numbers] : {std::pair(objective, &best), {"time", &fastest}}) {
    text += fmt::format(
        "split for {:6}  {}   {}   EDP {}\n", name, quantity_text(numbers->makespan.value, "s", 6),
        quantity_text(*numbers->energy_j, "J", 6), quantity_text(edp_js(*numbers), "J s", 6));
  }
  text += unused.empty()
              ? "all units are used\n"
              : wrapped(fmt::format("not used: {}", fmt::join(folded_names(unused), " ")));
  return text + worth;
}

Json run_json(const SimWorld& world, const RunNumbers& numbers) {
  Json units = Json::object();
  for (std::size_t i = 0; i < world.units.size(); ++i) {
    const UnitNumbers& unit = numbers.units[i];
    units[world.units[i].name] = {{"items", unit.items},
                                  {"blocks", unit.blocks},
                                  {"share", share(numbers, i)},
                                  {"end_s", unit.last_end.value},
                                  {"energy_j", *unit.energy_j}};
  }
  return {{"makespan_s", numbers.makespan.value},
          {"energy_j", *numbers.energy_j},
          {"edp_js", edp_js(numbers)},
          {"by_unit", std::move(units)}};
}

}  // namespace

int energy_optimum_command(const Options& options) {
  SimWorld world = load_sim_world(options);
  require_watts(
      world.units,
      fmt::format("{} and {}", options.platform_file, fmt::join(options.trace_files, ", ")),
      "--objective " + options.objective);
  catch_stop_signals();
  find_best_schedule(world, options);
  IdealRuns runs = ideal_runs(world, options);
  if (!runs.best.run.verified || !runs.fastest.run.verified) {
    say_error("no schedule: " +
              (runs.best.run.verified ? runs.fastest.problem : runs.best.problem));
    return 1;
  }
  const Worth worth = worth_of_units(world, options, runs);
  const RunNumbers& best = runs.best.run.numbers;
  const RunNumbers& fastest = runs.fastest.run.numbers;
  const std::string said = options.json ? line_of({{"schema", "equipoise.energy-optimum/1"},
                                                   {"objective", options.objective},
                                                   {"best", run_json(world, best)},
                                                   {"for_time", run_json(world, fastest)},
                                                   {"without", worth_json(worth)}}) +
                                              "\n"
                                        : text(world, options.objective, best, fastest, worth.line);
  std::printf("%s", said.c_str());
  return 0;
}

}  // namespace equipoise
