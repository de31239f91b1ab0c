// The results of a sweep as report.html.
#pragma once

#include <string>

#include "tools/sweep/sweep_results.hpp"

namespace equipoise {

/// The summary of policies over all experiments, a chart of them, and links to each experiment's
/// page.
[[nodiscard]] std::string sweep_html(const SweepResults& results);

}  // namespace equipoise
