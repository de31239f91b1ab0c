// Prints the result of one run and chooses the exit code.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/runs/run_plan.hpp"
#include "tools/simulations/sim_world.hpp"

namespace equipoise {

/// The makespan of a recorded run that was repeated.
struct RecordedMakespan {
  std::string on;
  Seconds makespan;
  std::string again;                ///< what was repeated, in words: "the same blocks"
  std::string again_on;             ///< where it was
  std::optional<Seconds> deciding;  ///< what its decisions took, if they are made anew
};

/// Prints the report, as JSON if `json`, and the recorded run that it repeats if there is one.
/// `run_file`: where the run was written, or empty. `resident` is that of the run's world. Returns 0 if the run was verified, 130 or 143 if Ctrl-C or SIGTERM ended it,
/// otherwise 1.
[[nodiscard]] int report_run(const RunReport& report, const PolicyChoice& choice,
                             const std::vector<Unit>& units, const std::string& run_file, bool json,
                             const ResidentPath& resident,
                             const std::optional<RecordedMakespan>& recorded = {});

}  // namespace equipoise
