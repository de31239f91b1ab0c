// Puts what was read into one JSON object.
#include "tools/page/page_numbers.hpp"

#include <string>
#include <utility>

#include "tools/page/runs_page.hpp"
#include "tools/page/timing_data.hpp"
#include "traces/json_record.hpp"

namespace equipoise {
namespace {

/// The list of results. Each results.json stands in it as it is, with its line ends and the digits
/// of its numbers.
std::string results_list(const std::vector<PageResults>& all) {
  std::string list;
  for (const PageResults& one : all) {
    list += list.empty() ? "" : ",";
    list += "{\"name\":" + json_string(one.name) + ",\"results\":" + one.text + "}";
  }
  return "[" + list + "]";
}

}  // namespace

std::string page_numbers(const PageContents& contents) {
  Json runs = Json::array();
  for (const std::string& file : contents.run_files) {
    const RunEnds ends = read_page_run(file).ends;
    runs.push_back(
        {{"file", file}, {"header", json_from(ends.header)}, {"summary", json_from(ends.summary)}});
  }
  Json timings = Json::array();
  for (const Trace& trace : contents.traces) timings.push_back(timing_data(trace));
  const std::string begin = line_of({{"schema", "equipoise.report/1"}, {"title", contents.title}});
  const std::string end = line_of(
      {{"runs", std::move(runs)}, {"timings", std::move(timings)}, {"notes", contents.notes}});
  return begin.substr(0, begin.size() - 1) + ",\"results\":" + results_list(contents.results) +
         "," + end.substr(1) + "\n";
}

}  // namespace equipoise
