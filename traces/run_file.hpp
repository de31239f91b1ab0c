// Run files, `equipoise.run/1`: the settings, events and result of a run.
#pragma once

#include <cstdint>
#include <istream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "shared_policies/machine/item_costs.hpp"
#include "shared_policies/model/experience.hpp"
#include "shared_policies/model/measures.hpp"
#include "shared_policies/records/description.hpp"
#include "shared_policies/records/facts.hpp"
#include "shared_policies/run/metrics.hpp"
#include "shared_policies/run/recorded_run.hpp"
#include "traces/json_document.hpp"
#include "traces/run_settings.hpp"

namespace equipoise {

/// A unit of a run, as the header has it.
struct RunUnit {
  Unit unit;
  bool is_present_at_start = true;  ///< false: it joins later
};

constexpr auto describe(DescriptionOf<RunUnit> /*of*/) {
  return std::tuple(member("unit", &RunUnit::unit, "what policies may know of it").flat(),
                    computed(
                        "present_at_start",
                        +[](const RunUnit& unit) {
                          return unit.is_present_at_start ? std::optional<bool>()
                                                          : std::optional(false);
                        },
                        "false: it joins later",
                        [](RunUnit& unit, std::optional<bool> present) {
                          unit.is_present_at_start = present.value_or(true);
                        })
                        .if_any(),
                    unwritten(&RunUnit::is_present_at_start));
}

/// The header: everything about the run that is known before it starts. The description says what
/// each member is.
struct RunHeader {
  std::string on;
  std::string policy;
  std::string spelling;
  Facts parameters;
  bool is_informed = false;
  bool is_oracle = false;
  bool knows_costs = false;
  bool is_experienced = false;
  std::vector<Workload> workloads;
  /// (phases) Nothing where all items cost the same. Empty: they do in every phase.
  std::vector<std::optional<CostProfile>> costs;
  std::vector<RunUnit> units;
  std::vector<Unit> nodes{};  ///< of a run of two levels
  std::uint64_t seed = 1;
  std::uint64_t repetition = 0;
  std::string decision_cost;
  std::string version;
  Facts machine;
  std::string loaded_from;  ///< empty: the policy is one of the catalog
  std::string loaded_hash;
  Experience experience;
  std::string decisions_of;  ///< empty: the policy made the decisions itself
  RunSettings settings;
  /// Whether blocks have a setup stage of their own. In files of version 1.0, `in_s` contains it.
  bool has_setup = true;
};

constexpr auto describe(DescriptionOf<RunHeader> /*of*/) {
  return std::tuple(
      member("on", &RunHeader::on, "where the run took place").one_of("sim, real, paced"),
      member("policy", &RunHeader::policy, "name of the policy").not_empty(),
      member("spelling", &RunHeader::spelling,
             "the policy as typed, with its name in place of a library's path")
          .not_empty(),
      member("parameters", &RunHeader::parameters, "of the policy, with defaults").may_lack(),
      member("informed", &RunHeader::is_informed, "the policy knows unit speeds beforehand")
          .may_lack(),
      member("oracle", &RunHeader::is_oracle, "the policy is given this run's mean block times")
          .may_lack(),
      member("knows_costs", &RunHeader::knows_costs,
             "the policy is given what each item costs, and items differ")
          .may_lack(),
      member("experienced", &RunHeader::is_experienced, "the policy used times from earlier runs")
          .may_lack(),
      member("workloads", &RunHeader::workloads, "the work, phase by phase").not_empty(),
      member("costs", &RunHeader::costs,
             "how the items of each phase differ; null: all cost the same")
          .if_any(),
      member("units", &RunHeader::units, "the units of the run").not_empty(),
      member("nodes", &RunHeader::nodes,
             "of a run of two levels, the nodes among which the master divides; units name theirs")
          .if_any(),
      member("seed", &RunHeader::seed, "of block times and of input data"),
      member("repetition", &RunHeader::repetition, "number of the repetition, from 0"),
      member("decision_cost", &RunHeader::decision_cost,
             "how long decisions take: none, paper, measured, or seconds"),
      member("version", &RunHeader::version, "of the program and its libraries").may_lack(),
      member("machine", &RunHeader::machine, "on which the program ran").may_lack(),
      member("library", &RunHeader::loaded_from, "file from which the policy was loaded").if_any(),
      member("library_hash", &RunHeader::loaded_hash, "of that file's contents").if_any(),
      member("experience", &RunHeader::experience,
             "[phase][unit]: what the policy knew of earlier runs")
          .if_any(),
      member("decisions_of", &RunHeader::decisions_of,
             "the run file whose decisions were issued again")
          .if_any(),
      member("settings", &RunHeader::settings, "what the user chose").flat(),
      unwritten(&RunHeader::has_setup));
}

/// The line of a header.
[[nodiscard]] std::string run_header_line(const RunHeader& header);

/// A load of a scenario that competed with a real unit.
struct LoadNote {
  std::string unit;
  Seconds at;
  double share = 0.0;           ///< of the unit's cores, as the scenario requests
  double measured_share = 0.0;  ///< the share that the load really had
};

constexpr auto describe(DescriptionOf<LoadNote> /*of*/) {
  return std::tuple(
      member("unit", &LoadNote::unit, "the unit with which it competed").may_lack(),
      member("at_s", &LoadNote::at, "when it began").may_lack().in("s"),
      member("share", &LoadNote::share, "of the unit's cores, as the scenario requests").may_lack(),
      member("measured_share", &LoadNote::measured_share, "the share that the load really had")
          .may_lack());
}

/// How precisely paced units kept to their times.
struct PacingNote {
  double time_scale = 1.0;
  Seconds late_mean;  ///< from the end of a block until it was noticed, on the run's clock
  Seconds late_most;
};

constexpr auto describe(DescriptionOf<PacingNote> /*of*/) {
  return std::tuple(
      member("time_scale", &PacingNote::time_scale, "with 0.1 units were ten times as fast")
          .may_lack(),
      member("late_mean_s", &PacingNote::late_mean,
             "mean delay with which ends of blocks were noticed")
          .may_lack()
          .in("s"),
      member("late_max_s", &PacingNote::late_most,
             "the longest delay with which an end of a block was noticed")
          .may_lack()
          .in("s"));
}

/// How the clock of a node differed from the master's, by which all times of a run are.
struct ClockNote {
  std::string node;
  Seconds error;       ///< of times of its units, at most
  double drift = 0.0;  ///< how much faster it was
};

constexpr auto describe(DescriptionOf<ClockNote> /*of*/) {
  return std::tuple(
      member("node", &ClockNote::node, "the node"),
      member("error_s", &ClockNote::error, "by which times of its units may be wrong, at most")
          .in("s")
          .at_least(0),
      member("drift", &ClockNote::drift,
             "how much faster it was than the master's; 1e-6 is a "
             "microsecond in a second"));
}

/// What a unit did in a run, in the summary.
struct UnitSummary {
  Items items = 0;
  double share = 0.0;
  std::uint64_t blocks = 0;
  StageTimes busy;
  double idle_fraction = 0.0;
  Seconds last_end;
  std::optional<double> energy_j;
};

constexpr auto describe(DescriptionOf<StageTimes> /*of*/) {
  return std::tuple(
      member("setup_s", &StageTimes::setup, "first use and resident data").in("s").since(1),
      member("in_s", &StageTimes::in, "copying in").in("s"),
      member("compute_s", &StageTimes::compute, "computing").in("s"),
      member("out_s", &StageTimes::out, "copying out").in("s"));
}

constexpr auto describe(DescriptionOf<UnitSummary> /*of*/) {
  return std::tuple(
      member("items", &UnitSummary::items, "the items that it did").at_least(0),
      member("share", &UnitSummary::share, "of all items"),
      member("blocks", &UnitSummary::blocks, "the blocks that it did"),
      member("busy", &UnitSummary::busy, "the time in each stage; stages may overlap").flat(),
      member("idle_fraction", &UnitSummary::idle_fraction,
             "the share of the run in which it neither computed nor copied"),
      member("last_end_s", &UnitSummary::last_end,
             "the end of its last block, or of work that was dropped; the makespan if that goes on")
          .in("s"),
      member("energy_j", &UnitSummary::energy_j, "modelled; null if unknown").in("J").or_null());
}

/// What a unit did in a phase.
struct UnitPhaseSummary {
  Items items = 0;
  double share = 0.0;
  std::uint64_t blocks = 0;
  Seconds last_end;
};

constexpr auto describe(DescriptionOf<UnitPhaseSummary> /*of*/) {
  return std::tuple(
      member("items", &UnitPhaseSummary::items, "the items that it did").at_least(0),
      member("share", &UnitPhaseSummary::share, "of the phase's items"),
      member("blocks", &UnitPhaseSummary::blocks, "the blocks that it did"),
      member("last_end_s", &UnitPhaseSummary::last_end, "the end of its last block").in("s"));
}

/// Values by name, in an order of their own.
template <class T>
using Named = std::vector<std::pair<std::string, T>>;

/// One phase of several.
struct PhaseSummary {
  Seconds end;
  Named<UnitPhaseSummary> by_unit;
};

constexpr auto describe(DescriptionOf<PhaseSummary> /*of*/) {
  return std::tuple(member("end_s", &PhaseSummary::end, "the end of its last block").in("s"),
                    member("by_unit", &PhaseSummary::by_unit, "what each unit did"));
}

/// The summary: the numbers of the run, and how it ended.
struct RunSummary {
  RunNumbers numbers;
  std::optional<Seconds> lower_bound;  ///< of simulations; none: not known
  std::optional<Losses> loss;          ///< over that bound
  bool policy_stalled = false;
  bool complete = false;
  bool verified = true;              ///< also if `unchecked`; until told otherwise, as in a file
  bool unchecked = true;             ///< nobody can check the numbers: it is null in files
  std::string problem;               ///< why it is not verified
  std::vector<std::string> units;    ///< names, in the order of the numbers
  std::optional<PacingNote> pacing;  ///< none without paced units
  std::vector<LoadNote> loads;
  std::vector<ClockNote> clocks{};  ///< of nodes, in a run on several
};

/// The loss in all and by cause; nothing if it is not known.
[[nodiscard]] std::optional<Named<double>> named_loss(const RunSummary& summary);
/// The numbers of each unit by its name.
[[nodiscard]] Named<UnitSummary> summary_by_unit(const RunSummary& summary);
/// The phases; nothing if there is only one.
[[nodiscard]] std::optional<std::vector<PhaseSummary>> summary_by_phase(const RunSummary& summary);

constexpr auto describe(DescriptionOf<RunSummary> /*of*/) {
  return std::tuple(
      computed(
          "makespan_s", +[](const RunSummary& summary) { return summary.numbers.makespan; },
          "the first of the numbers, beside its bound")
          .in("s"),
      member("lower_bound_s", &RunSummary::lower_bound,
             "a makespan that no run without noise can beat; null if it is not known")
          .in("s")
          .at_least(0)
          .or_null(),
      computed("loss_s", &named_loss, "the time lost beyond that bound, in all and by cause")
          .in("s")
          .or_null(),
      computed(
          "longest_setup_s",
          +[](const RunSummary& summary) {
            return summary.loss ? std::optional(summary.loss->longest_setup) : std::nullopt;
          },
          "the longest time of preparing a unit before its first block")
          .in("s")
          .or_null(),
      member("numbers", &RunSummary::numbers, "the numbers of the run").flat(),
      member("policy_stalled", &RunSummary::policy_stalled,
             "the policy left work undone, which was then done greedily")
          .may_lack(),
      member("complete", &RunSummary::complete, "whether all items were done"),
      computed(
          "verified",
          +[](const RunSummary& summary) {
            return summary.unchecked && summary.verified ? std::nullopt
                                                         : std::optional(summary.verified);
          },
          "whether every item was accepted exactly once and all checked results are right; null if "
          "there is no check of the results",
          [](RunSummary& summary, std::optional<bool> verified) {
            summary.verified = verified.value_or(true);
            summary.unchecked = !verified;
          })
          .or_null(),
      member("problem", &RunSummary::problem, "why it is not verified; empty if it is").may_lack(),
      computed("by_unit", &summary_by_unit, "what each unit did"),
      computed("phases", &summary_by_phase,
               "what each unit did in each phase, if there are several")
          .or_null(),
      member("pacing", &RunSummary::pacing, "how precisely paced units kept to their times")
          .or_null(),
      member("loads", &RunSummary::loads, "loads that competed with real units").may_lack(),
      member("clocks", &RunSummary::clocks,
             "of a run on several nodes: how well times of other nodes are known")
          .if_any(),
      unwritten(&RunSummary::loss, &RunSummary::verified, &RunSummary::unchecked,
                &RunSummary::units));
}

/// The line of a summary.
[[nodiscard]] std::string run_summary_line(const RunSummary& summary);

/// The contents of a run file.
struct RunFile {
  std::string path;
  RunHeader header;
  RecordedRun run;  ///< its units and phases are those of the header
  /// Of a run of two levels: what happened to the master, whose units are the nodes, and then to
  /// the agent of each node. `run` has what happened to the units, by UnitRecords.
  std::vector<RecordedRun> levels{};
  std::optional<RunSummary> summary;  ///< none: the run was interrupted
  bool is_cut = false;                ///< the last line was incomplete and was ignored
};

/// Reads a run file. If the summary is missing, the run was interrupted. A last line without line
/// end is ignored if it is incomplete. Unknown members are ignored. Version 1.0 does not say what
/// the setup of a block took, which is in its copy in, nor when its stages began: there, the setup
/// is 0, and the stages are taken to have followed one another up to the end.
///
/// Throws InputError (where = FILE:LINE) for everything else that is malformed: invalid JSON, a
/// schema other than `equipoise.run/1` and its minor versions, members that are missing or out of
/// range, units that are not in the header, blocks outside of their workload or with an id that was
/// used before, lines after the summary. Memory and time grow with the number of lines.
[[nodiscard]] RunFile read_run_file(const std::string& path);

/// Like `read_run_file`, but reads from `in`; messages name the file `path`.
[[nodiscard]] RunFile read_run(std::istream& in, const std::string& path);

/// Reads the header line of the file called `path`.
[[nodiscard]] RunHeader read_run_header(const JsonValue& line, const std::string& path);

}  // namespace equipoise
