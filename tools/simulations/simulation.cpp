// Makes a run of a simulated world.
#include "tools/simulations/simulation.hpp"

#include <utility>

#include "sim/sim_executor.hpp"

namespace equipoise {

Simulation simulation_of(const SimWorld& world, PolicyChoice choice, const Options& options,
                         std::uint64_t repetition, std::string journal_file) {
  Simulation simulation;
  simulation.inputs = world.inputs;
  simulation.phases = world.setup.phases.size();
  if (choice.info->foresight == Foresight::oracle) simulation.schedule = world.schedule;
  simulation.policy = std::move(choice);
  simulation.seed = options.seed;
  simulation.repetition = repetition;
  simulation.decision_cost = options.decision_cost;
  simulation.lower_bound_s = world.bound.seconds;
  simulation.bound_phases = bound_phases(world);
  simulation.settings = settings_of(world, options);
  simulation.journal_file = std::move(journal_file);
  simulation.learns = !options.experience_file.empty();
  return simulation;
}

RunReport simulate_here(SimWorld world, const Simulation& simulation,
                        std::function<bool()> stop_requested) {
  if (simulation.phases < world.setup.phases.size()) {
    world = first_phases(std::move(world), simulation.phases);
  }
  world.schedule = simulation.schedule;
  KnownCosts known = known_costs(world, profile_of(simulation.policy, world.inputs->traces));
  if (simulation.policy.experience) known.experience = *simulation.policy.experience;
  RunPlan plan;
  plan.units = world.units;
  plan.phases = world.setup.phases;
  plan.policy = simulation.policy;
  plan.known = &known;
  plan.recorded = world.recorded;
  plan.on = "sim";
  plan.seed = simulation.seed;
  plan.repetition = simulation.repetition;
  plan.lower_bound_s = simulation.lower_bound_s;
  plan.bound_phases = simulation.bound_phases;
  plan.scenario = world.setup.scenario;
  plan.decision_cost = simulation.decision_cost;
  plan.settings = simulation.settings;
  plan.journal_file = simulation.journal_file;
  plan.learns = simulation.learns;
  plan.stop_requested = std::move(stop_requested);
  plan.copy_times_alone = copy_times_alone(world);
  SimSetup setup = std::move(world.setup);
  setup.seed = simulation.seed;
  setup.repetition = simulation.repetition;
  setup.noise = simulation.settings.noise;
  setup.block_timeout = simulation.settings.block_timeout.value();
  const std::unique_ptr<Executor> executor = make_sim_executor(std::move(setup));
  return run_plan(plan, *executor, {});
}

}  // namespace equipoise
