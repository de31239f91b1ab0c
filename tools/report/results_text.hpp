// Results as files for programs: results.json, results.csv, single results in JSON, and cells of
// comma-separated values.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "tools/report/result_fields.hpp"
#include "tools/worlds/comparison.hpp"

namespace equipoise {

/// results.json, `equipoise.results/1`.
[[nodiscard]] std::string results_text(const Comparison& comparison);
/// The fields of one result that `output` shows.
[[nodiscard]] nlohmann::ordered_json result_json(const OfResult& of, Output output);

/// results.csv: a line of headings, then a line for each result (RFC 4180, but with line feeds).
/// The columns are the fields of results.json that `in_csv` marks, under the same names; statistics
/// and values by unit take a column each: makespan_s.mean, share_by_unit.cpu0. Numbers are exact.
/// What is not there is empty; a field that no result has takes one empty column.
[[nodiscard]] std::string results_csv(const Comparison& comparison);

/// `text` as a cell: in quotation marks if it needs them (RFC 4180).
[[nodiscard]] std::string csv_quoted(const std::string& text);

/// As many digits as are needed to read the same number back; empty if `value` is not finite.
[[nodiscard]] std::string csv_number(double value);

}  // namespace equipoise
