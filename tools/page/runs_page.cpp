// Tables of runs and their units, from headers and summaries.
#include "tools/page/runs_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <istream>
#include <utility>

#include "shared_policies/model/failure.hpp"
#include "shared_policies/text/markup.hpp"
#include "tools/console/quantity_text.hpp"
#include "tools/console/text_table.hpp"
#include "tools/page/page_html.hpp"
#include "tools/report/result_fields.hpp"
#include "traces/files/input_file.hpp"

namespace equipoise {
namespace {

/// The header and the summary of a run file, which `read_run_file` accepted.
RunEnds ends_of(const std::string& path) {
  auto in = open_input(path, "give a run file");
  RunEnds ends;
  std::string line;
  std::string last;
  for (std::size_t number = 1; next_line(in, line, path, number); ++number) {
    if (number == 1) ends.header = parse_json(line, path);
    last.swap(line);
  }
  if (last.rfind("{\"summary\"", 0) == 0) ends.summary = parse_json(last, path);
  return ends;
}

/// Whole numbers in full, others with so many significant digits.
PageCell number_cell(const JsonValue& object, const char* path, int digits) {
  const JsonValue* const value = member(object, path);
  if (value == nullptr) return {"–"};
  const bool is_count = value->number == std::floor(value->number) && value->number < 1e15;
  return {is_count ? fmt::format("{:.0f}", value->number) : significant(value->number, digits),
          value->text};
}

PageCell time_cell(const JsonValue& object, const char* path) {
  const JsonValue* const value = member(object, path);
  if (value == nullptr) return {"–"};
  return {quantity_text(value->number, "s", 4), value->text};
}

PageCell percent_cell(const JsonValue& object, const char* path) {
  const JsonValue* const value = member(object, path);
  if (value == nullptr) return {"–"};
  return {fmt::format("{:.1f}", 100.0 * value->number), value->text};
}

std::string units_html(const JsonValue& header, const JsonValue& summary) {
  const JsonValue* const units = member(summary, "by_unit");
  if (units == nullptr) return {};
  PageTable table;
  table.headings = {"unit",    "items",    "share %",
                    "blocks",  "setup",    "copy in",
                    "compute", "copy out", explained("idle %", "Share of the run not working."),
                    "last end"};
  for (const JsonMember& unit : units->object) {
    const JsonValue& of = unit.value;
    table.rows.push_back({{markup_escaped(unit.name), {}, true},
                          number_cell(of, "items", 10),
                          percent_cell(of, "share"),
                          number_cell(of, "blocks", 10),
                          time_cell(of, "setup_s"),
                          time_cell(of, "in_s"),
                          time_cell(of, "compute_s"),
                          time_cell(of, "out_s"),
                          percent_cell(of, "idle_fraction"),
                          time_cell(of, "last_end_s")});
  }
  return fmt::format("<h3>{} on {}</h3>\n{}", markup_escaped(text_at(header, "spelling")),
                     markup_escaped(text_at(header, "on")), table_html(table));
}

}  // namespace

PageRun read_page_run(const std::string& path) {
  const RunFile file = read_run_file(path);
  RunEnds ends = ends_of(path);
  RunData data = run_data(file, ends);
  return {std::move(ends), std::move(data)};
}

std::string runs_html(const std::vector<PageRun>& runs) {
  std::vector<const RunEnds*> sorted;
  for (const PageRun& run : runs) sorted.push_back(&run.ends);
  std::ranges::stable_sort(sorted, std::less<>(), [](const RunEnds* run) {
    return number_at(run->summary, "makespan_s", 1e300);
  });
  const ResultField& spread = result_field("finish_spread_s");
  PageTable table;
  table.caption = "The single runs whose files are on this page.";
  table.headings = {"policy",     "on",
                    "makespan",   explained("times bound", "The makespan over the lower bound."),
                    "blocks",     "decisions",
                    "rebalances", explained(spread.heading, spread.explanation),
                    "verified"};
  std::string units;
  for (const RunEnds* const run : sorted) {
    const double bound_s = number_at(run->summary, "lower_bound_s", 0.0);
    const double ratio = number_at(run->summary, "makespan_s", 0.0) / bound_s;
    const bool is_whole = run->summary.kind == JsonValue::Kind::object;
    const char* const verified = is_true_at(run->summary, "verified") ? "yes" : "<b>no</b>";
    table.rows.push_back({{markup_escaped(text_at(run->header, "spelling")), {}, true},
                          {markup_escaped(text_at(run->header, "on")), {}, true},
                          time_cell(run->summary, "makespan_s"),
                          {bound_s > 0.0 ? fmt::format("{:.3f}", ratio) : "–"},
                          number_cell(run->summary, "blocks", 10),
                          number_cell(run->summary, "decisions.count", 4),
                          number_cell(run->summary, "rebalances", 4),
                          time_cell(run->summary, "finish_spread_s"),
                          {is_whole ? verified : "interrupted"}});
    units += units_html(run->header, run->summary);
  }
  return table_html(table) + "<details><summary>Units of each run</summary>\n" + units +
         "</details>\n";
}

}  // namespace equipoise
