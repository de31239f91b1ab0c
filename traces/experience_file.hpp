// Reads and writes experience files, `equipoise.experience/1`: what runs showed of each kernel on
// each unit, for later runs.
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "shared_policies/model/experience.hpp"
#include "shared_policies/model/unit.hpp"
#include "shared_policies/model/workload.hpp"
#include "traces/json_document.hpp"

namespace equipoise {

/// What is known of one kernel on one unit. The description says what each member is.
struct ExperienceEntry {
  std::string kernel;
  std::map<std::string, double> problem;
  std::string unit;
  std::string model;
  std::string machine;
  std::chrono::sys_days date;
  int runs = 0;
  LearnedCost cost;  ///< without `uncertainty`, which grows with age
};

constexpr auto describe(DescriptionOf<ExperienceEntry> /*of*/) {
  return std::tuple(
      member("kernel", &ExperienceEntry::kernel, "the computation"),
      member("problem", &ExperienceEntry::problem,
             "the parameters on which the cost per item depends")
          .may_lack(),
      member("unit", &ExperienceEntry::unit, "the unit's name"),
      member("model", &ExperienceEntry::model, "the unit's model; empty if unknown"),
      member("machine", &ExperienceEntry::machine, "where the runs took place, in words"),
      member("date", &ExperienceEntry::date, "of the last run"),
      member("runs", &ExperienceEntry::runs, "how many runs there were").at_least(1),
      member("cost", &ExperienceEntry::cost, "what they showed"));
}

/// The contents of an experience file.
struct ExperienceFile {
  std::vector<ExperienceEntry> entries;
};

/// Where and when runs take place.
struct RunPlace {
  std::string machine;
  std::chrono::sys_days today;
};

/// By how much, relatively, the times of `entry` may be wrong for a run at `place`: 5 % for a run
/// of today, 15 % after a month, growing with the square root of the age; at least 100 % on another
/// machine. Source: ours.
[[nodiscard]] double uncertainty_of(const ExperienceEntry& entry, const RunPlace& place);

/// What `file` knows for `phases` on `units`. Blocks with more items than the phase has are left
/// out, and so are units of the same name but another model: what was another device says nothing
/// about this one.
[[nodiscard]] Experience known_before(const ExperienceFile& file,
                                      const std::vector<Workload>& phases,
                                      const std::vector<Unit>& units, const RunPlace& place);

/// Adds what a run at `place` has shown. Phases of the same kernel and problem count as runs of
/// their own. What was known of a unit of another model is replaced.
void add_run(ExperienceFile& file, const std::vector<Workload>& phases,
             const std::vector<Unit>& units, const RunPlace& place, const Experience& shown);

/// Reads the file; if there is none, or an empty one, nothing is known yet. Throws InputError at
/// FILE:LINE.
[[nodiscard]] ExperienceFile read_experience(const std::string& path);

/// The text of the file.
[[nodiscard]] std::string experience_text(const ExperienceFile& file);

/// Throws InputError at `where` if the sizes of a cost do not ascend, or if it has no times.
void check_cost(const LearnedCost& cost, const std::string& where);

}  // namespace equipoise
