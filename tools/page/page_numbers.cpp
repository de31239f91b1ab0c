// Puts what was read into one JSON object.
#include "tools/page/page_numbers.hpp"

#include <string>
#include <vector>

#include "tools/page/runs_page.hpp"
#include "tools/page/timing_data.hpp"
#include "tools/report/json_text.hpp"

namespace equipoise {

std::string page_numbers(const PageContents& contents) {
  std::vector<std::string> results;
  for (const PageResults& one : contents.results) {
    results.push_back(json_object({{"name", json_string(one.name)}, {"results", one.text}}));
  }
  std::vector<std::string> runs;
  for (const std::string& file : contents.run_files) {
    const RunEnds ends = read_page_run(file).ends;
    runs.push_back(json_object(
        {{"file", json_string(file)}, {"header", ends.header}, {"summary", ends.summary}}));
  }
  std::vector<std::string> timings;
  for (const Trace& trace : contents.traces) timings.push_back(timing_data(trace));
  return json_object({{"schema", json_string("equipoise.report/1")},
                      {"title", json_string(contents.title)},
                      {"results", json_list(results)},
                      {"runs", json_list(runs)},
                      {"timings", json_list(timings)},
                      {"notes", json_strings(contents.notes)}}) +
         "\n";
}

}  // namespace equipoise
