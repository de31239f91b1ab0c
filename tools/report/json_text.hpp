// results.json, and single results in JSON.
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

}  // namespace equipoise
