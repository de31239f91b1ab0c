// Combines units with kernels and traces; profiles are whole block times from recordings.
#include "tools/worlds/real_machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "real/machine.hpp"
#include "real/meters/meter.hpp"
#include "real/paced/paced_unit.hpp"
#include "real/paced/paced_worker.hpp"
#include "real/unit_spec.hpp"
#include "shared_policies/fit/copy_fit.hpp"
#include "shared_policies/fit/timing_curve.hpp"
#include "shared_policies/machine/block_timing.hpp"
#include "shared_policies/machine/scenario.hpp"
#include "shared_policies/model/failure.hpp"
#include "tools/console/console.hpp"
#include "tools/console/quantity_text.hpp"
#include "tools/worlds/inputs.hpp"
#include "tools/worlds/node_units.hpp"
#include "tools/worlds/sim_machine_loading.hpp"
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

KnownCosts known_costs(const RealMachine& machine, const std::vector<Trace>& traces) {
  if (machine.platform) return known_costs(*machine.platform, traces);
  std::vector<std::string> units_in_traces;
  for (const UnitSpec& spec : machine.specs) units_in_traces.push_back(spec.name_in_traces());
  return known_costs(machine.phases, units_in_traces, traces);
}

KnownCosts known_to(const PolicyChoice& choice, const RealMachine& machine) {
  KnownCosts known = known_costs(machine, profile_of(choice, machine.traces));
  if (choice.knows_costs() && !machine.computes()) {
    known.items.assign(machine.item_costs.begin(), machine.item_costs.end());
  }
  return known;
}

namespace {

/// Gives `spec` the times of its unit in the traces, and the properties that the user did not give.
void pace(UnitSpec& spec, const RealMachine& machine) {
  const std::string trace_unit = spec.factory->trace_unit();
  std::vector<PacedTiming> timings;
  for (std::size_t phase = 0; phase < machine.phases.size(); ++phase) {
    const Workload& workload = machine.phases[phase];
    const auto place = find_timing(machine.traces, workload.kernel, trace_unit);
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
    timings.back().items = machine.item_costs[phase];
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
void add_watts(UnitSpec& spec, const RealMachine& machine) {
  const auto place =
      find_timing(machine.traces, machine.phases.front().kernel, spec.name_in_traces());
  if (place) complete_watts(spec.unit, place->trace->units[place->unit]);
}

void read_scenario_into(RealMachine& machine, const std::string& path) {
  if (!path.empty()) {
    ScenarioFile file = read_scenario(path);
    std::vector<Link> links;  // units of one device have the same ones
    for (const Unit& unit : machine.units) {
      for (const std::string& name : {in_link_of(unit), out_link_of(unit)}) {
        if (std::ranges::count(links, name, &Link::name) == 0) links.push_back({.name = name});
      }
    }
    find_targets(file, names_of(machine.units), links);
    machine.scenario = std::move(file.scenario);
  }
  for (const UnitSpec& spec : machine.specs) (void)spec.rates(machine.scenario);  // may refuse it
}

/// Chooses kernels if any unit computes; otherwise the workloads may also come from the traces.
void choose_phases(RealMachine& machine, const RunOptions& options, bool any_computes) {
  const std::string where = "--workload";
  for (const std::string& spelling : options.workloads) {
    std::unique_ptr<Kernel>& kernel = machine.kernels.emplace_back();
    if (options.loop) {
      kernel = options.loop->make_kernel();
    } else if (any_computes) {
      kernel = choose_kernel(spelling, where);
    }
    machine.phases.push_back(kernel ? kernel->workload()
                                    : choose_workload(spelling, machine.traces, where));
    const Workload& workload = machine.phases.back();
    const bool has_its_own = kernel && !kernel->takes_costs();
    ItemCostsPtr& costs = machine.item_costs.emplace_back();
    if (!has_its_own) costs = choose_costs(spelling, workload, machine.traces, where);
    if (kernel && costs) kernel->set_costs(costs);
  }
}

/// Lets the kernel that leaves files leave them in `folder`, unless that is empty.
void keep_results(RealMachine& machine, const std::string& folder) {
  if (folder.empty()) return;
  if (machine.kernels.size() != 1 || !machine.kernels.front()) {
    throw InputError("--results", "is for one workload that units really do; leave it out");
  }
  machine.kernels.front()->keep_results_in(folder, "--results");
}

/// Other processes leave files in `folder`, too.
void join_results(const RealMachine& machine, const std::string& folder, const std::string& node) {
  if (folder.empty()) return;
  for (const std::unique_ptr<Kernel>& kernel : machine.kernels) {
    if (kernel) kernel->join_results_in(folder, node);
  }
}

RunSettings settings_of(const RealMachine& machine, const RunSettings& options) {
  RunSettings settings = options;
  if (!machine.platform) settings.platform_file.clear();
  settings.block_timeout = options.block_timeout.value_or(BlockTimeout::automatic());
  settings.time_scale = options.time_scale.value_or(1.0);
  settings.dispatch_costs.clear();
  settings.controller_cost.reset();
  return settings;
}

/// Makes paced units from the hosts of a platform, each with the copy speeds of its own route to
/// the input.
RealMachine load_paced_platform(const RunOptions& options) {
  auto sim = std::make_shared<SimMachine>(load_sim_machine(options));
  RealMachine machine;
  machine.on = "paced";
  machine.units = sim->units;
  machine.phases = sim->setup.phases;
  machine.item_costs = sim->inputs->item_costs;
  machine.traces = sim->inputs->traces;
  machine.scenario = sim->setup.scenario;
  const Platform& platform = sim->setup.platform;
  const DisturbedPlatform disturbed(platform, machine.scenario);
  std::vector<std::vector<std::optional<ResidentStream>>> streams;  // (phases, units)
  for (const Workload& phase : machine.phases) streams.push_back(resident_streams(platform, phase));
  for (std::size_t i = 0; i < platform.units.size(); ++i) {
    const PlatformUnit& unit = platform.units[i];
    const auto speed_over = [&](const Route& route) -> std::optional<CopySpeed> {
      if (route.links.empty()) return std::nullopt;
      return copy_speed_of(platform.links, route);
    };
    UnitRates rates = modelled_rates(unit.unit, 1.0, machine.scenario);
    rates.in = disturbed.copy_rate_of(unit, unit.in);
    rates.out = disturbed.copy_rate_of(unit, unit.out);
    std::vector<PacedTiming> timings;
    for (std::size_t phase = 0; phase < machine.phases.size(); ++phase) {
      PacedTiming& timing =
          timings.emplace_back(PacedTiming{sim->setup.timing[phase][i],
                                           sim->setup.costs[phase].first_use,
                                           {speed_over(unit.in), speed_over(unit.out)}});
      timing.items = sim->setup.costs[phase].items;
      timing.stream = streams[phase][i];
      if (timing.stream) timing.stream_rate = disturbed.rate_of(timing.stream->bus);
    }
    machine.specs.push_back(
        {unit.unit, 1.0,
         make_paced_factory(unit.trace_unit, std::move(timings), std::move(rates))});
  }
  for (const PhaseCosts& costs : sim->setup.costs) machine.merges.push_back(costs.merge);
  machine.kernels.resize(machine.phases.size());
  machine.platform = std::move(sim);
  return machine;
}

/// How many blocks a policy should keep at a unit of another node, unless the user says so: one
/// that is computed, and one whose bytes travel.
constexpr int remote_slots = 2;

/// Chooses the workloads. `any_computes`: whether any unit of the run does.
void add_phases(RealMachine& machine, const RunOptions& options, bool any_computes) {
  choose_phases(machine, options, any_computes);
  for (const Workload& phase : machine.phases) {
    const auto of_kernel = std::ranges::find(machine.traces, phase.kernel, &Trace::kernel);
    const bool is_known = of_kernel != machine.traces.end();
    machine.merges.push_back(is_known ? of_kernel->merge.value_or(Seconds{}) : Seconds{});
  }
}

/// Adds the units of this process.
void add_units(RealMachine& machine, std::vector<UnitSpec> specs) {
  for (UnitSpec& spec : specs) {
    add_watts(spec, machine);
    if (!spec.computes()) pace(spec, machine);
    if (!takes_part(spec.unit, machine.phases)) continue;
    if (spec.computes()) note_streams(spec.unit, machine.phases);
    machine.units.push_back(spec.unit);
    machine.specs.push_back(std::move(spec));
  }
}

void check_fit(RealMachine& machine) {
  check_programs(machine.kernels, machine.specs);
  check_memory(machine.kernels, machine.specs, available_memory_bytes(), "--workload");
}

RealMachine load_given_units(const RunOptions& options, std::vector<Trace> traces) {
  RealMachine machine;
  machine.traces = std::move(traces);
  const bool has_own_units = options.loop && !options.loop->units.empty();
  std::vector<UnitSpec> specs =
      has_own_units ? options.loop->units : parse_units(units_of_rank(options, 0));
  const bool any_computes = std::ranges::any_of(specs, &UnitSpec::computes) ||
                            (options.nodes && computes_on_nodes(options));
  // What is wrong here is said before the nodes are asked, where it is likely to be wrong, too.
  add_phases(machine, options, any_computes);
  for (const Workload& phase : machine.phases) {
    check_problem(machine.traces, options.trace_files, phase);
  }
  keep_results(machine, options.results_folder);
  NodeUnits remote;
  if (options.nodes) {
    name_units_of(node_name(0), specs);
    join_results(machine, options.results_folder, node_name(0));
    remote = open_nodes(options, machine);
  }
  machine.on = any_computes ? "real" : "paced";
  if (any_computes && options.on == "paced") {
    throw InputError("--unit", "not all units are paced; say --on real");
  }
  if (any_computes && options.time_scale.value_or(1.0) != 1.0) {
    throw InputError("--time-scale",
                     "only paced units can run faster or slower than they do; leave it out");
  }
  add_units(machine, std::move(specs));
  if (options.nodes) add_remote_units(machine, options, std::move(remote));
  if (machine.specs.empty()) {
    throw InputError("--unit", "no unit can take part; give units with more memory");
  }
  if (!machine.placement) {
    for (const std::string& warning : place_units(machine.specs, this_machine()).warnings) {
      warn(warning);
    }
  }
  machine.results_are_elsewhere = options.nodes && options.results_folder.empty();
  check_fit(machine);
  read_scenario_into(machine, options.scenario_file);
  return machine;
}

}  // namespace

bool RealMachine::computes() const { return std::ranges::any_of(specs, &UnitSpec::computes); }

void RealMachine::allocate(std::uint64_t seed) {
  for (const std::unique_ptr<Kernel>& kernel : kernels) {
    if (kernel) kernel->allocate(seed);
  }
}

void RealMachine::find_meters(bool are_read, std::chrono::milliseconds idle) {
  if (!computes()) return;
  meters = std::make_shared<MeterSampler>(
      are_read ? machine_meters(gpus_of(specs))
               : Meters{{}, {"no meter was read, because of --meters off"}});
  meters->measure_idle(idle);
}

void RealMachine::expect_alike_items() const {
  for (std::size_t phase = 0; phase < phases.size(); ++phase) {
    if (!kernels[phase] || !item_costs[phase]) continue;
    throw InputError("--workload",
                     fmt::format("a trace of {} is recorded of items that cost the same, so that "
                                 "simulations can give it any costs; say costs=alike",
                                 phases[phase].kernel));
  }
}

Judgement RealMachine::verify() const {
  Judgement judged;
  if (!std::ranges::all_of(specs, &UnitSpec::computes)) return judged;
  for (const std::unique_ptr<Kernel>& kernel : kernels) {
    if (results_are_elsewhere && kernel->program_source() == ProgramSource::command) {
      judged.unchecked = true;
      continue;
    }
    const Verification found = kernel->verify();
    if (!found.passed) return {found.what};
    judged.unchecked = judged.unchecked || found.is_unchecked;
  }
  return judged;
}

bool has_units(const RunOptions& options) {
  return !options.units.empty() || !options.ranks.empty() || !options.units_per_rank_file.empty();
}

RealMachine load_real_machine(const RunOptions& options) {
  if (has_units(options)) return load_real_machine(options, read_traces(options.trace_files));
  RealMachine machine = load_paced_platform(options);
  machine.settings = settings_of(machine, options);
  return machine;
}

RealMachine load_node_machine(const RunOptions& options, std::vector<Trace> traces,
                              const std::string& node, bool any_computes) {
  RealMachine machine;
  machine.traces = std::move(traces);
  std::vector<UnitSpec> specs = parse_units(options.units);
  for (std::size_t i = 0; i < specs.size(); ++i) {
    const Spec typed = parse_spec(options.units[i], ',', "--unit");
    const bool has_slots = std::ranges::any_of(
        typed.parameters, [](const auto& parameter) { return parameter.first == "slots"; });
    if (!has_slots) specs[i].unit.slots = std::max(specs[i].unit.slots, remote_slots);
  }
  name_units_of(node, specs);
  add_phases(machine, options, any_computes);
  add_units(machine, std::move(specs));
  join_results(machine, options.results_folder, node);
  check_fit(machine);
  return machine;
}

RealMachine load_real_machine(const RunOptions& typed, std::vector<Trace> traces) {
  const RunOptions options = with_ranks(typed);
  RealMachine machine = load_given_units(options, std::move(traces));
  machine.settings = settings_of(machine, options);
  return machine;
}

void pair_with(RealMachine& machine, std::shared_ptr<SimMachine> sim, const RunSettings& options) {
  const std::vector<std::string> simulated = names_of(sim->units);
  if (names_of(machine.units) != simulated) {
    throw InputError(
        "--unit", fmt::format("the real units are {}, the platform's are {}; both must be the "
                              "same, in the same order",
                              fmt::join(names_of(machine.units), " "), fmt::join(simulated, " ")));
  }
  for (std::size_t i = 0; i < machine.units.size(); ++i) {
    machine.units[i].idle_w = sim->units[i].idle_w;
    machine.units[i].busy_w = sim->units[i].busy_w;
  }
  machine.platform = std::move(sim);
  machine.settings = settings_of(machine, options);
}

}  // namespace equipoise
