// Combines hosts with timings, and workloads with traces.
#include "tools/worlds/sim_world.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <tuple>
#include <utility>

#include "platforms/platform_file.hpp"
#include "shared_policies/fit/copy_fit.hpp"
#include "shared_policies/fit/timing_curve.hpp"
#include "shared_policies/model/failure.hpp"
#include "tools/report/console.hpp"
#include "tools/report/json_text.hpp"
#include "tools/worlds/inputs.hpp"
#include "tools/worlds/platform_loading.hpp"
#include "tools/worlds/workload_choice.hpp"
#include "traces/scenario_file.hpp"

namespace equipoise {
namespace {

std::vector<WorkloadChoice> choose_workloads(const Options& options,
                                             const std::vector<Trace>& traces) {
  std::vector<WorkloadChoice> choices;
  for (const std::string& spelling : options.workloads) {
    choices.push_back(choose_workload(spelling, traces));
    bool has_trace = false;
    for (std::size_t i = 0; i < traces.size(); ++i) {
      if (traces[i].kernel != choices.back().workload.kernel) continue;
      has_trace = true;
      check_problem(traces[i], options.trace_files[i], choices.back());
    }
    if (!has_trace) {
      throw InputError(options.trace_files.front(),
                       fmt::format("has times of {}, not of {}; give the trace of that kernel",
                                   traces.front().kernel, choices.back().workload.kernel));
    }
  }
  return choices;
}

bool is_timed(const SimWorld& world, const std::string& trace_unit) {
  return std::all_of(world.setup.phases.begin(), world.setup.phases.end(), [&](const Workload& w) {
    return find_timing(world.traces, w.kernel, trace_unit).has_value();
  });
}

void complete_from_trace(Unit& unit, const Unit& recorded, bool has_kind) {
  if (!unit.memory_bytes) unit.memory_bytes = recorded.memory_bytes;
  if (unit.model.empty()) unit.model = recorded.model;
  if (!has_kind) unit.kind = recorded.kind;
}

/// Warns in one short line about timed units that the platform lacks. A trace may well time more
/// machines than a platform has.
void warn_of_units_left_over(const Trace& trace, const std::set<std::string>& used) {
  std::vector<std::string> left_over;
  for (const Unit& unit : trace.units) {
    if (!used.contains(unit.name)) left_over.push_back(unit.name);
  }
  if (left_over.empty()) return;
  constexpr std::size_t shown = 3;
  const std::size_t more = left_over.size() - std::min(left_over.size(), shown);
  left_over.resize(left_over.size() - more);
  warn(fmt::format("the trace of {} times {}{}, which the platform lacks", trace.kernel,
                   fmt::join(left_over, ", "), more == 0 ? "" : fmt::format(" and {} more", more)));
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

void add_units(SimWorld& world, const ProbedPlatform& probed) {
  const std::string input_node = node_of_input(probed);
  std::set<std::string> used;
  std::vector<std::string> untimed;
  Platform& platform = world.setup.platform;
  platform.master = probed.master;
  platform.links = probed.links;
  for (const ProbedHost& host : probed.hosts) {
    PlatformUnit unit = unit_from_properties(host.name, host.properties);
    if (!host.has_routes) {
      const bool is_unit =
          host.properties.contains("kind") || host.properties.contains("trace_unit");
      if (host.name != probed.master || is_unit) untimed.push_back(host.name);
      continue;
    }
    used.insert(unit.trace_unit);
    const TimingPlace place =
        *find_timing(world.traces, world.setup.phases.front().kernel, unit.trace_unit);
    complete_from_trace(unit.unit, place.trace->units[place.unit],
                        host.properties.contains("kind"));
    unit.unit.is_remote =
        !input_node.empty() && host.properties.contains("node") && unit.unit.node != input_node;
    unit.in = host.in;
    unit.out = host.out;
    if (takes_part(unit.unit, world.setup.phases)) platform.units.push_back(std::move(unit));
  }
  if (!untimed.empty()) {
    warn(fmt::format("{} not used: the trace has no times for {}", fmt::join(untimed, ", "),
                     untimed.size() == 1 ? "it" : "them"));
  }
  for (const Trace& trace : world.traces) warn_of_units_left_over(trace, used);
}

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
      const TimingPlace place = *find_timing(world.traces, phase.kernel, unit.trace_unit);
      timing.push_back(timings.of(place, phase, unit.unit));
      recorded.push_back({timing.back().sizes().front(), timing.back().sizes().back()});
    }
    world.setup.timing.push_back(std::move(timing));
    world.recorded.push_back(std::move(recorded));
  }
}

/// Gives every phase the costs of its own trace. A dispatch cost given by the user replaces those
/// of the traces.
void add_costs(SimWorld& world, std::optional<Seconds> dispatch) {
  const std::string& unit = world.setup.platform.units.front().trace_unit;
  for (const Workload& phase : world.setup.phases) {
    const Trace& trace = *find_timing(world.traces, phase.kernel, unit)->trace;
    PhaseCosts& costs = world.setup.costs.emplace_back();
    costs.dispatch = dispatch.value_or(trace.dispatch.value_or(costs.dispatch));
    costs.first_use = trace.first_use.value_or(costs.first_use);
    costs.merge = trace.merge.value_or(costs.merge);
    if (dispatch) continue;
    for (const PlatformUnit& of : world.setup.platform.units) {
      const TimingPlace place = *find_timing(world.traces, phase.kernel, of.trace_unit);
      costs.unit_dispatch.push_back(dispatch_of(*place.trace, place.unit).value_or(costs.dispatch));
    }
  }
}

/// A JSON list with one number per phase.
std::string dispatch_costs_text(const SimWorld& world) {
  std::vector<std::string> texts;
  for (const PhaseCosts& costs : world.setup.costs) {
    texts.push_back(json_number(costs.dispatch.value));
  }
  return json_list(texts);
}

/// The lower bound. Leaves copies out if the links' figures do not hold (profiles, network
/// settings).
RunBound bound_of(const SimWorld& world) {
  Platform platform = world.setup.platform;
  if (!world.transfers_add_up) {
    for (PlatformUnit& unit : platform.units) unit.in = unit.out = Route{};
  }
  RunBound bound;
  Seconds end;
  for (std::size_t phase = 0; phase < world.setup.phases.size(); ++phase) {
    std::vector<const BlockTiming*> timings;
    for (const BlockTiming& timing : world.setup.timing[phase]) timings.push_back(&timing);
    bound.phases.push_back(
        lower_bound(platform, world.setup.phases[phase], timings, world.setup.scenario, end));
    end += Seconds{bound.phases.back().seconds};
  }
  if (end < Seconds::infinity()) bound.seconds = end.value;
  return bound;
}

/// The event of `link` that begins or ends at `at`.
std::size_t event_at(const Scenario& scenario, const std::string& link, Seconds at) {
  const auto is_it = [&](const Disturbance& event) {
    return event.kind == DisturbanceKind::bandwidth && event.target == link &&
           (event.at == at || event.until == at);
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

void read_scenario_into(SimWorld& world, const std::string& path) {
  if (path.empty()) return;
  ScenarioFile file = read_scenario(path);
  std::vector<std::string> links;
  for (const Link& link : world.setup.platform.links) links.push_back(link.name);
  check_targets(file, names_of(world.units), links);
  refuse_faster_fatpipes(file, world.setup.platform.links);
  world.setup.scenario = std::move(file.scenario);
  world.scenario_files = std::move(file.files);
}

}  // namespace

SimWorld load_sim_world(const Options& options) {
  SimWorld world;
  PlatformFileFacts facts = check_platform_file(options.platform_file);
  world.traces = read_traces(options.trace_files);
  for (WorkloadChoice& choice : choose_workloads(options, world.traces)) {
    world.setup.phases.push_back(std::move(choice.workload));
  }
  LoadedPlatform loaded = load_platform_file(
      std::move(facts),
      [&](const ProbedHost& host) {
        return is_timed(world, unit_from_properties(host.name, host.properties).trace_unit);
      },
      MissingRoutes::refuse, options.quiet);
  const ProbedPlatform& probed = loaded.probed;
  const bool any = std::any_of(probed.hosts.begin(), probed.hosts.end(),
                               [](const ProbedHost& host) { return host.has_routes; });
  if (!any) {
    throw InputError(options.trace_files.front() + ":1",
                     "none of its units is on the platform " + options.platform_file +
                         "; name them alike, or give hosts the property trace_unit");
  }
  world.transfers_add_up = probed.transfers_add_up;
  add_units(world, probed);
  if (world.setup.platform.units.empty()) {
    throw InputError(options.platform_file, "no unit can take part; see the warnings above");
  }
  add_timing(world);
  world.setup.source = std::move(loaded.source);
  add_costs(world, options.dispatch_cost);
  for (const PlatformUnit& unit : world.setup.platform.units) world.units.push_back(unit.unit);
  read_scenario_into(world, options.scenario_file);
  world.bound = bound_of(world);
  world.settings = json_object(
      {{"workload_spellings", json_strings(options.workloads)},
       {"platform", json_string(options.platform_file)},
       {"traces", json_strings(options.trace_files)},
       {"scenario", options.scenario_file.empty() ? "null" : json_string(options.scenario_file)},
       {"noise", options.noise ? "true" : "false"},
       {"dispatch_cost_given_s",
        options.dispatch_cost ? json_number(options.dispatch_cost->value) : "null"},
       {"dispatch_cost_s", dispatch_costs_text(world)}});
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
    for (std::size_t i = 0; i < platform.units.size(); ++i) {
      const PlatformUnit& unit = platform.units[i];
      const auto place = find_timing(traces, workload.kernel, unit.trace_unit);
      phase.push_back(nullptr);
      if (!place) continue;
      phase.back() = std::make_unique<TimingCurve>(
          timings.of(*place, workload, unit.unit),
          moving_of(platform, unit, workload, world.setup.costs[k].dispatch_of(i)));
    }
  }
  known.schedule = world.schedule;
  return known;
}

void check_policy(const SimWorld& world, const PolicyChoice& choice) {
  const KnownCosts known = known_costs(world, profile_of(choice, world.traces));
  static_cast<void>(make_policy(*choice.info, {choice.parameters, &known, world.units}));
}

RunReport simulate_once(const SimWorld& world, const PolicyChoice& choice, const Options& options,
                        std::uint64_t repetition, const std::string& journal_file) {
  RunPlan plan;
  plan.units = world.units;
  plan.phases = world.setup.phases;
  plan.policy = choice;
  const KnownCosts known = known_costs(world, profile_of(choice, world.traces));
  plan.known = &known;
  plan.recorded = world.recorded;
  plan.on = "sim";
  plan.seed = options.seed;
  plan.repetition = repetition;
  plan.lower_bound_s = world.bound.seconds;
  plan.scenario = world.setup.scenario;
  plan.decision_cost = options.decision_cost;
  plan.settings = world.settings;
  plan.journal_file = journal_file;
  // The first call comes after SimGrid has loaded the platform and the first event has happened.
  plan.stop_requested = [has_begun = false]() mutable {
    if (!std::exchange(has_begun, true)) catch_stop_signals();
    return stop_signal() != 0;
  };
  SimSetup setup = world.setup;
  setup.seed = options.seed;
  setup.repetition = repetition;
  setup.noise = options.noise;
  const std::unique_ptr<Executor> executor = make_sim_executor(std::move(setup));
  return run_plan(plan, *executor, {});
}

}  // namespace equipoise
