// What a recorded run was put together from, for running it again.
#pragma once

#include "tools/commands/options.hpp"
#include "traces/run_file.hpp"

namespace equipoise {

/// The options that the run was made with, as its header has them; what was typed now goes before.
[[nodiscard]] Options recorded_options(const RunFile& file, const Options& typed);

}  // namespace equipoise
