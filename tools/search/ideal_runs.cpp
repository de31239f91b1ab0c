// Runs the oracle with divisions and schedules for every objective, and chooses; does it again with
// some units absent, and says what they are good for.
#include "tools/search/ideal_runs.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <set>
#include <span>
#include <utility>

#include "shared_policies/model/failure.hpp"
#include "tools/console/quantity_text.hpp"
#include "tools/search/schedule_search.hpp"
#include "tools/simulations/sim_machine.hpp"
#include "tools/simulations/simulations.hpp"
#include "traces/json_record.hpp"

namespace equipoise {
namespace {

/// A run of the oracle: its policy, and the schedule that it follows, if any.
struct OracleRun {
  std::string policy;
  BlockLists schedule;
};

/// Simulates them without noise. Throws BackendError if one cannot be simulated.
std::vector<RunReport> simulated(const SimMachine& machine, const RunOptions& options,
                                 const std::vector<OracleRun>& runs) {
  RunOptions without_noise = options;
  without_noise.noise = false;
  std::vector<RunReport> reports(runs.size());
  std::string failure;
  run_simulations(
      runs.size(),
      [&](std::size_t job) {
        Simulation simulation =
            simulation_of(machine, parse_policy(runs[job].policy), without_noise);
        simulation.schedule = runs[job].schedule;
        return simulation;
      },
      [&](std::size_t job, SimulationResult result) {
        if (!result.failure.empty()) failure = result.failure;
        reports[job] = std::move(result.report);
      });
  if (!failure.empty()) throw BackendError(failure);
  return reports;
}

}  // namespace

double edp_js(const RunNumbers& numbers) { return *numbers.energy_j * numbers.makespan.value; }

double value_for(Objective objective, const RunNumbers& numbers) {
  if (objective == Objective::time) return numbers.makespan.value;
  return objective == Objective::energy ? *numbers.energy_j : edp_js(numbers);
}

/// The verified run with the least value among those that are allowed; null if there is none.
const RunReport* least_of(const std::vector<RunReport>& runs, Objective objective,
                          const std::function<bool(const RunNumbers&)>& is_allowed) {
  const RunReport* least = nullptr;
  for (const RunReport& run : runs) {
    if (!run.run.verified || !is_allowed(run.run.numbers)) continue;
    if (least == nullptr ||
        value_for(objective, run.run.numbers) < value_for(objective, least->run.numbers)) {
      least = &run;
    }
  }
  return least;
}

IdealRuns ideal_runs(const SimMachine& machine, const RunOptions& options, Objective objective) {
  IdealRuns runs;
  runs.tried = simulated(machine, options, {{"optimum", machine.schedule}});
  runs.best = runs.fastest = runs.tried.front();
  if (objective == Objective::time) return runs;
  const std::vector<RunReport> divisions =
      simulated(machine, options,
                {{"optimum", {}}, {"optimum:objective=energy", {}}, {"optimum:objective=edp", {}}});
  std::vector<OracleRun> found;
  for (const Objective one : {Objective::energy, Objective::edp}) {
    BlockLists schedule = search_schedule_for(one, machine, options, divisions);
    if (!schedule.empty()) found.push_back({"optimum", std::move(schedule)});
  }
  for (const auto& more : {divisions, simulated(machine, options, found)}) {
    runs.tried.insert(runs.tried.end(), more.begin(), more.end());
  }
  const RunReport* const best =
      least_of(runs.tried, objective, [](const RunNumbers&) { return true; });
  if (best != nullptr) runs.best = *best;
  return runs;
}

namespace {

/// The unit that would be the best one alone if it took all items as one block.
std::size_t best_alone(const SimMachine& machine, Objective objective) {
  const KnownCosts known = known_costs(machine, machine.inputs->traces);
  double static_w = 0.0;
  for (const Unit& unit : machine.units) static_w += unit.idle_w.value_or(0.0);
  std::size_t best = 0;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < machine.units.size(); ++i) {
    RunNumbers alone;
    double computing_s = 0.0;
    for (std::size_t phase = 0; phase < machine.setup.phases.size(); ++phase) {
      const Workload& workload = machine.setup.phases[phase];
      const CostModel& cost = *known.phases[phase][i];
      const auto items = static_cast<double>(workload.items);
      alone.makespan += Seconds{workload.iterations * cost.at(items).seconds};
      computing_s += workload.iterations * cost.computing_s(items);
    }
    const Unit& unit = machine.units[i];
    const double added_w = unit.busy_w.value_or(0.0) - unit.idle_w.value_or(0.0);
    alone.energy_j = static_w * alone.makespan.value + added_w * computing_s;
    const double value = value_for(objective, alone);
    if (value < least) best = i;
    least = std::min(least, value);
  }
  return best;
}

/// Whether `numbers` have items on units called so.
bool uses(const RunNumbers& numbers, const SimMachine& machine,
          const std::vector<std::string>& names) {
  for (std::size_t i = 0; i < machine.units.size(); ++i) {
    const bool is_one = std::ranges::find(names, machine.units[i].name) != names.end();
    if (is_one && numbers.units[i].items > 0) return true;
  }
  return false;
}

/// "cuda0 and cuda1 alone"
std::string kept_text(const std::vector<std::string>& names) {
  constexpr std::size_t shown = 3;
  if (names.size() > shown) return fmt::format("the other {} units alone", names.size());
  if (names.size() == 1) return names.front() + " alone";
  return fmt::format("{} and {} alone", fmt::join(std::span(names).first(names.size() - 1), ", "),
                     names.back());
}

bool is_cpu(const Unit& unit) { return unit.kind == UnitKind::cpu; }

/// Whether the question is what the CPUs of a machine with other units are good for.
bool is_about_cpus(const SimMachine& machine) {
  return std::ranges::any_of(machine.units, is_cpu) && !std::ranges::all_of(machine.units, is_cpu);
}

/// How an objective is called.
struct Measure {
  const char* name;
  const char* unit;
};

Measure measure_of(Objective objective) {
  if (objective == Objective::time) return {"makespan", "s"};
  return objective == Objective::energy ? Measure{"energy", "J"} : Measure{"EDP", "J s"};
}

std::string percent_of(double part) { return significant(100.0 * part, 2) + " %"; }

/// What is judged, as a part of a sentence.
struct Subject {
  const char* is_worth;
  const char* is_not_worth;
  const char* is_needed;
  const char* with;
  const char* uses;
};

Subject subject_of(const SimMachine& machine) {
  if (!is_about_cpus(machine)) {
    return {"Several units are worth using", "Several units are not worth using",
            "Several units are needed", "together", "uses more"};
  }
  std::set<std::string> nodes;
  for (const Unit& unit : machine.units) {
    if (unit.kind == UnitKind::cpu) nodes.insert(unit.node);
  }
  if (nodes.size() > 1) {
    return {"The CPUs are worth using", "The CPUs are not worth using", "The CPUs are needed",
            "with them", "uses them"};
  }
  return {"The CPU is worth using", "The CPU is not worth using", "The CPU is needed", "with it",
          "uses it"};
}

/// The units without which is tried, for this objective: the CPUs of a machine that has other
/// units, too; otherwise all but the one that would be the best one alone.
std::vector<std::string> left_out_for(Objective objective, const SimMachine& machine) {
  const bool is_without_cpus = is_about_cpus(machine);
  const std::size_t alone = is_without_cpus ? 0 : best_alone(machine, objective);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < machine.units.size(); ++i) {
    const bool stays = is_without_cpus ? !is_cpu(machine.units[i]) : i == alone;
    if (!stays) names.push_back(machine.units[i].name);
  }
  return names;
}

/// Adds what can be reached without these units to `tried`.
void try_without(const std::vector<std::string>& names, const SimMachine& machine,
                 const RunOptions& options, Objective objective, std::vector<RunReport>& tried) {
  SimMachine rest = without_units(machine, names);
  try {
    rest.schedule = search_schedule(rest, options).schedule;
  } catch (const BackendError&) {
    return;  // no schedule completes
  }
  for (RunReport& run : ideal_runs(rest, options, objective).tried) tried.push_back(std::move(run));
}

/// The answer in one line.
std::string worth_text(const Worth& worth, const IdealRuns& runs, const SimMachine& machine,
                       Objective objective) {
  const Subject subject = subject_of(machine);
  const Measure measure = measure_of(objective);
  const auto said = [&](double value) { return quantity_text(value, measure.unit, 4); };
  const std::string kept = kept_text(worth.units);
  if (!worth.without) return fmt::format("{}: {} cannot do all items.", subject.is_needed, kept);
  const double alone = value_for(objective, *worth.without);
  if (worth.is_worth_using) {
    const double best = value_for(objective, runs.best.run.numbers);
    return fmt::format("{}: {} the {} is {}, with {} {} ({} less).", subject.is_worth, subject.with,
                       measure.name, said(best), kept, said(alone), percent_of(1.0 - best / alone));
  }
  std::string text =
      fmt::format("{}: {} {} the least {}, {}", subject.is_not_worth, kept,
                  worth.units.size() == 1 ? "has" : "have", measure.name, said(alone));
  const double fastest = value_for(objective, runs.fastest.run.numbers);
  if (uses(runs.fastest.run.numbers, machine, worth.left_out) && fastest > alone) {
    const char* const which = objective == Objective::time
                                  ? "the best found that {} has {} ({} more)"
                                  : "the fastest schedule {} and has {} ({} more)";
    text += "; " + fmt::format(fmt::runtime(which), subject.uses, said(fastest),
                               percent_of(fastest / alone - 1.0));
  }
  return text + ".";
}

}  // namespace

Json worth_json(const Worth& worth) {
  if (worth.line.empty()) return nullptr;
  const std::optional<RunNumbers>& numbers = worth.without;
  const bool has_energy = numbers && numbers->energy_j;
  return {{"answer", worth.line.substr(0, worth.line.size() - 1)},
          {"is_worth_using", worth.is_worth_using},
          {"left_out", worth.left_out},
          {"units", worth.units},
          {"makespan_s", numbers ? Json(numbers->makespan.value) : Json()},
          {"energy_j", has_energy ? Json(*numbers->energy_j) : Json()},
          {"edp_js", has_energy ? Json(edp_js(*numbers)) : Json()}};
}

Worth worth_of_units(const SimMachine& machine, const RunOptions& options, Objective objective,
                     IdealRuns& runs) {
  if (machine.units.size() < 2) return {};
  Worth worth;
  worth.left_out = left_out_for(objective, machine);
  for (const Unit& unit : machine.units) {
    if (std::ranges::count(worth.left_out, unit.name) == 0) worth.units.push_back(unit.name);
  }
  const auto uses_none = [&](const RunNumbers& numbers) {
    return !uses(numbers, machine, worth.left_out);
  };
  // For energy and EDP the same is tried, so that the answers agree; for time only what the answer
  // needs.
  if (objective != Objective::time) {
    std::set<std::vector<std::string>> each;
    for (const Objective one : {Objective::energy, Objective::edp}) {
      each.insert(left_out_for(one, machine));
    }
    for (const auto& names : each) try_without(names, machine, options, objective, runs.tried);
  } else if (!uses_none(runs.best.run.numbers)) {
    try_without(worth.left_out, machine, options, objective, runs.tried);
  }
  const RunReport* const kept = least_of(runs.tried, objective, uses_none);
  const RunReport* best = least_of(runs.tried, objective, [](const RunNumbers&) { return true; });
  if (kept != nullptr) {
    worth.without = kept->run.numbers;
    const double alone = value_for(objective, *worth.without);
    if (alone <= value_for(objective, best->run.numbers)) best = kept;
  }
  worth.is_worth_using = best != kept;
  runs.best = *best;
  worth.line = worth_text(worth, runs, machine, objective) + "\n";
  return worth;
}

}  // namespace equipoise
