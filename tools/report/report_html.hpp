// A comparison as one self-contained HTML page.
#pragma once

#include <string>

#include "tools/worlds/comparison.hpp"

namespace equipoise {

/// The page shows mean makespans with confidence intervals as bars against the lower bound, each
/// unit's share of the items, and all numbers in a table.
[[nodiscard]] std::string report_html(const Comparison& comparison);

}  // namespace equipoise
