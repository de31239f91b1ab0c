// The numbers of a report page as JSON.
#pragma once

#include <string>

#include "tools/page/report_page.hpp"

namespace equipoise {

/// What a page of these contents shows, as a JSON object `equipoise.report/1`: `title`; `results`
/// with the `name` and the whole results.json of each comparison; `runs` with the `file`, header
/// and summary (null: interrupted) of each run file; `timings` of each trace (see `timing_data`);
/// `notes`.
/// Throws InputError like `report_page`.
[[nodiscard]] std::string page_numbers(const PageContents& contents);

}  // namespace equipoise
