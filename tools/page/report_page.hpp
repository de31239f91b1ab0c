// Report pages: one self-contained HTML file each, from results, runs and traces, or from files and
// folders with them.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "shared_policies/machine/trace.hpp"
#include "tools/worlds/experiment_facts.hpp"

namespace equipoise {

/// The results of one comparison on a page.
struct PageResults {
  std::string name;    ///< the file or its folder, for headings and messages
  std::string text;    ///< the contents of a results.json
  std::string link{};  ///< to a page of its own; empty: there is none
};

/// What a page shows.
struct PageContents {
  std::string title;
  std::vector<PageResults> results;
  std::vector<std::string> run_files;
  std::vector<Trace> traces;
  std::vector<std::string> notes;            ///< about what is not on the page, a sentence each
  std::string summary{};                     ///< HTML that comes first, such as a sweep's tables
  std::optional<Environment> environment{};  ///< with what its only run was made, if known
  std::vector<std::string> inputs{};         ///< files that runs without results were made from
};

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

/// The page: the answer, tables, and the data of charts, which a script draws when it is opened.
/// All text of files is escaped. Runs whose blocks would make the page larger than 10 MB are shown
/// without single blocks. A build without npm has no script; its pages have tables, and say so.
/// Throws InputError for results that are no JSON of `equipoise.results/1`, and for run files that
/// cannot be read.
[[nodiscard]] std::string report_page(const PageContents& contents);

/// What a page of these contents shows, as a JSON object `equipoise.report/1`: `title`; `results`
/// with the `name` and the whole results.json of each comparison; `runs` with the `file`, header
/// and summary (null: interrupted) of each run file; `timings` of each trace;
/// `notes`.
/// Throws InputError like `report_page`.
[[nodiscard]] std::string page_numbers(const PageContents& contents);

}  // namespace equipoise
