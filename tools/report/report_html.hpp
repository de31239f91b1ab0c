// A comparison as one HTML page that needs nothing else.
#pragma once

#include <string>

#include "tools/report/json_text.hpp"

namespace equipoise {

/// The page: mean makespans with their confidence intervals as bars against the lower bound, who
/// did which share of the items, and all numbers in a table.
[[nodiscard]] std::string report_html(const Comparison& comparison);

}  // namespace equipoise
