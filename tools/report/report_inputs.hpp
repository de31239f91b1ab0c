// What a user names to be reported: run files, results, traces, or folders with them.
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
  std::vector<std::string> traces;  ///< paths of traces
};

/// Sorts `paths` by what they hold. A folder stands for all run files and traces (*.jsonl) and all
/// results.json in it and in the folders below, by name. Throws InputError for a file that is none
/// of them, with what it is, and for a folder without any.
[[nodiscard]] ReportInputs find_report_inputs(const std::vector<std::string>& paths);

/// The JSON object in the first line of a file of JSON Lines, which says its schema; null if that
/// line is no JSON.
[[nodiscard]] JsonValue first_line_of(const std::string& path);

}  // namespace equipoise
