// The options for repeating a recorded run.
#pragma once

#include <string>

#include "tools/runs/options.hpp"
#include "traces/run_file.hpp"

namespace equipoise {

/// The run's policy as it is typed: `NAME[:k=v,...]`, or the path of its library in place of NAME.
[[nodiscard]] std::string typed_policy(const RunHeader& header);

/// The options of the run from its header; options that the user typed now take precedence.
[[nodiscard]] Options recorded_options(const RunFile& file, const Options& typed);

}  // namespace equipoise
