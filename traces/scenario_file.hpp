// Reads scenario files, schema equipoise.scenario/1 (traces/README.md has it field by field).
#pragma once

#include <string>
#include <vector>

#include "shared_policies/machine/scenario.hpp"

namespace equipoise {

/// A scenario and where its events stand.
struct ScenarioFile {
  Scenario scenario;               ///< `name` is the path as it was given
  std::vector<std::string> where;  ///< (events) FILE:LINE
  std::vector<std::string> files;  ///< all that were read: the scenario's own, then its profiles'
};

/// Reads the scenario file at `path`, and the speed profiles that it names, from paths relative to
/// it.
///
/// Throws InputError with FILE:LINE for everything that is malformed: no file; JSON that does not
/// parse or is nested deeper than 64; another major schema version; members that an event of its
/// kind does not have, or lacks; numbers out of range; the same event twice; a unit that fails
/// while it is away or joins while it is there; events that together leave less than 1e-12 of a
/// speed or bandwidth or make more than 1e12 of it; a profile without rows or whose times do not
/// ascend.
[[nodiscard]] ScenarioFile read_scenario(const std::string& path);

/// Throws InputError at the first event whose unit or link is not among the given ones. `units` are
/// those that take part, `links` all of the platform.
void check_targets(const ScenarioFile& file, const std::vector<std::string>& units,
                   const std::vector<std::string>& links);

}  // namespace equipoise
