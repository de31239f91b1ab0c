// Searches the phases of a run one after another, and tries our own policy.
#include "tools/search/schedule_search.hpp"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "shared_policies/model/failure.hpp"
#include "tools/console/console.hpp"
#include "tools/search/phase_search.hpp"
#include "tools/simulations/sim_machine.hpp"
#include "tools/simulations/simulations.hpp"

namespace equipoise {
namespace {

constexpr double worth_own_policy = 1.002;  // relative to the lower bound

/// The makespan of our own policy; nullopt if it does not complete all items.
std::optional<double> end_of_own_policy(const SimMachine& machine, const RunOptions& options) {
  const SimulationResult result =
      run_alone(simulation_of(machine, parse_policy("equipoise"), options));
  if (!result.failure.empty()) return std::nullopt;
  const RunReport& report = result.report;
  return report.run.verified ? std::optional(report.run.numbers.makespan.value) : std::nullopt;
}

/// Whether our own policy is worth a run beside a search that came to `seconds`. With many units,
/// which it has to look at for every block, only if there is something to win.
bool is_own_policy_worth_it(const SimMachine& machine, double seconds) {
  double bound_s = 0.0;
  for (const LowerBound& bound : machine.bound.phases) bound_s += bound.seconds;
  return machine.units.size() <= few_units || seconds > worth_own_policy * bound_s;
}

/// The units' items in a phase of a run; zeros if the run did not reach the phase.
std::vector<UnitInPhase> in_phase(const RunNumbers& numbers, std::size_t phase) {
  if (phase < numbers.phases.size()) return numbers.phases[phase];
  return std::vector<UnitInPhase>(numbers.units.size());
}

/// The phases one after another; fewer than the machine's if no candidate completes one.
PhasesBefore search_phases(const SimMachine& machine, const RunOptions& plain, Objective objective,
                           const std::vector<RunReport>& divisions) {
  PhasesBefore done;
  for (std::size_t phase = 0; phase < machine.setup.phases.size(); ++phase) {
    const SimMachine part = first_phases(machine, phase + 1);
    std::vector<std::vector<UnitInPhase>> starts;
    for (const RunReport& division : divisions) {
      starts.push_back(in_phase(division.run.numbers, phase));
    }
    const Tried found = search_phase(part, plain, objective, starts, done);
    if (!found.completes()) break;
    done.schedule.push_back(blocks_of(found.parts, part.setup.phases.back(), part.units));
    done.end_s = found.makespan_s;
  }
  return done;
}

RunOptions plain_options(RunOptions options) {
  options.noise = false;
  options.decision_cost = "none";
  return options;
}

}  // namespace

BlockLists search_schedule_for(Objective objective, const SimMachine& machine,
                               const RunOptions& options, const std::vector<RunReport>& divisions) {
  PhasesBefore found = search_phases(machine, plain_options(options), objective, divisions);
  if (found.schedule.size() < machine.setup.phases.size()) found.schedule.clear();
  return std::move(found.schedule);
}

BestKnown search_schedule(const SimMachine& machine, const RunOptions& options) {
  const RunOptions plain = plain_options(options);
  const std::size_t phases = machine.setup.phases.size();
  const SimulationResult result =
      run_alone(simulation_of(first_phases(machine, phases), parse_policy("optimum"), plain));
  if (!result.failure.empty()) throw BackendError(result.failure);
  const RunReport& division = result.report;

  BestKnown best{{}, division.run.numbers.makespan.value, "optimum"};
  PhasesBefore done;
  if (plain.per_node.empty()) {  // else nodes divide by themselves, and a schedule is of units
    done = search_phases(machine, plain, Objective::time, {division});
  }
  const bool searched = done.schedule.size() == phases;
  if (searched && (!division.run.verified || done.end_s <= best.seconds)) {
    best.schedule = std::move(done.schedule);
    best.seconds = done.end_s;
  } else if (!division.run.verified) {
    throw BackendError("no schedule completes: " + division.problem);
  }
  if (is_own_policy_worth_it(machine, best.seconds)) {
    const std::optional<double> own_s = end_of_own_policy(machine, plain);
    if (own_s && *own_s < best.seconds) {
      best.seconds = *own_s;
      best.spelling = "equipoise";
    }
  }
  return best;
}

void find_best_schedule(SimMachine& machine, const RunOptions& options) {
  try {
    BestKnown best = search_schedule(machine, options);
    machine.schedule = std::move(best.schedule);
    machine.best_known = {best.seconds, std::move(best.spelling)};
  } catch (const BackendError& failure) {
    warn(fmt::format("the best schedule is not known: {}", failure.what()));
  }
}

}  // namespace equipoise
