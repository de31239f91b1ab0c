// A sweep's results for people: table.md, report.html, and a few lines on the terminal.
#pragma once

#include <string>

#include "tools/sweep/sweep_results.hpp"

namespace equipoise {

/// table.md: a line an experiment and a column a policy, for speedups over the baseline and for
/// distances from the lower bound, with geometric means and the worst; the reference against the
/// best other policy; published figures beside ours.
[[nodiscard]] std::string sweep_markdown(const SweepResults& results);

/// report.html: how the policies did over all experiments, and the way to each experiment's page.
[[nodiscard]] std::string sweep_html(const SweepResults& results);

/// A line a policy.
[[nodiscard]] std::string standings_table(const SweepResults& results);

}  // namespace equipoise
