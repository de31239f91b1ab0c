// Results as comma-separated values, for spreadsheets and statistics programs.
#pragma once

#include <string>

#include "tools/worlds/comparison.hpp"

namespace equipoise {

/// results.csv: a line of headings, then a line for each result (RFC 4180, but with line feeds).
/// The columns are the fields of results.json that `in_csv` marks, under the same names; statistics
/// and values by unit take a column each: makespan_s.mean, share_by_unit.cpu0. Numbers are exact.
/// What is not there is empty; a field that no result has takes one empty column.
[[nodiscard]] std::string results_csv(const Comparison& comparison);

}  // namespace equipoise
