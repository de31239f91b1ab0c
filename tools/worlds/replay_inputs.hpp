// The options for repeating a recorded run.
#pragma once

#include "tools/runs/options.hpp"
#include "traces/run_file.hpp"

namespace equipoise {

/// The options of the run from its header; options that the user typed now take precedence.
[[nodiscard]] Options recorded_options(const RunFile& file, const Options& typed);

}  // namespace equipoise
