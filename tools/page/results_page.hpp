// What a report page says of comparisons, from the contents of their results.json alone.
#pragma once

#include <string>
#include <vector>

#include "tools/page/page_html.hpp"
#include "tools/page/report_page.hpp"

namespace equipoise {

/// A comparison: the answer, tables, its data, and how to repeat it. `read` is its parsed
/// results.json, `runs` the HTML of its runs. A heading names it unless it `is_only` one of the
/// page.
[[nodiscard]] std::string comparison_html(const PageResults& results, const JsonValue& read,
                                          bool is_only, const std::string& runs);

/// The answers of several comparisons, a row each, and the data of the chart over all of them.
/// `read`: their parsed results.json.
[[nodiscard]] std::string comparisons_html(const std::vector<PageResults>& all,
                                           const std::vector<JsonValue>& read);

/// The command that made results or a run; empty if it is not known.
[[nodiscard]] std::string command_html(const std::string& command);

}  // namespace equipoise
