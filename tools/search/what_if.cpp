// Makes changed machines from the inputs of one, and simulates policies on them.
#include "tools/search/what_if.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "shared_policies/model/failure.hpp"
#include "shared_policies/run/results.hpp"
#include "tools/console/quantity_text.hpp"
#include "tools/console/terminal.hpp"
#include "tools/simulations/simulations.hpp"

namespace equipoise {
namespace {

constexpr std::size_t most_bandwidths = 6;  // that are changed one by one
constexpr int changed_reps = 5;

std::string in_percent(double share) { return fmt::format("{:.3g} %", 100.0 * share); }

std::string kind_of(const Unit& unit) {
  if (unit.kind == UnitKind::cpu) return "CPUs";
  const std::string kind = unit.kind == UnitKind::gpu ? "GPUs" : "accelerators";
  return unit.model.empty() ? kind : kind + " of model " + unit.model;
}

/// The names of units in traces, by kind. Units that are timed by the same one are of its kind.
std::map<std::string, std::set<std::string>> kinds_of(const Platform& platform) {
  std::map<std::string, std::set<std::string>> kinds;
  std::set<std::string> seen;
  for (const PlatformUnit& unit : platform.units) {
    if (seen.insert(unit.trace_unit).second) kinds[kind_of(unit.unit)].insert(unit.trace_unit);
  }
  return kinds;
}

/// Mean compute times of a unit by size, in seconds.
using TimesBySize = std::map<double, double>;

std::vector<TimesBySize> mean_times(const Trace& trace) {
  std::vector<TimesBySize> sums(trace.units.size());
  std::vector<TimesBySize> counts(trace.units.size());
  for (const TraceSample& sample : trace.samples) {
    if (sample.is_outlier) continue;
    const auto count = static_cast<double>(sample.count);
    sums[sample.unit][sample.items] += count * sample.compute_mean_s;
    counts[sample.unit][sample.items] += count;
  }
  for (std::size_t unit = 0; unit < sums.size(); ++unit) {
    for (auto& [items, sum_s] : sums[unit]) sum_s /= counts[unit][items];
  }
  return sums;
}

/// By which the time of a block of `items` is to be multiplied so that what it takes longer than at
/// the speed of the largest size is `factor` times as much.
double change_of_time(const TimesBySize& times, double items, double factor) {
  const auto here = times.find(items);
  if (here == times.end()) return 1.0;
  const auto& [most_items, most_s] = *times.rbegin();
  const double at_full_speed_s = most_s * items / most_items;
  const double overhead_s = here->second - at_full_speed_s;
  if (overhead_s <= 1e-9 * at_full_speed_s) return 1.0;
  return (at_full_speed_s + factor * overhead_s) / here->second;
}

SimMachine with_overhead(const SimMachine& machine, const std::set<std::string>& units,
                         double factor, bool& has_any) {
  SimInputs inputs = *machine.inputs;
  for (Trace& trace : inputs.traces) {
    const std::vector<TimesBySize> times = mean_times(trace);
    for (TraceSample& sample : trace.samples) {
      if (!units.contains(trace.units[sample.unit].name)) continue;
      const double change = change_of_time(times[sample.unit], sample.items, factor);
      has_any = has_any || change != 1.0;
      multiply_times(sample, change);
    }
  }
  return make_sim_machine(std::make_shared<const SimInputs>(std::move(inputs)));
}

SimMachine with_speed(const SimMachine& machine, const std::set<std::string>& units,
                      double factor) {
  SimInputs inputs = *machine.inputs;
  for (Trace& trace : inputs.traces) {
    for (TraceSample& sample : trace.samples) {
      if (units.contains(trace.units[sample.unit].name)) multiply_times(sample, 1.0 / factor);
    }
  }
  return make_sim_machine(std::make_shared<const SimInputs>(std::move(inputs)));
}

/// The positions of links that are changed together, by how they are called. Those that no unit's
/// route has are left out.
std::map<std::string, std::vector<std::uint32_t>> kinds_of_links(const Platform& platform) {
  std::map<std::string, std::vector<std::uint32_t>> kinds;
  std::set<std::uint32_t> used;
  for (const PlatformUnit& unit : platform.units) {
    for (const Route* const route : {&unit.in, &unit.out}) {
      used.insert(route->links.begin(), route->links.end());
    }
  }
  for (const std::uint32_t link : used) {
    const double bandwidth = platform.links[link].bandwidth_bytes_per_s;
    kinds["links of " + quantity_text(bandwidth, "B/s")].push_back(link);
  }
  if (!used.empty() && (kinds.size() == 1 || kinds.size() > most_bandwidths)) {
    return {{"all links", {used.begin(), used.end()}}};
  }
  return kinds;
}

SimMachine with_links(const SimMachine& machine, const std::vector<std::uint32_t>& links,
                      double factor) {
  SimInputs inputs = *machine.inputs;
  for (const std::uint32_t link : links) {
    inputs.platform.links[link].bandwidth_bytes_per_s *= factor;
    inputs.platform.links[link].latency.value /= factor;
  }
  return make_sim_machine(std::make_shared<const SimInputs>(std::move(inputs)));
}

/// The makespans (repetitions) of each policy; fewer if some runs did not complete.
using Makespans = std::vector<Samples>;

std::vector<Makespans> makespans_on(const std::vector<ChangedMachine>& machines,
                                    const std::vector<PolicyChoice>& choices, std::size_t reps,
                                    const RunOptions& options) {
  std::vector<Makespans> makespans(machines.size(), Makespans(choices.size()));
  const std::size_t runs = choices.size() * reps;
  std::vector<std::optional<double>> ended(machines.size() * runs);
  std::size_t done = 0;
  Progress progress(options.quiet);
  run_simulations(
      ended.size(),
      [&](std::size_t job) {
        return simulation_of(machines[job / runs].machine, choices[job % runs / reps], options,
                             job % reps);
      },
      [&](std::size_t job, const SimulationResult& result) {
        ++done;
        progress.show(
            fmt::format("simulated {} of {} runs on changed machines", done, ended.size()),
            static_cast<double>(done) / static_cast<double>(ended.size()));
        if (!result.failure.empty() || !result.report.run.verified) return;
        ended[job] = result.report.run.numbers.makespan.value;
      });
  for (std::size_t job = 0; job < ended.size(); ++job) {
    if (!ended[job]) continue;
    Samples& of = makespans[job / runs][job % runs / reps];
    of.repetitions.push_back(job % reps);
    of.values.push_back(*ended[job]);
  }
  return makespans;
}

/// What `makespans` say of the change, where the policy at position `before` is the fastest without
/// it.
WhatIfChange judged(const std::string& change, const std::vector<PolicyChoice>& choices,
                    const Makespans& makespans, std::size_t before, std::size_t reps) {
  constexpr double rounding = 1e-9;
  WhatIfChange found{change, {}, {}, false};
  const auto is_whole = [&](std::size_t i) { return makespans[i].values.size() == reps; };
  const auto mean_s = [&](std::size_t i) { return summarise(makespans[i].values).mean; };
  std::optional<std::size_t> best;
  if (is_whole(before)) best = before;
  for (std::size_t i = 0; i < choices.size(); ++i) {
    if (!is_whole(i) || (best && mean_s(i) >= mean_s(*best) * (1.0 - rounding))) continue;
    best = i;
  }
  if (!best) return found;
  found.fastest = choices[*best].spelling;
  if (!is_whole(before)) return found;
  const Statistics ratios = summarise(paired_ratios(makespans[before], makespans[*best]).values);
  found.ratio = ratios.mean;
  found.may_be_chance = *best != before && ratios.ci95_low <= 1.0;
  return found;
}

}  // namespace

void expect_changeable(const SimMachine& machine) {
  if (!machine.inputs->source.profiles.empty()) {
    throw InputError("--what-if",
                     fmt::format("the bandwidths of links in {} follow files over time, which a "
                                 "change would not reach; give a platform without such files",
                                 machine.inputs->source.file));
  }
}

std::vector<ChangedMachine> changed_machines(const SimMachine& machine, double share) {
  expect_changeable(machine);
  const Platform& platform = machine.inputs->platform;
  const std::string by = " " + in_percent(share) + " ";
  std::vector<ChangedMachine> changed;
  for (const auto& [kind, units] : kinds_of(platform)) {
    changed.push_back({kind + by + "slower", with_speed(machine, units, 1.0 - share)});
    changed.push_back({kind + by + "faster", with_speed(machine, units, 1.0 + share)});
  }
  for (const auto& [kind, links] : kinds_of_links(platform)) {
    changed.push_back({kind + by + "slower", with_links(machine, links, 1.0 - share)});
    changed.push_back({kind + by + "faster", with_links(machine, links, 1.0 + share)});
  }
  for (const auto& [kind, units] : kinds_of(platform)) {
    const std::string overhead = "overhead of small blocks on " + kind + by;
    bool has_any = false;
    SimMachine lower = with_overhead(machine, units, 1.0 - share, has_any);
    SimMachine higher = with_overhead(machine, units, 1.0 + share, has_any);
    if (!has_any) continue;
    changed.push_back({overhead + "lower", std::move(lower)});
    changed.push_back({overhead + "higher", std::move(higher)});
  }
  return changed;
}

std::string sentence_of(const WhatIf& what_if) {
  std::vector<std::string> others;
  for (const WhatIfChange& change : what_if.changes) {
    if (change.fastest == what_if.fastest || change.may_be_chance) continue;
    if (change.fastest.empty()) {
      others.push_back(change.change + ": no policy completes its runs");
    } else if (!change.ratio) {
      others.push_back(fmt::format("{}: {} ({} does not complete its runs)", change.change,
                                   change.fastest, what_if.fastest));
    } else {
      others.push_back(fmt::format("{}: {} (by {:.2g} %)", change.change, change.fastest,
                                   100.0 * (*change.ratio - 1.0)));
    }
  }
  std::string text = fmt::format(
      "The fastest policy ({}) stays the fastest if speeds, links or the overhead of small blocks "
      "are {} higher or lower, one at a time",
      what_if.fastest, in_percent(what_if.share));
  if (!others.empty()) text += fmt::format(", except: {}", fmt::join(others, "; "));
  return text + ".";
}

WhatIf simulate_changes(const SimMachine& machine, const std::vector<PolicyChoice>& choices,
                        const std::string& fastest, double share, const RunOptions& options) {
  WhatIf found{share, fastest, options.noise ? changed_reps : 1, {}};
  const auto reps = static_cast<std::size_t>(found.reps);
  std::vector<PolicyChoice> judgeable = choices;
  std::erase_if(judgeable, [](const PolicyChoice& choice) { return choice.is_oracle(); });
  const auto before = std::ranges::find(judgeable, fastest, &PolicyChoice::spelling);
  EQ_CHECK(before != judgeable.end(), "the fastest policy is one of the choices, and no oracle");
  const auto at = static_cast<std::size_t>(before - judgeable.begin());
  const std::vector<ChangedMachine> machines = changed_machines(machine, share);
  const std::vector<Makespans> makespans = makespans_on(machines, judgeable, reps, options);
  for (std::size_t i = 0; i < machines.size(); ++i) {
    found.changes.push_back(judged(machines[i].change, judgeable, makespans[i], at, reps));
  }
  return found;
}

}  // namespace equipoise
