// Compares two runs of the oracle, one for the objective and one for time. The split for energy
// ignores copies; if copies make the best schedule for time better for the objective too, that
// schedule is chosen.
#include "tools/commands/energy_optimum.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "shared_policies/model/failure.hpp"
#include "tools/report/json_text.hpp"
#include "tools/report/text_table.hpp"
#include "tools/search/schedule_search.hpp"
#include "tools/worlds/sim_world.hpp"
#include "tools/worlds/simulations.hpp"

namespace equipoise {
namespace {

double edp_js(const RunNumbers& numbers) { return *numbers.energy_j * numbers.makespan.value; }

double worth(const RunNumbers& numbers, const std::string& objective) {
  return objective == "energy" ? *numbers.energy_j : edp_js(numbers);
}

std::string text(const SimWorld& world, const std::string& objective, const RunNumbers& best,
                 const RunNumbers& fastest) {
  TextTable table({"unit", "items", "share %", "blocks", "ends s", "energy J", "items for time"});
  std::string unused;
  for (std::size_t i = 0; i < world.units.size(); ++i) {
    const UnitNumbers& unit = best.units[i];
    table.add({world.units[i].name, fmt::format("{}", unit.items),
               fmt::format("{:.2f}", 100.0 * share(best, i)), fmt::format("{}", unit.blocks),
               significant(unit.last_end.value, 5), significant(*unit.energy_j, 5),
               fmt::format("{}", fastest.units[i].items)});
    if (unit.items == 0) unused += " " + world.units[i].name;
  }
  std::string text = table.text() + "\n";
  for (const auto& [name, numbers] : {std::pair(objective, &best), {"time", &fastest}}) {
    text += fmt::format("split for {:6}  {} s   {} J   {} J s\n", name,
                        significant(numbers->makespan.value, 6), significant(*numbers->energy_j, 6),
                        significant(edp_js(*numbers), 6));
  }
  return text + (unused.empty() ? "all units are used\n" : "not used:" + unused + "\n");
}

std::string run_json(const SimWorld& world, const RunNumbers& numbers) {
  std::vector<std::pair<std::string, std::string>> units;
  for (std::size_t i = 0; i < world.units.size(); ++i) {
    const UnitNumbers& unit = numbers.units[i];
    units.emplace_back(world.units[i].name,
                       json_object({{"items", json_number(static_cast<double>(unit.items))},
                                    {"blocks", json_number(static_cast<double>(unit.blocks))},
                                    {"share", json_number(share(numbers, i))},
                                    {"end_s", json_number(unit.last_end.value)},
                                    {"energy_j", json_number(*unit.energy_j)}}));
  }
  return json_object({{"makespan_s", json_number(numbers.makespan.value)},
                      {"energy_j", json_number(*numbers.energy_j)},
                      {"edp_js", json_number(edp_js(numbers))},
                      {"by_unit", json_object(units)}});
}

}  // namespace

int energy_optimum_command(const Options& options) {
  SimWorld world = load_sim_world(options);
  require_watts(world.units, options.platform_file, "--objective " + options.objective);
  find_best_schedule(world, options);
  Options without_noise = options;
  without_noise.noise = false;
  const std::array<std::string, 2> objectives = {options.objective, "time"};
  std::array<RunReport, 2> reports;
  std::string failure;
  run_simulations(
      objectives.size(),
      [&](std::size_t job) {
        return simulation_of(world, parse_policy("optimum:objective=" + objectives[job]),
                             without_noise);
      },
      [&](std::size_t job, SimulationResult result) {
        if (!result.failure.empty()) failure = result.failure;
        reports[job] = std::move(result.report);
      });
  if (!failure.empty()) throw BackendError(failure);
  const RunNumbers& fastest = reports[1].run.numbers;
  const RunNumbers& split = reports[0].run.numbers;
  const RunNumbers& best =
      worth(fastest, options.objective) < worth(split, options.objective) ? fastest : split;
  const std::string said = options.json
                               ? json_object({{"objective", json_string(options.objective)},
                                              {"best", run_json(world, best)},
                                              {"for_time", run_json(world, fastest)}}) +
                                     "\n"
                               : text(world, options.objective, best, fastest);
  std::printf("%s", said.c_str());
  return reports[0].run.verified && reports[1].run.verified ? 0 : 1;
}

}  // namespace equipoise
