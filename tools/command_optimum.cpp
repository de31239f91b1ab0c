// `equipoise optimum`: the clairvoyant split, and the bound that nothing can beat.
#include <fmt/format.h>

#include <cstdio>
#include <utility>

#include "shared_policies/model/failure.hpp"
#include "tools/commands.hpp"
#include "tools/console.hpp"
#include "tools/energy_optimum.hpp"
#include "tools/json_text.hpp"
#include "tools/parallel_runs.hpp"
#include "tools/sim_world.hpp"
#include "tools/text_table.hpp"

namespace equipoise {
namespace {

/// The run of the oracle with mean block times, in a process of its own.
RunReport simulate_optimum(const SimWorld& world, Options options) {
  options.noise = false;
  const PolicyChoice choice = parse_policy("optimum");
  JobResult result;
  run_in_children(
      1, 1, [&](std::size_t) { return packed(simulate_once(world, choice, options, 0, {})); },
      [&](std::size_t, JobResult ended) { result = std::move(ended); });
  if (!result.failure.empty()) throw BackendError(result.failure);
  return unpacked(result.text);
}

std::string text(const SimWorld& world, const RunNumbers& numbers, const LowerBound& bound) {
  TextTable table({"unit", "items", "share %", "blocks", "ends s", "items at the bound"});
  for (std::size_t i = 0; i < world.units.size(); ++i) {
    const UnitNumbers& unit = numbers.units[i];
    table.add({world.units[i].name, fmt::format("{}", unit.items),
               fmt::format("{:.2f}", 100.0 * share(numbers, i)), fmt::format("{}", unit.blocks),
               significant(unit.last_end.value, 5), fmt::format("{:.0f}", bound.share_items[i])});
  }
  return table.text() + fmt::format(
                            "\nstatic split: {} s   lower bound: {} s ({} binds)   the split is "
                            "{:.4f} of the bound\n",
                            significant(numbers.makespan.value, 6), significant(bound.seconds, 6),
                            bound.binding, numbers.makespan.value / bound.seconds);
}

std::string json(const SimWorld& world, const RunNumbers& numbers, const LowerBound& bound) {
  std::vector<std::pair<std::string, std::string>> units;
  for (std::size_t i = 0; i < world.units.size(); ++i) {
    const UnitNumbers& unit = numbers.units[i];
    units.emplace_back(world.units[i].name,
                       json_object({{"items", json_number(static_cast<double>(unit.items))},
                                    {"blocks", json_number(static_cast<double>(unit.blocks))},
                                    {"share", json_number(share(numbers, i))},
                                    {"end_s", json_number(unit.last_end.value)},
                                    {"items_at_bound", json_number(bound.share_items[i])}}));
  }
  return json_object({{"makespan_s", json_number(numbers.makespan.value)},
                      {"lower_bound_s", json_number(bound.seconds)},
                      {"binding", json_string(bound.binding)},
                      {"by_unit", json_object(units)}}) +
         "\n";
}

}  // namespace

int optimum_command(const Options& options) {
  if (options.objective != "time") return energy_optimum_command(options);
  const SimWorld world = load_sim_world(options);
  const LowerBound bound = lower_bound_of(world);
  const RunReport report = simulate_optimum(world, options);
  const RunNumbers& numbers = report.run.numbers;
  std::printf("%s",
              (options.json ? json(world, numbers, bound) : text(world, numbers, bound)).c_str());
  return report.run.verified ? 0 : 1;
}

}  // namespace equipoise
