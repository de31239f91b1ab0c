// The makespans of policies with their intervals, a picture in SVG.
#pragma once

#include <string>
#include <vector>

#include "tools/report/report_inputs.hpp"

namespace equipoise {

/// A bar for the mean makespan of each result, with its 95 % confidence interval, and the lower
/// bound as a line: a panel for each results.json. Bars that are more than four times as long as
/// the shortest are cut, so that the others can be told apart. Throws InputError, with the line,
/// for something that is no results.json.
[[nodiscard]] std::string comparison_svg(const std::vector<ResultsDocument>& documents);

}  // namespace equipoise
