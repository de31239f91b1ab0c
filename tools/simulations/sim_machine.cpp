// Makes timings, costs and the lower bound from what was read.
#include "tools/simulations/sim_machine.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "shared_policies/fit/copy_fit.hpp"
#include "shared_policies/fit/timing_curve.hpp"
#include "shared_policies/machine/block_timing.hpp"
#include "shared_policies/machine/copy_speed.hpp"
#include "shared_policies/machine/redrawn_trace.hpp"
#include "shared_policies/machine/resident_data.hpp"
#include "sim/sim_executor.hpp"
#include "tools/runs/two_level_run.hpp"

namespace equipoise {
namespace {

/// Block timings by phase, the trace's unit, and whether the host has no copy engine. Hosts timed
/// by the same unit share a timing.
class BlockTimings {
 public:
  const BlockTiming& of(const TimingPlace& place, const Workload& phase, const Unit& unit) {
    const auto [made, is_new] = made_.try_emplace(
        std::tuple(&phase, place.trace, place.unit, unit.copy_engines == 0), std::nullopt);
    if (is_new) {
      made->second = block_timing_of(*place.trace, place.unit, phase, unit.copy_engines);
    }
    return *made->second;
  }

 private:
  using Key = std::tuple<const Workload*, const Trace*, std::uint32_t, bool>;
  std::map<Key, std::optional<BlockTiming>> made_;
};

void add_timing(SimMachine& machine) {
  BlockTimings timings;
  for (const Workload& phase : machine.setup.phases) {
    std::vector<BlockTiming> timing;
    std::vector<RecordedSizes> recorded;
    for (const PlatformUnit& unit : machine.setup.platform.units) {
      const TimingPlace place = *find_timing(machine.inputs->traces, phase.kernel, unit.trace_unit);
      timing.push_back(timings.of(place, phase, unit.unit));
      recorded.push_back({timing.back().sizes().front(), timing.back().sizes().back()});
    }
    machine.setup.timing.push_back(std::move(timing));
    machine.recorded_sizes.push_back(std::move(recorded));
  }
}

/// The unit of `platform` that has the times of `ControllerWork::shares_core_of` of `trace`; none
/// if there is no such unit, or more than one.
std::optional<UnitId> unit_on_core_of_controller(const Trace& trace, const Platform& platform) {
  std::optional<UnitId> found;
  const std::string name = trace.controller ? trace.controller->shares_core_of : std::string();
  for (std::uint32_t i = 0; i < platform.units.size(); ++i) {
    if (platform.units[i].trace_unit != name) continue;
    if (found) return std::nullopt;
    found = UnitId{i};
  }
  return found;
}

/// Gives every phase the costs of its own trace. Costs given by the user replace those of the
/// traces.
void add_costs(SimMachine& machine) {
  const std::vector<Trace>& traces = machine.inputs->traces;
  const std::optional<Seconds> dispatch = machine.inputs->dispatch_cost;
  const std::string& unit = machine.setup.platform.units.front().trace_unit;
  for (const Workload& phase : machine.setup.phases) {
    const Trace& trace = *find_timing(traces, phase.kernel, unit)->trace;
    PhaseCosts& costs = machine.setup.costs.emplace_back();
    costs.dispatch = dispatch.value_or(trace.dispatch.value_or(costs.dispatch));
    costs.first_use = trace.first_use.value_or(costs.first_use);
    costs.merge = trace.merge.value_or(costs.merge);
    costs.controller =
        machine.inputs->controller_cost.value_or(trace.controller.value_or(costs.controller));
    costs.shares_core = unit_on_core_of_controller(trace, machine.setup.platform);
    const std::size_t number = machine.setup.costs.size();
    const std::vector<ItemCostsPtr>& items = machine.inputs->item_costs;
    if (number <= items.size()) costs.items = items[number - 1];
    for (const PlatformUnit& of : machine.setup.platform.units) {
      const TimingPlace place = *find_timing(traces, phase.kernel, of.trace_unit);
      const auto copies = place.trace->unit_copies.find(place.unit);
      costs.unit_copies.push_back(copies == place.trace->unit_copies.end() ? CopyWork{}
                                                                           : copies->second);
      if (dispatch) continue;
      costs.unit_dispatch.push_back(dispatch_of(*place.trace, place.unit).value_or(costs.dispatch));
    }
  }
}

/// ResidentPath::copy_of for a link.
std::vector<std::optional<std::size_t>> copies_over(const Platform& platform, std::uint32_t link) {
  std::vector<std::optional<std::size_t>> copies(platform.units.size());
  for (std::size_t i = 0; i < copies.size(); ++i) {
    if (std::ranges::count(platform.units[i].in.links, link) > 0) copies[i] = i;
  }
  for (const RemoteNode& node : sharing_nodes(platform)) {
    if (std::ranges::count(node.trunk, link) == 0) continue;
    for (const UnitId unit : node.units) copies[unit.index] = node.units.front().index;
  }
  return copies;
}

}  // namespace

SimMachine make_sim_machine(std::shared_ptr<const SimInputs> inputs) {
  SimMachine machine;
  machine.setup.source = inputs->source;
  machine.setup.platform = inputs->platform;
  machine.setup.phases = inputs->phases;
  machine.setup.scenario = inputs->scenario;
  for (const PlatformUnit& unit : inputs->platform.units) machine.units.push_back(unit.unit);
  machine.inputs = std::move(inputs);
  add_timing(machine);
  add_costs(machine);
  return machine;
}

RunBound run_bound(const SimMachine& machine) {
  Platform platform = machine.setup.platform;
  if (!machine.inputs->transfers_add_up) {
    for (PlatformUnit& unit : platform.units) unit.in = unit.out = Route{};
  }
  RunBound bound;
  Seconds end;
  for (std::size_t phase = 0; phase < machine.setup.phases.size(); ++phase) {
    std::vector<const BlockTiming*> timings;
    for (const BlockTiming& timing : machine.setup.timing[phase]) timings.push_back(&timing);
    bound.phases.push_back(
        lower_bound(platform, machine.setup.phases[phase], timings, machine.setup.scenario, end,
                    machine.setup.costs[phase].merge, machine.setup.costs[phase].items.get()));
    end += Seconds{bound.phases.back().seconds};
  }
  if (end < Seconds::infinity()) bound.seconds = end.value;
  return bound;
}

std::vector<BoundPhase> bound_phases(const SimMachine& machine) {
  if (!machine.bound.seconds) return {};
  std::vector<BoundPhase> phases;
  for (std::size_t phase = 0; phase < machine.bound.phases.size(); ++phase) {
    const LowerBound& bound = machine.bound.phases[phase];
    const int merges = machine.setup.phases[phase].iterations - 1;
    const Seconds merging = static_cast<double>(merges) * machine.setup.costs[phase].merge;
    phases.push_back({std::max(Seconds{}, Seconds{bound.seconds} - merging), bound.share_items});
  }
  return phases;
}

RunSettings settings_of(const SimMachine& machine, const RunSettings& options) {
  RunSettings settings = options;
  settings.units.clear();
  settings.block_timeout = options.block_timeout.value_or(BlockTimeout{});
  settings.time_scale.reset();
  settings.dispatch_costs.clear();
  for (const PhaseCosts& costs : machine.setup.costs) {
    settings.dispatch_costs.push_back(costs.dispatch);
  }
  return settings;
}

SimMachine under_scenario(const SimMachine& machine, Scenario scenario) {
  SimInputs inputs = *machine.inputs;
  inputs.scenario = std::move(scenario);
  return make_sim_machine(std::make_shared<const SimInputs>(std::move(inputs)));
}

SimMachine without_units(const SimMachine& machine, const std::vector<std::string>& names) {
  constexpr Seconds never{1e15};
  Scenario scenario = machine.setup.scenario;
  for (const std::string& name : names) {
    std::erase_if(scenario.events, [&](const Disturbance& event) { return event.target == name; });
    Disturbance& join = scenario.events.emplace_back();
    join.at = never;
    join.kind = DisturbanceKind::join;
    join.target = name;
  }
  SimMachine rest = under_scenario(machine, std::move(scenario));
  rest.bound = run_bound(rest);
  return rest;
}

SimMachine first_phases(SimMachine machine, std::size_t phases) {
  machine.setup.phases.resize(phases);
  machine.setup.timing.resize(phases);
  machine.setup.costs.resize(phases);
  machine.recorded_sizes.resize(phases);
  machine.bound.phases.resize(phases);
  machine.schedule.clear();
  return machine;
}

KnownCosts known_costs(const SimMachine& machine, const std::vector<Trace>& traces) {
  KnownCosts known;
  known.phases.clear();
  BlockTimings timings;
  const Platform& platform = machine.setup.platform;
  for (std::size_t k = 0; k < machine.setup.phases.size(); ++k) {
    const Workload& workload = machine.setup.phases[k];
    KnownCosts::Phase& phase = known.phases.emplace_back();
    const auto streams = resident_streams(platform, workload);
    for (std::size_t i = 0; i < platform.units.size(); ++i) {
      const PlatformUnit& unit = platform.units[i];
      const auto place = find_timing(traces, workload.kernel, unit.trace_unit);
      phase.push_back(nullptr);
      if (!place) continue;
      phase.back() = std::make_unique<TimingCurve>(
          timings.of(*place, workload, unit.unit),
          moving_of(platform, unit, workload, machine.setup.costs[k].dispatch_of(i)), streams[i]);
    }
  }
  known.schedule = machine.schedule;
  return known;
}

KnownCosts known_to(const PolicyChoice& choice, const SimMachine& machine) {
  KnownCosts known = known_costs(machine, profile_of(choice, machine.inputs->traces));
  if (!choice.knows_costs()) return known;
  for (const PhaseCosts& costs : machine.setup.costs) known.items.push_back(costs.items);
  return known;
}

CopyTimesAlone copy_times_alone(const SimMachine& machine) {
  if (!machine.inputs->transfers_add_up) return {};
  std::vector<CopySpeeds> speeds;
  const Platform& platform = machine.setup.platform;
  for (const PlatformUnit& unit : platform.units) {
    speeds.push_back(
        {copy_speed_of(platform.links, unit.in), copy_speed_of(platform.links, unit.out)});
  }
  std::vector<std::vector<std::optional<ResidentStream>>> streams;  // (phases, units)
  for (const Workload& phase : machine.setup.phases)
    streams.push_back(resident_streams(platform, phase));
  return [speeds = std::move(speeds), streams = std::move(streams), phases = machine.setup.phases,
          timing = machine.setup.timing,
          costs = machine.setup.costs](UnitId unit, const Block& block, ResidentData data) {
    const auto phase = static_cast<std::size_t>(block.phase);
    PipelinedBlock work{block, {}, {}};
    add_copies(work, timing[phase][unit.index], phases[phase], speeds[unit.index]);
    add_setup(work, data, costs[phase].first_use, phases[phase], speeds[unit.index],
              streams[phase][unit.index]);
    return StageTimes{work.first_use + work.alone.setup, work.alone.in, {}, work.alone.out};
  };
}

ResidentPath resident_path(const SimMachine* machine) {
  ResidentPath path;
  if (machine == nullptr) return path;
  for (const Workload& phase : machine->setup.phases) {
    path.bytes = std::max(path.bytes, phase.first_bytes(0));
  }
  const Platform& platform = machine->setup.platform;
  double longest_s = 0.0;
  for (std::uint32_t link = 0; link < platform.links.size(); ++link) {
    const auto copies = copies_over(platform, link);
    double count = 0.0;
    for (std::size_t i = 0; i < copies.size(); ++i) count += copies[i] == i ? 1.0 : 0.0;
    const double all_s = path.bytes * count / platform.links[link].bandwidth_bytes_per_s;
    if (all_s <= longest_s) continue;
    longest_s = all_s;
    path.link = platform.links[link].name;
    path.copy_of = copies;
  }
  return path;
}

void check_policy(const SimMachine& machine, const PolicyChoice& choice,
                  const std::string& per_node) {
  const KnownCosts known = known_to(choice, machine);
  if (per_node.empty()) {
    static_cast<void>(make_policy(choice, &known, machine.units));
    return;
  }
  const PolicyChoice below = parse_policy(per_node, "--per-node");
  check_two_levels(choice, known, below, known_to(below, machine), machine.units,
                   machine.setup.phases);
}

Simulation simulation_of(const SimMachine& machine, PolicyChoice choice, const RunOptions& options,
                         std::uint64_t repetition, RunFileTarget run_file) {
  Simulation simulation;
  simulation.inputs = machine.inputs;
  simulation.phases = machine.setup.phases.size();
  if (choice.is_oracle()) simulation.schedule = machine.schedule;
  simulation.run = {std::move(choice),
                    options.seed,
                    repetition,
                    options.decision_cost,
                    settings_of(machine, options),
                    std::move(run_file),
                    !options.experience_file.empty(),
                    machine.bound.seconds,
                    bound_phases(machine)};
  return simulation;
}

namespace {

/// The machine with the block times of another recording, if the run asks for it.
SimMachine redrawn(SimMachine machine, const PlannedRun& run) {
  const Redrawing& asked = run.redrawing;
  if (!asked.means && !asked.ends) return machine;
  SimInputs inputs = *machine.inputs;
  for (Trace& trace : inputs.traces) {
    if (asked.ends) trace = with_other_ends(trace, run.seed, asked.number);
    if (asked.means) trace = redrawn(trace, run.seed, asked.number);
  }
  const std::size_t phases = machine.setup.phases.size();
  return first_phases(make_sim_machine(std::make_shared<const SimInputs>(std::move(inputs))),
                      phases);
}

}  // namespace

RunReport simulate_here(SimMachine machine, const Simulation& simulation,
                        std::function<bool()> stop_requested) {
  const PlannedRun& run = simulation.run;
  if (simulation.phases < machine.setup.phases.size()) {
    machine = first_phases(std::move(machine), simulation.phases);
  }
  machine.schedule = simulation.schedule;
  KnownCosts known = known_to(run.policy, machine);
  if (run.policy.experience) known.experience = *run.policy.experience;
  RunPlan plan;
  KnownCosts known_to_agents;
  if (!run.settings.per_node.empty()) {
    plan.per_node = parse_policy(run.settings.per_node, "--per-node");
    known_to_agents = known_to(*plan.per_node, machine);
    plan.known_to_agents = &known_to_agents;
  }
  machine = redrawn(std::move(machine), run);
  plan.run = run;
  plan.units = machine.units;
  plan.phases = machine.setup.phases;
  for (const PhaseCosts& costs : machine.setup.costs) plan.item_costs.push_back(costs.items);
  plan.known = &known;
  plan.recorded_sizes = machine.recorded_sizes;
  plan.on = "sim";
  plan.scenario = machine.setup.scenario;
  plan.stop_requested = std::move(stop_requested);
  plan.copy_times_alone = copy_times_alone(machine);
  SimSetup setup = std::move(machine.setup);
  setup.seed = run.seed;
  setup.repetition = run.repetition;
  setup.noise = run.settings.noise;
  setup.block_timeout = run.settings.block_timeout.value();
  if (plan.per_node) {
    plan.agents = std::make_shared<NodeAgents>();
    setup.nodes = nodes_of(plan.units);
    setup.agents = plan.agents;
  }
  const std::unique_ptr<Executor> executor = make_sim_executor(std::move(setup));
  return run_plan(plan, *executor, {});
}

}  // namespace equipoise
