// What a user names to be reported: run files, results, or folders with both.
#pragma once

#include <string>
#include <vector>

#include "traces/json_document.hpp"

namespace equipoise {

/// The contents of a results.json.
struct ResultsDocument {
  std::string file;
  JsonValue value;
};

/// Files by what they hold.
struct ReportInputs {
  std::vector<std::string> runs;  ///< paths of run files
  std::vector<ResultsDocument> results;
};

/// Sorts `paths` by what they hold. A folder stands for all run files (*.jsonl) and all results.json in
/// it and in the folders below, by name. Throws InputError for a file that is neither, with what it is,
/// and for a folder without any.
[[nodiscard]] ReportInputs find_report_inputs(const std::vector<std::string>& paths);

}  // namespace equipoise
