// Combines units with kernels and traces; profiles are whole block times from recordings.
#include "tools/worlds/real_world.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "real/kernels/catalog.hpp"
#include "real/machine.hpp"
#include "real/meters/meter.hpp"
#include "real/paced/paced_worker.hpp"
#include "real/real_executor.hpp"
#include "real/unit_spec.hpp"
#include "shared_policies/fit/copy_fit.hpp"
#include "shared_policies/fit/timing_curve.hpp"
#include "shared_policies/machine/disturbed_platform.hpp"
#include "shared_policies/model/failure.hpp"
#include "shared_policies/specs/spec.hpp"
#include "tools/console/console.hpp"
#include "tools/console/quantity_text.hpp"
#include "tools/worlds/inputs.hpp"
#include "tools/worlds/sim_world_loading.hpp"
#include "tools/worlds/workload_choice.hpp"
#include "traces/scenario_file.hpp"

namespace equipoise {
namespace {

/// The trace with copy times added to compute times: the total time of a block on a unit of this
/// machine.
Trace whole_blocks(Trace trace) {
  for (TraceSample& sample : trace.samples) {
    sample.compute_mean_s += sample.in_s.value_or(0.0) + sample.out_s.value_or(0.0);
    sample.in_bytes.reset();
    sample.out_bytes.reset();
  }
  return trace;
}

}  // namespace

KnownCosts known_costs(const std::vector<Workload>& phases,
                       const std::vector<std::string>& units_in_traces,
                       const std::vector<Trace>& traces) {
  KnownCosts known;
  known.phases.clear();
  for (const Workload& workload : phases) {
    KnownCosts::Phase& phase = known.phases.emplace_back();
    for (const std::string& unit : units_in_traces) {
      const auto place = find_timing(traces, workload.kernel, unit);
      phase.push_back(nullptr);
      if (!place) continue;
      TimingCurve::Moving moving;
      moving.dispatch = dispatch_of(*place->trace, place->unit).value_or(Seconds{});
      phase.back() = std::make_unique<TimingCurve>(
          BlockTiming(whole_blocks(*place->trace), place->unit), moving);
    }
  }
  return known;
}

namespace {

KnownCosts known_costs(const RealWorld& world, const std::vector<Trace>& traces) {
  if (world.platform) return known_costs(*world.platform, traces);
  std::vector<std::string> units_in_traces;
  for (const UnitSpec& spec : world.specs) units_in_traces.push_back(spec.name_in_traces());
  return known_costs(world.phases, units_in_traces, traces);
}

/// Gives `spec` the times of its unit in the traces, and the properties that the user did not give.
void pace(UnitSpec& spec, const RealWorld& world) {
  const std::string trace_unit = spec.factory->trace_unit();
  std::vector<PacedTiming> timings;
  for (const Workload& workload : world.phases) {
    const auto place = find_timing(world.traces, workload.kernel, trace_unit);
    if (!place) {
      throw InputError("--unit",
                       fmt::format("no trace has times of {} on '{}', which unit {} needs; "
                                   "give the --trace that has them, and its trace_unit=",
                                   workload.kernel, trace_unit, spec.unit.name));
    }
    const Unit& recorded = place->trace->units[place->unit];
    spec.unit.kind = recorded.kind;
    spec.unit.model = recorded.model;
    if (!spec.unit.memory_bytes) spec.unit.memory_bytes = recorded.memory_bytes;
    add_block_limits(spec.unit, recorded);
    const Trace& trace = *place->trace;
    const CopySpeeds copies = copy_speeds_of(trace, place->unit, workload);
    timings.push_back({block_timing_of(trace, place->unit, workload, spec.unit.copy_engines),
                       trace.first_use.value_or(Seconds{}), copies});
    if (const auto streamed = streamed_data(spec.unit, workload)) {
      // Times of a unit that did not hold the data either contain their reading.
      const bool is_in_times = streamed_data(recorded, workload).has_value();
      timings.back().stream =
          ResidentStream{*streamed, is_in_times ? CopySpeed{} : copies.in.value_or(CopySpeed{})};
    }
  }
  spec.factory = make_paced_factory(trace_unit, std::move(timings));
}

/// Says which data `unit` does not hold, because its blocks take longer then.
void note_streams(const Unit& unit, const std::vector<Workload>& phases) {
  for (const Workload& phase : phases) {
    if (!streamed_data(unit, phase)) continue;
    note(
        fmt::format("{} does not hold the {} of {} that every block needs, and reads them from "
                    "the host's memory",
                    unit.name, bytes_text(phase.bytes_kept()), phase.kernel));
  }
}

/// Gives a unit the watts of its unit in the trace of the first phase, if that has any.
void add_watts(UnitSpec& spec, const RealWorld& world) {
  const auto place = find_timing(world.traces, world.phases.front().kernel, spec.name_in_traces());
  if (place) complete_watts(spec.unit, place->trace->units[place->unit]);
}

void read_scenario_into(RealWorld& world, const std::string& path) {
  if (!path.empty()) {
    ScenarioFile file = read_scenario(path);
    std::vector<Link> links;  // units of one device have the same ones
    for (const Unit& unit : world.units) {
      for (const std::string& name : {in_link_of(unit), out_link_of(unit)}) {
        if (std::ranges::count(links, name, &Link::name) == 0) links.push_back({.name = name});
      }
    }
    find_targets(file, names_of(world.units), links);
    world.scenario = std::move(file.scenario);
  }
  for (const UnitSpec& spec : world.specs) (void)rates_of(spec, world.scenario);  // may refuse it
}

/// Chooses kernels if any unit computes; otherwise the workloads may also come from the traces.
void choose_phases(RealWorld& world, const Options& options, bool any_computes) {
  for (const std::string& spelling : options.workloads) {
    Workload workload;
    if (any_computes) {
      const Spec spec = parse_spec(spelling, ':', "--workload");
      world.kernels.push_back(make_kernel(spec.name, spec.parameters, "--workload"));
      workload = workload_of(*world.kernels.back());
    } else {
      world.kernels.push_back(nullptr);
      workload = choose_workload(spelling, world.traces);
    }
    for (std::size_t i = 0; i < world.traces.size(); ++i) {
      if (world.traces[i].kernel != workload.kernel) continue;
      check_problem(world.traces[i], options.trace_files[i], workload);
    }
    world.phases.push_back(std::move(workload));
  }
}

RunSettings settings_of(const RealWorld& world, const RunSettings& options) {
  RunSettings settings = options;
  if (!world.platform) settings.platform_file.clear();
  settings.block_timeout = options.block_timeout.value_or(BlockTimeout::automatic());
  settings.time_scale = options.time_scale.value_or(1.0);
  settings.dispatch_costs.clear();
  return settings;
}

/// Makes paced units from the hosts of a platform, each with the copy speeds of its own route to
/// the input.
RealWorld load_paced_platform(const Options& options) {
  auto sim = std::make_shared<SimWorld>(load_sim_world(options));
  RealWorld world;
  world.on = "paced";
  world.units = sim->units;
  world.phases = sim->setup.phases;
  world.traces = sim->inputs->traces;
  world.scenario = sim->setup.scenario;
  const Platform& platform = sim->setup.platform;
  const DisturbedPlatform disturbed(platform, world.scenario);
  std::vector<std::vector<std::optional<ResidentStream>>> streams;  // (phases, units)
  for (const Workload& phase : world.phases) streams.push_back(resident_streams(platform, phase));
  for (std::size_t i = 0; i < platform.units.size(); ++i) {
    const PlatformUnit& unit = platform.units[i];
    const auto speed_over = [&](const Route& route) -> std::optional<CopySpeed> {
      if (route.links.empty()) return std::nullopt;
      return copy_speed_of(platform.links, route);
    };
    UnitRates rates = modelled_rates(unit.unit, 1.0, world.scenario);
    rates.in = disturbed.copy_rate_of(unit, unit.in);
    rates.out = disturbed.copy_rate_of(unit, unit.out);
    std::vector<PacedTiming> timings;
    for (std::size_t phase = 0; phase < world.phases.size(); ++phase) {
      PacedTiming& timing =
          timings.emplace_back(PacedTiming{sim->setup.timing[phase][i],
                                           sim->setup.costs[phase].first_use,
                                           {speed_over(unit.in), speed_over(unit.out)}});
      timing.stream = streams[phase][i];
      if (timing.stream) timing.stream_rate = disturbed.rate_of(timing.stream->bus);
    }
    world.specs.push_back(
        {unit.unit, 1.0,
         make_paced_factory(unit.trace_unit, std::move(timings), std::move(rates))});
  }
  for (const PhaseCosts& costs : sim->setup.costs) world.merges.push_back(costs.merge);
  world.kernels.resize(world.phases.size());
  world.platform = std::move(sim);
  return world;
}

RealWorld load_given_units(const Options& options, std::vector<Trace> traces) {
  RealWorld world;
  world.traces = std::move(traces);
  std::vector<UnitSpec> specs = parse_units(options.units);
  const bool any_computes = std::ranges::any_of(specs, &UnitSpec::computes);
  world.on = any_computes ? "real" : "paced";
  if (any_computes && options.on == "paced") {
    throw InputError("--unit", "not all units are paced; say --on real");
  }
  if (any_computes && options.time_scale.value_or(1.0) != 1.0) {
    throw InputError("--time-scale",
                     "only paced units can run faster or slower than they do; leave it out");
  }
  choose_phases(world, options, any_computes);
  for (const Workload& phase : world.phases) {
    const auto of_kernel = std::ranges::find(world.traces, phase.kernel, &Trace::kernel);
    const bool is_known = of_kernel != world.traces.end();
    world.merges.push_back(is_known ? of_kernel->merge.value_or(Seconds{}) : Seconds{});
  }
  for (UnitSpec& spec : specs) {
    add_watts(spec, world);
    if (!spec.computes()) pace(spec, world);
    if (!takes_part(spec.unit, world.phases)) continue;
    if (spec.computes()) note_streams(spec.unit, world.phases);
    world.units.push_back(spec.unit);
    world.specs.push_back(std::move(spec));
  }
  if (world.specs.empty()) {
    throw InputError("--unit", "no unit can take part; give units with more memory");
  }
  for (const std::string& warning : place_units(world.specs, this_machine()).warnings) {
    warn(warning);
  }
  check_programs(world.kernels, world.specs);
  check_memory(world.kernels, world.specs, available_memory_bytes(), "--workload");
  read_scenario_into(world, options.scenario_file);
  return world;
}

std::vector<std::vector<RecordedSizes>> recorded_sizes(const RealWorld& world) {
  return world.platform ? world.platform->recorded : std::vector<std::vector<RecordedSizes>>();
}

/// Makes the executor, which writes its notes to `notes` and the use of the cores to `core_use`.
std::unique_ptr<Executor> make_executor(const RealWorld& world, const Options& options,
                                        std::uint64_t repetition, ExecutorNotes& notes,
                                        CoreUse& core_use) {
  RealSetup setup;
  setup.units = world.specs;
  for (std::size_t k = 0; k < world.phases.size(); ++k) {
    setup.phases.push_back({world.phases[k], world.kernels[k].get(), world.merges[k]});
  }
  setup.draws = {options.seed, repetition, options.noise};
  setup.scenario = world.scenario;
  setup.block_timeout = world.settings.block_timeout.value();
  setup.time_scale = options.time_scale.value_or(1.0);
  setup.meters = world.meters;
  setup.stop_requested = [] { return stop_signal() != 0; };
  setup.warn = warn;
  setup.report_pacing = [&notes, scale = setup.time_scale](const PacingReport& report) {
    notes.pacing = PacingNote{scale, report.late_mean, report.late_most};
  };
  setup.report_load = [&notes](const LoadReport& report) {
    notes.loads.push_back(
        {report.load->target, report.load->at, report.load->amount, report.share});
  };
  setup.report_core_use = [&core_use](const CoreUse& use) { core_use = use; };
  return make_real_executor(std::move(setup));
}

}  // namespace

bool RealWorld::computes() const { return std::ranges::any_of(specs, &UnitSpec::computes); }

void RealWorld::allocate(std::uint64_t seed) {
  for (const std::unique_ptr<Kernel>& kernel : kernels) {
    if (kernel) kernel->allocate(seed);
  }
}

void RealWorld::find_meters(const Options& options, std::chrono::milliseconds idle) {
  if (!computes()) return;
  meters = std::make_shared<MeterSampler>(
      options.meters ? machine_meters(gpus_of(specs))
                     : Meters{{}, {"no meter was read, because of --meters off"}});
  meters->measure_idle(idle);
}

RealWorld load_real_world(const Options& options) {
  if (!options.units.empty()) return load_real_world(options, read_traces(options.trace_files));
  RealWorld world = load_paced_platform(options);
  world.settings = settings_of(world, options);
  return world;
}

RealWorld load_real_world(const Options& options, std::vector<Trace> traces) {
  RealWorld world = load_given_units(options, std::move(traces));
  world.settings = settings_of(world, options);
  return world;
}

void pair_with(RealWorld& world, std::shared_ptr<SimWorld> sim, const Options& options) {
  const std::vector<std::string> simulated = names_of(sim->units);
  if (names_of(world.units) != simulated) {
    throw InputError("--unit",
                     fmt::format("the real units are {}, the platform's are {}; both must be the "
                                 "same, in the same order",
                                 fmt::join(names_of(world.units), " "), fmt::join(simulated, " ")));
  }
  for (std::size_t i = 0; i < world.units.size(); ++i) {
    world.units[i].idle_w = sim->units[i].idle_w;
    world.units[i].busy_w = sim->units[i].busy_w;
  }
  world.platform = std::move(sim);
  world.settings = settings_of(world, options);
}

void check_policy(const RealWorld& world, const PolicyChoice& choice) {
  const KnownCosts known = known_costs(world, profile_of(choice, world.traces));
  static_cast<void>(make_policy(choice, &known, world.units));
}

RunReport run_once(const RealWorld& world, const PolicyChoice& choice, const Options& options,
                   std::uint64_t repetition, const std::string& journal_file) {
  RunPlan plan;
  plan.units = world.units;
  plan.phases = world.phases;
  plan.policy = choice;
  KnownCosts known = known_costs(world, profile_of(choice, world.traces));
  if (choice.experience) known.experience = *choice.experience;
  plan.known = &known;
  plan.recorded = recorded_sizes(world);
  plan.on = world.on;
  plan.scenario = world.scenario;
  plan.seed = options.seed;
  plan.repetition = repetition;
  if (world.platform) {
    plan.lower_bound_s = world.platform->bound.seconds;
    plan.bound_phases = bound_phases(*world.platform);
  }
  plan.decision_cost = "measured";
  plan.settings = world.settings;
  plan.journal_file = journal_file;
  plan.learns = !options.experience_file.empty();
  plan.stop_requested = [] { return stop_signal() != 0; };
  ExecutorNotes notes;
  plan.notes = &notes;
  plan.readings = world.meters.get();
  CoreUse core_use;
  const std::unique_ptr<Executor> executor =
      make_executor(world, options, repetition, notes, core_use);
  const bool all_compute = std::ranges::all_of(world.specs, &UnitSpec::computes);
  RunReport report = run_plan(plan, *executor, [&world, all_compute] {
    if (!all_compute) return std::string();  // paced units compute nothing
    for (const std::unique_ptr<Kernel>& kernel : world.kernels) {
      const Verification found = kernel->verify();
      if (!found.passed) return found.what;
    }
    return std::string();
  });
  report.run.core_use = core_use;
  return report;
}

}  // namespace equipoise
