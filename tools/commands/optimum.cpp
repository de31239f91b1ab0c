// `equipoise optimum`: the best schedule found, and a lower bound on the makespan with mean block
// times.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "shared_policies/model/failure.hpp"
#include "shared_policies/model/unit.hpp"
#include "tools/commands/commands.hpp"
#include "tools/console/console.hpp"
#include "tools/console/quantity_text.hpp"
#include "tools/console/text_table.hpp"
#include "tools/report/glossary.hpp"
#include "tools/search/ideal_runs.hpp"
#include "tools/search/schedule_search.hpp"
#include "tools/simulations/sim_machine.hpp"
#include "tools/worlds/sim_machine_loading.hpp"
#include "traces/json_record.hpp"

namespace equipoise {
namespace {

/// The binding constraints of all phases, each one once.
std::vector<std::string> bindings(const SimMachine& machine) {
  std::vector<std::string> names;
  for (const LowerBound& bound : machine.bound.phases) {
    if (std::find(names.begin(), names.end(), bound.binding) == names.end()) {
      names.push_back(bound.binding);
    }
  }
  return names;
}

/// What keeps runs from being shorter: "computing limits it".
std::string limit_text(std::vector<std::string> limits) {
  for (std::string& limit : limits) {
    if (limit == "compute") limit = "computing";
  }
  const bool is_one = limits.size() == 1 && limits.front() != "copies";
  return fmt::format("{} {} it", fmt::join(limits, " and "), is_one ? "limits" : "limit");
}

/// The units' items in one phase, next to the items at which its lower bound is reached.
std::string phase_text(const SimMachine& machine, const RunNumbers& numbers, std::size_t phase) {
  const LowerBound& bound = machine.bound.phases[phase];
  const Prefix prefix = prefix_of_seconds(end_of(numbers.phases[phase]).value);
  TextTable table({"unit", "items", "share %", "blocks", "last end " + prefix.name + "s",
                   "items at the bound"});
  for (std::size_t i = 0; i < machine.units.size(); ++i) {
    const UnitInPhase& unit = numbers.phases[phase][i];
    table.add({machine.units[i].name, fmt::format("{}", unit.items),
               fmt::format("{:.2f}", 100.0 * share_of(numbers.phases[phase], i)),
               fmt::format("{}", unit.blocks), significant(unit.last_end.value / prefix.factor, 5),
               fmt::format("{:.0f}", bound.share_items[i])});
  }
  std::string rows = folded_text(std::move(table)) + "\n";
  if (numbers.phases.size() == 1) return rows;
  return fmt::format("phase {}, {}: ends at {}; lower bound of the phase alone {} ({})\n",
                     phase + 1, machine.setup.phases[phase].kernel,
                     quantity_text(end_of(numbers.phases[phase]).value, "s", 5),
                     quantity_text(bound.seconds, "s", 5), limit_text({bound.binding})) +
         rows;
}

std::string text(const SimMachine& machine, const RunNumbers& numbers, const std::string& worth) {
  std::string text;
  for (std::size_t phase = 0; phase < numbers.phases.size(); ++phase) {
    text += phase_text(machine, numbers, phase);
  }
  text += fmt::format("best schedule found: {}", quantity_text(numbers.makespan.value, "s", 6));
  if (machine.bound.seconds) {
    text +=
        fmt::format(", {:.4f} times the lower bound of {} ({})",
                    numbers.makespan.value / *machine.bound.seconds,
                    quantity_text(*machine.bound.seconds, "s", 6), limit_text(bindings(machine)));
  }
  text += "\n";
  if (machine.best_known && machine.best_known->seconds < numbers.makespan.value) {
    text += fmt::format("the policy equipoise, which sees what happens, needs {} without noise\n",
                        quantity_text(machine.best_known->seconds, "s", 6));
  }
  return text + worth;
}

Json unit_json(const UnitInPhase& unit, double share, double items_at_bound) {
  return {{"items", unit.items},
          {"blocks", unit.blocks},
          {"share", share},
          {"end_s", unit.last_end.value},
          {"items_at_bound", items_at_bound}};
}

Json phase_json(const SimMachine& machine, const RunNumbers& numbers, std::size_t phase) {
  const LowerBound& bound = machine.bound.phases[phase];
  Json units = Json::object();
  for (std::size_t i = 0; i < machine.units.size(); ++i) {
    units[machine.units[i].name] = unit_json(
        numbers.phases[phase][i], share_of(numbers.phases[phase], i), bound.share_items[i]);
  }
  return {{"kernel", machine.setup.phases[phase].kernel},
          {"lower_bound_s", bound.seconds},
          {"binding", bound.binding},
          {"by_unit", std::move(units)}};
}

/// The whole run, and its phases if there are several.
Json optimum_json(const SimMachine& machine, const RunNumbers& numbers, const Worth& worth) {
  Json units = Json::object();
  for (std::size_t i = 0; i < machine.units.size(); ++i) {
    double items_at_bound = 0.0;
    for (const LowerBound& bound : machine.bound.phases) items_at_bound += bound.share_items[i];
    const UnitNumbers& unit = numbers.units[i];
    units[machine.units[i].name] =
        unit_json({unit.items, unit.blocks, unit.last_end}, share(numbers, i), items_at_bound);
  }
  Json phases = Json::array();
  for (std::size_t phase = 0; phase < numbers.phases.size(); ++phase) {
    phases.push_back(phase_json(machine, numbers, phase));
  }
  return {{"schema", "equipoise.optimum/1"},
          {"objective", "time"},
          {"makespan_s", numbers.makespan.value},
          {"lower_bound_s", json_of(machine.bound.seconds)},
          {"binding", fmt::format("{}", fmt::join(bindings(machine), ", "))},
          {"by_unit", std::move(units)},
          {"without", worth_json(worth)},
          {"phases", phases.size() < 2 ? Json() : std::move(phases)}};
}

std::string energy_text(const SimMachine& machine, Objective objective, const RunNumbers& best,
                        const RunNumbers& fastest, const std::string& worth) {
  const Prefix prefix = prefix_of_seconds(best.makespan.value);
  TextTable table({"unit", "items", "share %", "blocks", "last end " + prefix.name + "s",
                   "energy J", "items for time"});
  std::vector<std::string> unused;
  for (std::size_t i = 0; i < machine.units.size(); ++i) {
    const UnitNumbers& unit = best.units[i];
    table.add({machine.units[i].name, fmt::format("{}", unit.items),
               fmt::format("{:.2f}", 100.0 * share(best, i)), fmt::format("{}", unit.blocks),
               significant(unit.last_end.value / prefix.factor, 5), significant(*unit.energy_j, 5),
               fmt::format("{}", fastest.units[i].items)});
    if (unit.items == 0) unused.push_back(machine.units[i].name);
  }
  std::string text = folded_text(std::move(table)) + "\n";
  for (const auto& [name, numbers] : {std::pair(word_of(objective), &best), {"time", &fastest}}) {
    text += fmt::format(
        "split for {:6}  {}   {}   EDP {}\n", name, quantity_text(numbers->makespan.value, "s", 6),
        quantity_text(*numbers->energy_j, "J", 6), quantity_text(edp_js(*numbers), "J s", 6));
  }
  text += unused.empty()
              ? "all units are used\n"
              : wrapped(fmt::format("not used: {}", fmt::join(folded_names(unused), " ")));
  return text + worth;
}

Json energy_json(const SimMachine& machine, const RunNumbers& numbers) {
  Json units = Json::object();
  for (std::size_t i = 0; i < machine.units.size(); ++i) {
    const UnitNumbers& unit = numbers.units[i];
    units[machine.units[i].name] = {{"items", unit.items},
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

/// What is to be least; `objective` is not pareto.
Objective minimised(OptimumObjective objective) {
  if (objective == OptimumObjective::time) return Objective::time;
  return objective == OptimumObjective::energy ? Objective::energy : Objective::edp;
}

/// The answer for energy and EDP, or for time.
std::string said(const SimMachine& machine, const IdealRuns& runs, const Worth& worth,
                 const OptimumRequest& request) {
  const RunNumbers& best = runs.best.run.numbers;
  const RunNumbers& fastest = runs.fastest.run.numbers;
  if (request.objective == OptimumObjective::time) {
    return request.json ? line_of(optimum_json(machine, best, worth)) + "\n"
                        : text(machine, best, worth.line);
  }
  if (!request.json) {
    return energy_text(machine, minimised(request.objective), best, fastest, worth.line);
  }
  return line_of({{"schema", "equipoise.energy-optimum/1"},
                  {"objective", word_of(request.objective)},
                  {"best", energy_json(machine, best)},
                  {"for_time", energy_json(machine, fastest)},
                  {"without", worth_json(worth)}}) +
         "\n";
}

}  // namespace

int optimum_command(const OptimumRequest& request) {
  if (request.objective == OptimumObjective::pareto) return optimum_front_command(request);
  for (const auto& [option, is_given] :
       {std::pair("--pieces", request.pieces.has_value()), {"--svg", !request.svg.empty()}}) {
    if (is_given) throw InputError(option, "is of the front; add --objective pareto");
  }
  const RunOptions& options = request.options;
  const Objective objective = minimised(request.objective);
  SimMachine machine = load_sim_machine(options);
  if (objective != Objective::time) {
    require_watts(
        machine.units,
        fmt::format("{} and {}", options.platform_file, fmt::join(options.trace_files, ", ")),
        fmt::format("--objective {}", word_of(objective)));
  }
  catch_stop_signals();
  find_best_schedule(machine, options);
  IdealRuns runs = ideal_runs(machine, options, objective);
  for (const RunReport* const run : {&runs.best, &runs.fastest}) {
    if (run->run.verified) continue;
    say_error("no schedule: " + run->problem);
    return 1;
  }
  const Worth worth = worth_of_units(machine, options, objective, runs);
  return print_out("{}", said(machine, runs, worth, request));
}

}  // namespace equipoise
