// Makes a run of a simulated world.
#include "tools/simulations/simulation.hpp"

#include <utility>

#include "sim/sim_executor.hpp"

namespace equipoise {

Simulation simulation_of(const SimWorld& world, PolicyChoice choice, const RunOptions& options,
                         std::uint64_t repetition, std::string journal_file) {
  Simulation simulation;
  simulation.inputs = world.inputs;
  simulation.phases = world.setup.phases.size();
  if (choice.is_oracle()) simulation.schedule = world.schedule;
  simulation.run = {std::move(choice),
                    options.seed,
                    repetition,
                    options.decision_cost,
                    settings_of(world, options),
                    std::move(journal_file),
                    !options.experience_file.empty(),
                    world.bound.seconds,
                    bound_phases(world)};
  return simulation;
}

RunReport simulate_here(SimWorld world, const Simulation& simulation,
                        std::function<bool()> stop_requested) {
  const PlannedRun& run = simulation.run;
  if (simulation.phases < world.setup.phases.size()) {
    world = first_phases(std::move(world), simulation.phases);
  }
  world.schedule = simulation.schedule;
  KnownCosts known = known_costs(world, profile_of(run.policy, world.inputs->traces));
  if (run.policy.experience) known.experience = *run.policy.experience;
  RunPlan plan;
  plan.run = run;
  plan.units = world.units;
  plan.phases = world.setup.phases;
  plan.known = &known;
  plan.recorded = world.recorded;
  plan.on = "sim";
  plan.scenario = world.setup.scenario;
  plan.stop_requested = std::move(stop_requested);
  plan.copy_times_alone = copy_times_alone(world);
  SimSetup setup = std::move(world.setup);
  setup.seed = run.seed;
  setup.repetition = run.repetition;
  setup.noise = run.settings.noise;
  setup.block_timeout = run.settings.block_timeout.value();
  const std::unique_ptr<Executor> executor = make_sim_executor(std::move(setup));
  return run_plan(plan, *executor, {});
}

}  // namespace equipoise
