// Runs and comparisons as text tables, and what a command prints of one run.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tools/report/table_rows.hpp"
#include "tools/runs/run_plan.hpp"
#include "tools/simulations/sim_machine.hpp"
#include "tools/worlds/comparison.hpp"

namespace equipoise {

/// Warns if more than 1 % of the items of a run of `policy` were in blocks outside the known
/// sizes.
void warn_of_extrapolation(const std::string& policy, double share);

/// Warns once if that is so for any policy of the comparison, whose remarks name them.
void warn_of_extrapolation(const Comparison& comparison);

/// A comparison: a line per policy and world, with the least makespan of each world marked, and
/// whether that may be chance. With both worlds, it also shows the predicted makespan beside the
/// measured one, and how precise the repetitions are (`noise_text`).
[[nodiscard]] std::string comparison_table(const Comparison& comparison,
                                           const TableChoice& choice = {});

/// What makes the intervals of predictions as wide as they are: for each policy half the width that
/// each cause alone would give it, in percent of the mean; or why there is no interval.
[[nodiscard]] std::string interval_table(const Comparison& comparison);
/// What a unit did in a run.
struct UnitWork {
  Items items = 0;
  std::uint64_t blocks = 0;
  Seconds busy;  ///< the stages of its blocks, as if none overlapped
};

/// A recorded run that `replay` repeated: its makespan, for comparison with the new one.
struct RecordedMakespan {
  std::string on;                   ///< the world of the recorded run: "sim", "real" or "paced"
  Seconds makespan;                 ///< of the recorded run
  std::string again;                ///< what was repeated, in words: "the same blocks"
  std::string again_on;             ///< the world in which it was repeated
  std::optional<Seconds> deciding;  ///< the time of the recorded decisions, if new ones were made
  std::map<std::string, UnitWork> by_unit{};  ///< of the recorded run, likewise
};

/// A run in words: its table, why it took longer than it had to, and what is to be known of its
/// resident data. `resident` is that of the run's world.
[[nodiscard]] std::string run_text(const RunReport& report, const PolicyChoice& choice,
                                   const std::vector<Unit>& units, const ResidentPath& resident);

/// Prints the report, as JSON if `json`, and the recorded run that it repeats if there is one.
/// `run_file`: where the run was written, or empty. `resident` is that of the run's world. Returns
/// 0 if the run was verified, 130 or 143 if Ctrl-C or SIGTERM ended it, otherwise 1.
[[nodiscard]] int report_run(const RunReport& report, const PolicyChoice& choice,
                             const std::vector<Unit>& units, const std::string& run_file, bool json,
                             const ResidentPath& resident,
                             const std::optional<RecordedMakespan>& recorded = {});

}  // namespace equipoise
