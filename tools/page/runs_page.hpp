// What a report page says of single runs, from their files.
#pragma once

#include <string>
#include <vector>

#include "tools/page/run_columns.hpp"

namespace equipoise {

/// A run file that was read for a page.
struct PageRun {
  RunEnds ends;
  RunData data;
};

/// Reads a run file. Throws InputError like `read_run_file`.
[[nodiscard]] PageRun read_page_run(const std::string& path);

/// The runs as a table, the fastest first, and under it the units of each: HTML.
[[nodiscard]] std::string runs_html(const std::vector<PageRun>& runs);

}  // namespace equipoise
