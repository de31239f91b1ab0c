// Reads scenario files, schema equipoise.scenario/1 (traces/README.md describes all fields).
#pragma once

#include <string>
#include <vector>

#include "shared_policies/machine/scenario.hpp"
#include "shared_policies/model/platform.hpp"

namespace equipoise {

/// A scenario and the lines of its events.
struct ScenarioFile {
  Scenario scenario;                 ///< its `name` is the given path
  std::vector<std::string> where;    ///< (events) FILE:LINE
  std::vector<bool> in_bytes_per_s;  ///< (events) whether the profile is of bandwidths, not factors
  std::vector<std::string> files;    ///< all files read: the scenario file, then its profiles

  /// Adds an event. Throws InputError at `place` for the 1,000,001st.
  void add(Disturbance event, std::string place, bool has_bytes_per_s);
};

/// Reads the scenario file at `path` and the profiles that it names; their paths are relative to
/// the scenario file. A file whose name ends in `.csv` is a table of shares.
/// An event with a list of targets, or with `every_s` and `times`, becomes several disturbances.
/// Patterns of names (`node-*`) stay targets until `find_targets`.
///
/// Throws one InputError, with FILE:LINE of each event that cannot be read, for everything that is
/// malformed: a missing file; JSON that cannot be parsed or is nested deeper than 64 levels;
/// another major schema version; members that an event of its kind must not have, or that it lacks;
/// numbers out of range; a repeated event without an end, or that begins again before it has ended;
/// the same event twice; a unit that fails while absent or joins while present; events whose
/// combined factor of a speed or bandwidth is below 1e-12 or above 1e12; a profile without rows or
/// with times that do not ascend.
[[nodiscard]] ScenarioFile read_scenario(const std::string& path);

/// Replaces events of patterns by one event for each unit or link that the pattern means, and
/// bandwidths in profiles of SimGrid by factors. `units` are those that take part, `links` are all
/// links of the platform (bandwidth 0: not known). Throws one InputError for all events whose unit
/// or link is not there, and, like `read_scenario`, for contradictions.
void find_targets(ScenarioFile& file, const std::vector<std::string>& units,
                  const std::vector<Link>& links);

}  // namespace equipoise
