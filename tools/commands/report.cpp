// `equipoise report`: runs and results as a page, tables, pictures, and traces for viewers; and
// `equipoise show`: a recorded run or a comparison on the terminal.
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <deque>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "shared_policies/model/failure.hpp"
#include "tools/commands/commands.hpp"
#include "tools/console/console.hpp"
#include "tools/exports/formats.hpp"
#include "tools/exports/gantt_svg.hpp"
#include "tools/exports/run_marks.hpp"
#include "tools/exports/run_text.hpp"
#include "tools/page/report_page.hpp"
#include "tools/report/json_values.hpp"
#include "tools/report/report_inputs.hpp"
#include "tools/report/report_text.hpp"
#include "tools/report/stored_comparison.hpp"
#include "tools/report/table_rows.hpp"
#include "traces/files/input_file.hpp"
#include "traces/json_record.hpp"
#include "traces/run_file.hpp"

namespace equipoise {
namespace {

/// Reads run files one at a time, so that only one is in memory.
class Runs {
 public:
  const RunFile& read(const std::string& path) {
    if (file_ && file_->path == path) return *file_;
    file_.reset();
    file_ = read_run_file(path);
    if (!file_->summary) {
      note(path + ": the run was interrupted; its file shows the run as far as it came");
    }
    return *file_;
  }

 private:
  std::optional<RunFile> file_;
};

void write_csv(const ReportInputs& inputs, Runs& runs, ExportFile& out) {
  if (!inputs.results.empty()) return put_repetitions(inputs.results, out);
  put_block_headings(out);
  for (const std::string& path : inputs.runs) put_blocks(runs.read(path), out);
}

void write_svg(const ReportInputs& inputs, Runs& runs, ExportFile& out) {
  if (!inputs.results.empty()) return out.put(comparison_svg(inputs.results));
  Seconds end;
  for (const std::string& path : inputs.runs) end = std::max(end, end_of_run(runs.read(path)));
  GanttSvg gantt(end);
  for (const std::string& path : inputs.runs) gantt.add(runs.read(path));
  out.put(gantt.text());
}

void write_perfetto(const ReportInputs& inputs, Runs& runs, ExportFile& out) {
  begin_trace_events(out);
  int number = 0;
  for (const std::string& path : inputs.runs) put_trace_events(runs.read(path), ++number, out);
  end_trace_events(out);
}

void write_paje(const ReportInputs& inputs, Runs& /*one_by_one*/, ExportFile& out) {
  std::vector<RunFile> runs;
  for (const std::string& path : inputs.runs) runs.push_back(read_run_file(path));
  put_paje(runs, out);
}

/// Writes the page to `path`, if that is not empty, and prints its numbers if `json`.
void write_page(const std::string& path, const std::vector<std::string>& paths, bool json) {
  if (path.empty() && !json) return;
  if (!path.empty()) check_writable(path, "--out");
  const PageContents contents = contents_of(paths);
  if (!path.empty()) expect_no_inputs({path}, "--out");
  const std::string page = path.empty() ? std::string() : report_page(contents);
  const std::string numbers = json ? page_numbers(contents) : "report: " + path + "\n";
  if (!path.empty()) write_whole_file(path, page);
  print_out("{}", numbers);
}

/// A file besides the page.
struct Export {
  const char* option;
  std::string path;  ///< "-": printed
  bool is_of_runs;   ///< results.json alone does not do
  void (*write)(const ReportInputs& inputs, Runs& runs, ExportFile& out);
};

/// Those that were asked for.
std::vector<Export> exports_of(const ReportRequest& request) {
  std::vector<Export> exports = {{"--csv", request.csv, false, write_csv},
                                 {"--svg", request.svg, false, write_svg},
                                 {"--perfetto", request.perfetto, true, write_perfetto},
                                 {"--paje", request.paje, true, write_paje}};
  std::erase_if(exports, [](const Export& one) { return one.path.empty(); });
  return exports;
}

}  // namespace

int report_command(const ReportRequest& request) {
  const std::vector<Export> exports = exports_of(request);
  std::vector<std::pair<const char*, std::string>> outputs = {{"--out", request.page}};
  for (const Export& one : exports) outputs.emplace_back(one.option, one.path);
  expect_different(outputs);
  if (request.json && std::ranges::count(exports, "-", &Export::path) > 0) {
    throw InputError("--json", "prints, and so would an export to -; give that a file");
  }
  const bool is_page_asked = exports.empty() && !request.json;
  write_page(request.page.empty() && is_page_asked ? "report.html" : request.page, request.paths,
             request.json);
  if (exports.empty()) return 0;
  const ReportInputs inputs = find_report_inputs(request.paths);
  if (inputs.runs.empty() && inputs.results.empty()) {
    throw InputError(request.paths.front(),
                     "there are only traces, which have no blocks to export; give run files or "
                     "results.json");
  }
  for (const Export& one : exports) {
    if (!one.is_of_runs || !inputs.runs.empty()) continue;
    throw InputError(one.option,
                     "shows runs, and there is none; give run files (--out of simulate and "
                     "run, runs/ of compare)");
  }
  std::deque<ExportFile> files;
  for (const Export& one : exports) files.emplace_back(one.path, one.option);
  Runs runs;
  for (std::size_t i = 0; i < exports.size(); ++i) exports[i].write(inputs, runs, files[i]);
  for (ExportFile& file : files) file.finish();
  return 0;
}

int show_command(const ShowRequest& request) {
  expect_column(request.table.sort, "--sort");
  const bool is_folder = std::filesystem::is_directory(request.path);
  const std::string results = is_folder ? request.path + "/results.json" : request.path;
  if (is_folder ? std::filesystem::exists(results)
                : std::filesystem::path(results).filename() == "results.json") {
    const Comparison comparison = read_comparison(results);
    TableChoice table = request.table;
    table.has_definitions = !request.quiet;
    return request.json ? print_out("{}", read_input(results, "give what compare --out wrote"))
                        : print_out("{}", comparison_table(comparison, table));
  }
  const std::string& file = request.path;
  if (is_folder || !text_at(first_line_of(file), "schema").starts_with("equipoise.run/")) {
    throw InputError(file,
                     "this is neither a run file nor a comparison; give a file that --out of "
                     "simulate or run wrote, one of runs/ of compare, or the folder of compare "
                     "--out; `equipoise report` shows other folders, and traces");
  }
  const RunFile run = read_run_file(file);
  return request.json ? print_json(run_json(run))
                      : print_out("{}", run_text(run, screen_of_stdout()));
}

}  // namespace equipoise
