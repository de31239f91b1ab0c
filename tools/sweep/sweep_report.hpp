// What a sweep writes: summary.json, table.md, report.html, and a short table on the terminal.
#pragma once

#include <string>

#include "tools/sweep/sweep_results.hpp"

namespace equipoise {

/// summary.json, `equipoise.sweep/1`.
[[nodiscard]] std::string sweep_text(const SweepResults& results);

/// table.md: tables with a row per experiment and a column per policy, for speedups over the
/// baseline and for ratios to the lower bound, with geometric means and the worst values; the
/// reference compared with the best other policy; published results beside ours.
[[nodiscard]] std::string sweep_markdown(const SweepResults& results);

/// report.html: the summary of policies over all experiments, a chart of them, and links to each
/// experiment's page.
[[nodiscard]] std::string sweep_html(const SweepResults& results);

/// A table with one row per policy.
[[nodiscard]] std::string standings_table(const SweepResults& results);

}  // namespace equipoise
