// What the user chose for a run, besides its policy: all that is needed to repeat it.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "shared_policies/machine/controller_work.hpp"
#include "shared_policies/model/block_timeout.hpp"
#include "shared_policies/model/measures.hpp"
#include "shared_policies/records/description.hpp"
#include "shared_policies/records/struct_members.hpp"

namespace equipoise {

/// What was typed for a rank of a run under mpirun.
struct RankSettings {
  std::vector<std::string> units;
  std::optional<double> link_bytes_per_s;  ///< if absent, its link is not held to a bandwidth
  std::optional<Seconds> link_latency;     ///< if absent, nothing is added

  bool operator==(const RankSettings&) const = default;
};

constexpr auto describe(DescriptionOf<RankSettings> /*of*/) {
  return std::tuple(
      member("unit_spellings", &RankSettings::units, "its units as typed").may_lack(),
      member("link_bytes_per_s", &RankSettings::link_bytes_per_s,
             "what its link is held to, in each direction")
          .in("bytes/s")
          .above(0)
          .if_any(),
      member("link_latency_s", &RankSettings::link_latency, "by which its messages come later")
          .in("s")
          .at_least(0)
          .if_any());
}

/// Settings of a run or of the runs of an experiment. They stand in the header of a run file and in
/// the `experiment` of results.json, and are taken from there where a run is repeated.
struct RunSettings {
  std::vector<std::string> workloads;  ///< KERNEL[:k=v,...], one per phase
  std::vector<std::string> units;      ///< KIND[,k=v,...] of real units
  /// (ranks) Of runs under mpirun: the units of each rank, and what its link is held to.
  std::vector<RankSettings> ranks;
  std::string platform_file;
  std::vector<std::string> trace_files;
  std::vector<std::string> maps;  ///< TRACE_UNIT=HOST,...: whose times hosts have
  std::string scenario_file;      ///< empty: no disturbances
  std::string per_node;  ///< the policy by which each node divides its blocks; empty: none does
  bool noise = true;
  /// If absent, as is usual where the run takes place: `automatic` in real time, none in
  /// simulations.
  std::optional<BlockTimeout> block_timeout;
  /// For paced units: 0.1 runs ten times as fast. If absent, as a repeated run did, or as fast as
  /// the trace.
  std::optional<double> time_scale;
  std::optional<Seconds> dispatch_cost;  ///< if absent, the trace's dispatch time, or 5e-6 s
  std::vector<Seconds> dispatch_costs;   ///< of simulations: what each phase has of them
  std::optional<ControllerWork> controller_cost;  ///< if absent, that of the trace, or none
};

/// A timeout as files have it: seconds, a word, or nothing for none.
using TimeoutInFiles = std::optional<std::variant<double, TimeoutWord>>;

[[nodiscard]] inline TimeoutInFiles timeout_in_files(const RunSettings& settings) {
  const BlockTimeout timeout = settings.block_timeout.value_or(BlockTimeout{});
  switch (timeout.rule) {
    case BlockTimeout::Rule::automatic:
      return TimeoutWord::automatic;
    case BlockTimeout::Rule::fixed:
      return timeout.after.value;
    case BlockTimeout::Rule::none:
      break;
  }
  return std::nullopt;
}

[[nodiscard]] inline BlockTimeout timeout_of(const TimeoutInFiles& in_files) {
  if (!in_files) return {};
  const auto* const seconds = std::get_if<double>(&*in_files);
  return seconds != nullptr ? BlockTimeout::fixed({*seconds}) : BlockTimeout::automatic();
}

/// The units as typed; nothing of a simulation.
[[nodiscard]] inline std::optional<std::vector<std::string>> units_in_real_time(
    const RunSettings& settings) {
  using Units = std::optional<std::vector<std::string>>;
  return settings.time_scale ? Units(settings.units) : Units();
}

/// The dispatch cost as typed, which may be none; nothing of a run in real time.
[[nodiscard]] inline std::optional<std::optional<Seconds>> given_dispatch_cost(
    const RunSettings& settings) {
  using Given = std::optional<std::optional<Seconds>>;
  return settings.dispatch_costs.empty() ? Given() : Given(settings.dispatch_cost);
}

constexpr auto describe(DescriptionOf<RunSettings> /*of*/) {
  return std::tuple(
      member("workload_spellings", &RunSettings::workloads, "the workloads as typed, one per phase")
          .may_lack(),
      computed("unit_spellings", &units_in_real_time, "the units as typed, of runs in real time",
               [](RunSettings& settings, std::optional<std::vector<std::string>> units) {
                 if (units) settings.units = std::move(*units);
               })
          .if_any(),
      member("ranks", &RunSettings::ranks, "of a run under mpirun, what was typed for each rank")
          .if_any(),
      member("platform", &RunSettings::platform_file, "file of the platform").or_null(),
      member("traces", &RunSettings::trace_files, "files of block times").may_lack(),
      member("map", &RunSettings::maps, "whose times hosts have: TRACE_UNIT=HOST,...").may_lack(),
      member("scenario", &RunSettings::scenario_file, "file of what disturbs the run").or_null(),
      member("per_node", &RunSettings::per_node,
             "of runs of two levels, the policy by which each node divides its blocks, as typed")
          .if_any(),
      member("noise", &RunSettings::noise, "whether block times are drawn, or are their means")
          .may_lack()
          .also(in_campaigns),
      computed("block_timeout_s", timeout_in_files,
               "a unit that keeps a block longer counts as lost; auto: as follows from what was "
               "learned of the units; null: never",
               [](RunSettings& settings, TimeoutInFiles timeout) {
                 settings.block_timeout = timeout_of(timeout);
               })
          .in("s")
          .above(0)
          .or_null()
          .also(in_campaigns),
      member("time_scale", &RunSettings::time_scale,
             "of paced units: with 0.1 they are ten times as fast")
          .at_least(0)
          .if_any(),
      computed("dispatch_cost_given_s", &given_dispatch_cost,
               "of simulations: time for handing out a block, as typed",
               [](RunSettings& settings, std::optional<std::optional<Seconds>> given) {
                 settings.dispatch_cost = given.value_or(std::nullopt);
               })
          .in("s")
          .at_least(0)
          .at_most(most_cost_s)
          .if_any(),
      member("dispatch_cost_s", &RunSettings::dispatch_costs,
             "of simulations: time for handing out a block, phase by phase")
          .in("s")
          .at_least(0)
          .if_any(),
      member("controller_cost", &RunSettings::controller_cost,
             "of simulations: what a report, a block and a byte cost the controller, as typed")
          .if_any(),
      unwritten(&RunSettings::units, &RunSettings::block_timeout, &RunSettings::dispatch_cost));
}

/// `typed`, with the settings of `recorded` in place of those that were not typed.
[[nodiscard]] inline RunSettings completed(RunSettings typed, const RunSettings& recorded) {
  const RunSettings untyped;
  const auto take = [](auto& setting, const auto& of_run, const auto& usual) {
    if (setting == usual) setting = of_run;
  };
  with_members(typed, [&](auto&... setting) {
    with_members(recorded, [&](const auto&... of_run) {
      with_members(untyped, [&](const auto&... usual) { (take(setting, of_run, usual), ...); });
    });
  });
  return typed;
}

}  // namespace equipoise
