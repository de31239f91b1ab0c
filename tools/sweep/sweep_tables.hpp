// The results of a sweep as table.md, and as a short table on the terminal.
#pragma once

#include <string>
#include <vector>

#include "tools/sweep/markdown.hpp"
#include "tools/sweep/sweep_results.hpp"

namespace equipoise {

/// table.md: tables with a row per experiment and a column per policy, for speedups over the
/// baseline and for ratios to the lower bound, with geometric means and the worst values; the
/// reference compared with the best other policy; published results beside ours.
[[nodiscard]] std::string sweep_markdown(const SweepResults& results);

/// A table with one row per policy.
[[nodiscard]] std::string standings_table(const SweepResults& results);

/// A row of a table: the text of its cells.
using Row = MarkdownRow;

/// The summary over all experiments: the headings, then one row for each policy.
[[nodiscard]] std::vector<Row> standing_rows(const SweepResults& results);

/// The words of the summary's ratios (see `glossary`).
[[nodiscard]] std::vector<std::string> ratio_words();

}  // namespace equipoise
