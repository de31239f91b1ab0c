// How one run went, printed, and the exit code that says so.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/commands/options.hpp"
#include "tools/worlds/run_plan.hpp"

namespace equipoise {

/// The run that was done again.
struct RecordedMakespan {
  std::string on;
  Seconds makespan;
  std::string again;  ///< what was, in words: "the same blocks"
};

/// Prints the report, beside the run that it repeats if there is one. Gives 0 for a verified run, 1
/// for another, 130 or 143 for one that Ctrl-C or SIGTERM ended.
[[nodiscard]] int report_run(const RunReport& report, const PolicyChoice& choice,
                             const std::vector<Unit>& units, const Options& options,
                             const std::optional<RecordedMakespan>& recorded = {});

}  // namespace equipoise
