// Reads the files of simulations and combines hosts with timings, and workloads with traces.
#include "tools/worlds/sim_machine_loading.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "platforms/platform_file.hpp"
#include "shared_policies/machine/block_timing.hpp"
#include "shared_policies/model/failure.hpp"
#include "shared_policies/text/printable_text.hpp"
#include "tools/console/console.hpp"
#include "tools/console/text_table.hpp"
#include "tools/simulations/simulations.hpp"
#include "tools/worlds/inputs.hpp"
#include "tools/worlds/platform_loading.hpp"
#include "tools/worlds/real_machine.hpp"
#include "traces/scenario_file.hpp"

namespace equipoise {
namespace {

std::vector<Workload> choose_workloads(const RunOptions& options,
                                       const std::vector<Trace>& traces) {
  std::vector<Workload> phases;
  for (const std::string& spelling : options.workloads) {
    phases.push_back(choose_workload(spelling, traces, "--workload"));
    if (options.loop) {
      static_cast<void>(
          check_problem(traces, options.trace_files, options.loop->make_kernel()->workload()));
    }
    if (check_problem(traces, options.trace_files, phases.back())) continue;
    throw InputError(options.trace_files.front(),
                     fmt::format("has times of {}, not of {}; give the trace of that kernel",
                                 traces.front().kernel, phases.back().kernel));
  }
  return phases;
}

/// The units of the traces that have times of every phase.
std::vector<std::string> timed_units(const SimInputs& inputs) {
  std::set<std::string> timed;
  for (const Trace& trace : inputs.traces) {
    for (const Unit& unit : trace.units) {
      const auto has_times_of = [&](const Workload& phase) {
        return find_timing(inputs.traces, phase.kernel, unit.name).has_value();
      };
      if (std::ranges::all_of(inputs.phases, has_times_of)) timed.insert(unit.name);
    }
  }
  return {timed.begin(), timed.end()};
}

/// Gives the unit what its platform does not say, from the trace of the first phase, and the limits
/// of its blocks from those of all phases. If the first trace is of another model, says so in
/// `of_other_models`.
void complete_from_traces(PlatformUnit& placed, const SimInputs& inputs, bool has_kind,
                          std::vector<std::string>& of_other_models) {
  Unit& unit = placed.unit;
  for (const Workload& phase : inputs.phases) {
    const TimingPlace place = *find_timing(inputs.traces, phase.kernel, placed.trace_unit);
    const Unit& recorded = place.trace->units[place.unit];
    add_block_limits(unit, recorded);
    if (&phase != &inputs.phases.front()) continue;
    if (!unit.memory_bytes) unit.memory_bytes = recorded.memory_bytes;
    if (!unit.model.empty() && !recorded.model.empty() && unit.model != recorded.model) {
      of_other_models.push_back(fmt::format("{} is a '{}', and its times were taken on a '{}'",
                                            unit.name, unit.model, recorded.model));
    }
    if (unit.model.empty()) unit.model = recorded.model;
    if (!has_kind) unit.kind = recorded.kind;
    complete_watts(unit, recorded);
  }
}

/// Notes in one short line that traces time units besides those that are `used`. A trace may well
/// time more machines than a platform has.
void note_units_left_over(const std::vector<Trace>& traces, const std::set<std::string>& used) {
  std::vector<std::string> left_over;
  for (const Trace& trace : traces) {
    for (const Unit& unit : trace.units) {
      const bool is_new = std::ranges::find(left_over, unit.name) == left_over.end();
      if (is_new && !used.contains(unit.name)) left_over.push_back(unit.name);
    }
  }
  if (left_over.empty()) return;
  constexpr std::size_t shown = 3;
  const bool is_one = left_over.size() == 1;
  const std::size_t more = left_over.size() - std::min(left_over.size(), shown);
  left_over.resize(left_over.size() - more);
  note(fmt::format("the {} also {} times of {}{}, which {} not on this platform",
                   traces.size() == 1 ? "trace" : "traces", traces.size() == 1 ? "has" : "have",
                   fmt::join(left_over, ", "), more == 0 ? "" : fmt::format(" and {} more", more),
                   is_one ? "is" : "are"));
}

/// The node of the input according to the platform; empty if not given.
std::string node_of_input(const ProbedPlatform& probed) {
  for (const ProbedHost& host : probed.hosts) {
    if (host.name != probed.master) continue;
    const auto node = host.properties.find("node");
    return node == host.properties.end() ? "" : node->second;
  }
  return "";
}

/// Adds the units that take part. Notes units of the traces that are not there unless `quiet`.
void add_units(SimInputs& inputs, const ProbedPlatform& probed,
               const std::vector<MappedHosts>& maps, bool quiet) {
  const std::string input_node = node_of_input(probed);
  std::set<std::string> used;
  std::vector<std::string> untimed;
  std::vector<std::string> of_other_models;
  std::vector<Unit> with_devices;  // those of a cluster are in no line of the file
  Platform& platform = inputs.platform;
  platform.master = probed.master;
  platform.links = probed.links;
  for (const ProbedHost& host : probed.hosts) {
    PlatformUnit unit = unit_from_properties(host.name, host.properties);
    unit.trace_unit = mapped_unit(maps, host.name).value_or(unit.trace_unit);
    if (!host.has_routes) {
      const bool is_unit =
          host.properties.contains("kind") || host.properties.contains("trace_unit");
      if (host.name != probed.master || is_unit) untimed.push_back(host.name);
      continue;
    }
    used.insert(unit.trace_unit);
    complete_from_traces(unit, inputs, host.properties.contains("kind"), of_other_models);
    unit.unit.is_remote =
        !input_node.empty() && host.properties.contains("node") && unit.unit.node != input_node;
    unit.in = host.in;
    unit.out = host.out;
    check_device(unit.unit, with_devices, "host " + printable(unit.unit.name));
    if (!unit.unit.device.empty()) with_devices.push_back(unit.unit);
    if (takes_part(unit.unit, inputs.phases)) platform.units.push_back(std::move(unit));
  }
  if (!untimed.empty()) {
    warn(fmt::format("{} not used: the trace has no times for {}",
                     fmt::join(folded_names(untimed), ", "), untimed.size() == 1 ? "it" : "them"));
  }
  if (!of_other_models.empty()) {
    const std::size_t more = of_other_models.size() - 1;
    warn(of_other_models.front() + (more == 0 ? "" : fmt::format("; so it is with {} more", more)));
  }
  if (!quiet) note_units_left_over(inputs.traces, used);
}

/// The event of `link` that begins or ends at `at`, or has a profile then.
std::size_t event_at(const Scenario& scenario, const std::string& link, Seconds at) {
  const auto is_it = [&](const Disturbance& event) {
    return event.kind == DisturbanceKind::bandwidth && event.target == link &&
           (event.at == at || event.until == at ||
            (!event.profile.empty() && event.at <= at && at <= event.until));
  };
  return static_cast<std::size_t>(std::ranges::find_if(scenario.events, is_it) -
                                  scenario.events.begin());
}

/// Refuses scenarios that make a FATPIPE link faster while transfers may be under way: SimGrid
/// bounds them by the bandwidth with which they began. For other links, the simulator has a remedy.
/// The rule is the same for links that only one unit uses, which would not need it.
void refuse_faster_fatpipes(const ScenarioFile& file, const std::vector<Link>& links) {
  for (const Link& link : links) {
    if (link.shared) continue;
    const StepFunction bandwidth = file.scenario.bandwidth_of(link.name);
    double before = bandwidth.at(Seconds{});
    for (const Seconds at : bandwidth.changes()) {
      const double now = bandwidth.at(at);
      if (now > before) {
        throw InputError(
            file.where.at(event_at(file.scenario, link.name, at)),
            fmt::format("link {} is a FATPIPE and becomes faster at {:g} s; SimGrid does not make "
                        "transfers under way faster there; make the link SHARED in the platform "
                        "file, or let it only become slower",
                        link.name, at.value));
      }
      before = now;
    }
  }
}

void read_scenario_into(SimInputs& inputs, const std::string& path) {
  if (path.empty()) return;
  ScenarioFile file = read_scenario(path);
  std::vector<std::string> units;
  for (const PlatformUnit& unit : inputs.platform.units) units.push_back(unit.unit.name);
  find_targets(file, units, inputs.platform.links);
  refuse_faster_fatpipes(file, inputs.platform.links);
  inputs.scenario = std::move(file.scenario);
  inputs.scenario_files = std::move(file.files);
}

std::vector<std::string> names_of(const std::vector<ProbedHost>& hosts) {
  std::vector<std::string> names;
  for (const ProbedHost& host : hosts) names.push_back(host.name);
  return names;
}

/// What `load_sim_machine` reads.
SimInputs read_sim_inputs(const RunOptions& options) {
  start_simulation_server();  // it opens SimGrid while the files are read
  SimInputs inputs;
  PlatformFileFacts facts = check_platform_file(options.platform_file);
  inputs.traces = read_traces(options.trace_files);
  inputs.phases = choose_workloads(options, inputs.traces);
  for (std::size_t phase = 0; phase < inputs.phases.size(); ++phase) {
    inputs.item_costs.push_back(
        choose_costs(options.workloads[phase], inputs.phases[phase], inputs.traces, "--workload"));
  }
  const std::vector<MappedHosts> maps = parse_maps(options.maps, "--map");
  LoadedPlatform loaded = load_platform_file(std::move(facts), RoutesOf{timed_units(inputs), maps},
                                             MissingRoutes::refuse, options.quiet);
  const ProbedPlatform& probed = loaded.probed;
  check_maps(maps, names_of(probed.hosts), timed_units(inputs), "--map");
  const bool any = std::any_of(probed.hosts.begin(), probed.hosts.end(),
                               [](const ProbedHost& host) { return host.has_routes; });
  if (!any) {
    throw InputError(options.trace_files.front() + ":1",
                     "none of its units is on the platform " + options.platform_file +
                         "; name them alike, give hosts the property trace_unit, or say "
                         "--map TRACE_UNIT=HOST");
  }
  inputs.transfers_add_up = probed.transfers_add_up;
  add_units(inputs, probed, maps, options.quiet);
  if (inputs.platform.units.empty()) {
    throw InputError(options.platform_file, "no unit can take part; see the warnings above");
  }
  inputs.source = std::move(loaded.source);
  inputs.dispatch_cost = options.dispatch_cost;
  inputs.controller_cost = options.controller_cost;
  read_scenario_into(inputs, options.scenario_file);
  return inputs;
}

}  // namespace

SimMachine load_sim_machine(const RunOptions& options) {
  SimMachine machine =
      make_sim_machine(std::make_shared<const SimInputs>(read_sim_inputs(options)));
  machine.bound = run_bound(machine);
  return machine;
}

}  // namespace equipoise
