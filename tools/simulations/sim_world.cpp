// Makes timings, costs and the lower bound from what was read.
#include "tools/simulations/sim_world.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "shared_policies/fit/copy_fit.hpp"
#include "shared_policies/fit/timing_curve.hpp"
#include "shared_policies/machine/block_timing.hpp"
#include "shared_policies/machine/copy_speed.hpp"
#include "shared_policies/machine/resident_data.hpp"
#include "sim/sim_executor.hpp"

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

void add_timing(SimWorld& world) {
  BlockTimings timings;
  for (const Workload& phase : world.setup.phases) {
    std::vector<BlockTiming> timing;
    std::vector<RecordedSizes> recorded;
    for (const PlatformUnit& unit : world.setup.platform.units) {
      const TimingPlace place = *find_timing(world.inputs->traces, phase.kernel, unit.trace_unit);
      timing.push_back(timings.of(place, phase, unit.unit));
      recorded.push_back({timing.back().sizes().front(), timing.back().sizes().back()});
    }
    world.setup.timing.push_back(std::move(timing));
    world.recorded_sizes.push_back(std::move(recorded));
  }
}

/// Gives every phase the costs of its own trace. A dispatch cost given by the user replaces those
/// of the traces.
void add_costs(SimWorld& world) {
  const std::vector<Trace>& traces = world.inputs->traces;
  const std::optional<Seconds> dispatch = world.inputs->dispatch_cost;
  const std::string& unit = world.setup.platform.units.front().trace_unit;
  for (const Workload& phase : world.setup.phases) {
    const Trace& trace = *find_timing(traces, phase.kernel, unit)->trace;
    PhaseCosts& costs = world.setup.costs.emplace_back();
    costs.dispatch = dispatch.value_or(trace.dispatch.value_or(costs.dispatch));
    costs.first_use = trace.first_use.value_or(costs.first_use);
    costs.merge = trace.merge.value_or(costs.merge);
    if (dispatch) continue;
    for (const PlatformUnit& of : world.setup.platform.units) {
      const TimingPlace place = *find_timing(traces, phase.kernel, of.trace_unit);
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

SimWorld make_sim_world(std::shared_ptr<const SimInputs> inputs) {
  SimWorld world;
  world.setup.source = inputs->source;
  world.setup.platform = inputs->platform;
  world.setup.phases = inputs->phases;
  world.setup.scenario = inputs->scenario;
  for (const PlatformUnit& unit : inputs->platform.units) world.units.push_back(unit.unit);
  world.inputs = std::move(inputs);
  add_timing(world);
  add_costs(world);
  return world;
}

RunBound run_bound(const SimWorld& world) {
  Platform platform = world.setup.platform;
  if (!world.inputs->transfers_add_up) {
    for (PlatformUnit& unit : platform.units) unit.in = unit.out = Route{};
  }
  RunBound bound;
  Seconds end;
  for (std::size_t phase = 0; phase < world.setup.phases.size(); ++phase) {
    std::vector<const BlockTiming*> timings;
    for (const BlockTiming& timing : world.setup.timing[phase]) timings.push_back(&timing);
    bound.phases.push_back(lower_bound(platform, world.setup.phases[phase], timings,
                                       world.setup.scenario, end, world.setup.costs[phase].merge));
    end += Seconds{bound.phases.back().seconds};
  }
  if (end < Seconds::infinity()) bound.seconds = end.value;
  return bound;
}

std::vector<BoundPhase> bound_phases(const SimWorld& world) {
  if (!world.bound.seconds) return {};
  std::vector<BoundPhase> phases;
  for (std::size_t phase = 0; phase < world.bound.phases.size(); ++phase) {
    const LowerBound& bound = world.bound.phases[phase];
    const int merges = world.setup.phases[phase].iterations - 1;
    const Seconds merging = static_cast<double>(merges) * world.setup.costs[phase].merge;
    phases.push_back({std::max(Seconds{}, Seconds{bound.seconds} - merging), bound.share_items});
  }
  return phases;
}

RunSettings settings_of(const SimWorld& world, const RunSettings& options) {
  RunSettings settings = options;
  settings.units.clear();
  settings.block_timeout = options.block_timeout.value_or(BlockTimeout{});
  settings.time_scale.reset();
  settings.dispatch_costs.clear();
  for (const PhaseCosts& costs : world.setup.costs) {
    settings.dispatch_costs.push_back(costs.dispatch);
  }
  return settings;
}

SimWorld under_scenario(const SimWorld& world, Scenario scenario) {
  SimInputs inputs = *world.inputs;
  inputs.scenario = std::move(scenario);
  return make_sim_world(std::make_shared<const SimInputs>(std::move(inputs)));
}

SimWorld without_units(const SimWorld& world, const std::vector<std::string>& names) {
  constexpr Seconds never{1e15};
  Scenario scenario = world.setup.scenario;
  for (const std::string& name : names) {
    std::erase_if(scenario.events, [&](const Disturbance& event) { return event.target == name; });
    Disturbance& join = scenario.events.emplace_back();
    join.at = never;
    join.kind = DisturbanceKind::join;
    join.target = name;
  }
  SimWorld rest = under_scenario(world, std::move(scenario));
  rest.bound = run_bound(rest);
  return rest;
}

SimWorld first_phases(SimWorld world, std::size_t phases) {
  world.setup.phases.resize(phases);
  world.setup.timing.resize(phases);
  world.setup.costs.resize(phases);
  world.recorded_sizes.resize(phases);
  world.bound.phases.resize(phases);
  world.schedule.clear();
  return world;
}

KnownCosts known_costs(const SimWorld& world, const std::vector<Trace>& traces) {
  KnownCosts known;
  known.phases.clear();
  BlockTimings timings;
  const Platform& platform = world.setup.platform;
  for (std::size_t k = 0; k < world.setup.phases.size(); ++k) {
    const Workload& workload = world.setup.phases[k];
    KnownCosts::Phase& phase = known.phases.emplace_back();
    const auto streams = resident_streams(platform, workload);
    for (std::size_t i = 0; i < platform.units.size(); ++i) {
      const PlatformUnit& unit = platform.units[i];
      const auto place = find_timing(traces, workload.kernel, unit.trace_unit);
      phase.push_back(nullptr);
      if (!place) continue;
      phase.back() = std::make_unique<TimingCurve>(
          timings.of(*place, workload, unit.unit),
          moving_of(platform, unit, workload, world.setup.costs[k].dispatch_of(i)), streams[i]);
    }
  }
  known.schedule = world.schedule;
  return known;
}

CopyTimesAlone copy_times_alone(const SimWorld& world) {
  if (!world.inputs->transfers_add_up) return {};
  std::vector<CopySpeeds> speeds;
  const Platform& platform = world.setup.platform;
  for (const PlatformUnit& unit : platform.units) {
    speeds.push_back(
        {copy_speed_of(platform.links, unit.in), copy_speed_of(platform.links, unit.out)});
  }
  std::vector<std::vector<std::optional<ResidentStream>>> streams;  // (phases, units)
  for (const Workload& phase : world.setup.phases)
    streams.push_back(resident_streams(platform, phase));
  return [speeds = std::move(speeds), streams = std::move(streams), phases = world.setup.phases,
          timing = world.setup.timing,
          costs = world.setup.costs](UnitId unit, const Block& block, ResidentData data) {
    const auto phase = static_cast<std::size_t>(block.phase);
    PipelinedBlock work{block, {}, {}};
    add_copies(work, timing[phase][unit.index], phases[phase], speeds[unit.index]);
    add_setup(work, data, costs[phase].first_use, phases[phase], speeds[unit.index],
              streams[phase][unit.index]);
    return StageTimes{work.first_use + work.alone.setup, work.alone.in, {}, work.alone.out};
  };
}

ResidentPath resident_path(const SimWorld* world) {
  ResidentPath path;
  if (world == nullptr) return path;
  for (const Workload& phase : world->setup.phases) {
    path.bytes = std::max(path.bytes, phase.first_bytes(0));
  }
  const Platform& platform = world->setup.platform;
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

void check_policy(const SimWorld& world, const PolicyChoice& choice) {
  const KnownCosts known = known_costs(world, profile_of(choice, world.inputs->traces));
  static_cast<void>(make_policy(choice, &known, world.units));
}

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
  plan.recorded_sizes = world.recorded_sizes;
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
