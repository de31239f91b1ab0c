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
/// null if there is none.
[[nodiscard]] std::string json_number(const std::optional<double>& value);
/// null if it is empty.
[[nodiscard]] std::string json_text_or_null(const std::string& text);
/// The value of a parameter as it is meant: a number, true, false, or a text; null if it is empty.
[[nodiscard]] std::string json_parameter(const std::string& text);
/// What policies may know of a unit.
[[nodiscard]] std::string json_unit(const Unit& unit);
/// A list of files that a command wrote, `equipoise.files/1`: each has a `file`, and what is said of
/// it.
[[nodiscard]] std::string json_files(const std::vector<std::string>& files);
[[nodiscard]] std::string json_statistics(const Statistics& s);
[[nodiscard]] std::string json_strings(const std::vector<std::string>& texts);

}  // namespace equipoise
