// Reads scenario files, schema equipoise.scenario/1 (traces/README.md describes all fields).
#pragma once

#include <string>
#include <vector>

#include "shared_policies/machine/scenario.hpp"

namespace equipoise {

/// A scenario and the lines of its events.
struct ScenarioFile {
  Scenario scenario;               ///< its `name` is the given path
  std::vector<std::string> where;  ///< (events) FILE:LINE
  std::vector<std::string> files;  ///< all files read: the scenario file, then its profiles
};

/// Reads the scenario file at `path` and the speed profiles that it names; their paths are relative
/// to the scenario file.
///
/// Throws InputError with FILE:LINE for everything that is malformed: a missing file; JSON that
/// cannot be parsed or is nested deeper than 64 levels; another major schema version; members that
/// an event of its kind must not have, or that it lacks; numbers out of range; the same event
/// twice; a unit that fails while absent or joins while present; events whose combined factor of a
/// speed or bandwidth is below 1e-12 or above 1e12; a profile without rows or with times that do
/// not ascend.
[[nodiscard]] ScenarioFile read_scenario(const std::string& path);

/// Throws InputError at the first event whose unit or link is not in the lists. `units` are those
/// that take part, `links` are all links of the platform.
void check_targets(const ScenarioFile& file, const std::vector<std::string>& units,
                   const std::vector<std::string>& links);

}  // namespace equipoise
