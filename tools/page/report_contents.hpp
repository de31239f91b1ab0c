// What a report page shows, from files and folders.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/page/report_page.hpp"

namespace equipoise {

/// The contents of a page of `paths`: run files, results.json, traces, or folders with them, such
/// as those of `compare`, `validate` and `sweep` (see `find_report_inputs`). Beside a results.json,
/// the run files in `runs/` that are of its policies, workload and seed belong to it; and the
/// traces that results and runs name, if they are still there. Throws InputError, at the path, for
/// anything else.
[[nodiscard]] PageContents contents_of(const std::vector<std::string>& paths);

/// The contents of the page that `compare` writes: `results_text` is that of results.json. Larger
/// run files than can be read in about a second are left out, with a note.
[[nodiscard]] PageContents contents_of_comparison(const std::string& results_text,
                                                  const std::string& folder);

}  // namespace equipoise
