// All JSON output of the program: run headers and summaries, results.json.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "shared_policies/run/results.hpp"
#include "tools/report/result_fields.hpp"
#include "tools/runs/run_plan.hpp"
#include "tools/worlds/comparison.hpp"
#include "traces/json_document.hpp"

namespace equipoise {

/// The header line of a run file.
[[nodiscard]] std::string run_header_text(const RunPlan& plan);

/// The summary line of a run file.
[[nodiscard]] std::string run_summary_text(const RunReport& report,
                                           const std::vector<std::string>& units);

/// Where, when and by which command and program results are made, a JSON object: the member
/// `environment` of results.json. Everything else there is the same for the same inputs and seed.
[[nodiscard]] std::string environment_text(const std::string& command_line);

/// results.json, `equipoise.results/1`.
[[nodiscard]] std::string results_text(const Comparison& comparison);
/// The fields of one result that `output` shows, a JSON object.
[[nodiscard]] std::string result_text(const OfResult& of, Output output);

/// A JSON object from names and values; the values are JSON text.
[[nodiscard]] std::string json_object(
    const std::vector<std::pair<std::string, std::string>>& facts);
/// A JSON array of values that are JSON text.
[[nodiscard]] std::string json_list(const std::vector<std::string>& values);
[[nodiscard]] std::string json_number(double value);
[[nodiscard]] std::string json_statistics(const Statistics& s);
[[nodiscard]] std::string json_strings(const std::vector<std::string>& texts);

}  // namespace equipoise
