// `equipoise report`: runs and results as a page, tables, pictures, and traces for viewers.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>
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
#include "tools/page/report_page.hpp"
#include "tools/report/report_inputs.hpp"
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

/// An export, or null if it was not asked for.
std::unique_ptr<ExportFile> export_to(const std::string& path, const char* option) {
  return path.empty() ? nullptr : std::make_unique<ExportFile>(path, option);
}

/// Throws InputError unless each export has a place of its own.
void expect_different(const std::vector<std::pair<const char*, std::string>>& exports) {
  for (std::size_t i = 0; i < exports.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const std::string& path = exports[i].second;
      if (path.empty() || exports[j].second.empty()) continue;
      if (path != exports[j].second && !is_same_path(path, exports[j].second)) continue;
      throw InputError(exports[i].first,
                       fmt::format("{} is also what {} writes; give each a file of "
                                   "its own",
                                   path, exports[j].first));
    }
  }
}

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

void write_paje(const ReportInputs& inputs, ExportFile& out) {
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
  std::printf("%s", numbers.c_str());
}

/// Throws InputError if an export prints, too, beside --json.
void expect_one_to_print(const ReportRequest& request) {
  if (!request.json) return;
  for (const std::string& path : {request.csv, request.svg, request.perfetto, request.paje}) {
    if (path != "-") continue;
    throw InputError("--json", "prints, and so would an export to -; give that a file");
  }
}

}  // namespace

int report_command(const ReportRequest& request) {
  expect_different({{"--out", request.page},
                    {"--csv", request.csv},
                    {"--svg", request.svg},
                    {"--perfetto", request.perfetto},
                    {"--paje", request.paje}});
  expect_one_to_print(request);
  const bool has_exports = !request.csv.empty() || !request.svg.empty() ||
                           !request.perfetto.empty() || !request.paje.empty();
  const bool is_page_asked = !has_exports && !request.json;
  write_page(request.page.empty() && is_page_asked ? "report.html" : request.page, request.paths,
             request.json);
  if (!has_exports) return 0;
  const ReportInputs inputs = find_report_inputs(request.paths);
  if (inputs.runs.empty() && inputs.results.empty()) {
    throw InputError(request.paths.front(),
                     "there are only traces, which have no blocks to export; give run files or "
                     "results.json");
  }
  for (const auto& [option, path] :
       {std::pair{"--perfetto", &request.perfetto}, std::pair{"--paje", &request.paje}}) {
    if (path->empty() || !inputs.runs.empty()) continue;
    throw InputError(option,
                     "shows runs, and there is none; give run files (--out of simulate and "
                     "run, runs/ of compare)");
  }
  const auto csv = export_to(request.csv, "--csv");
  const auto svg = export_to(request.svg, "--svg");
  const auto perfetto = export_to(request.perfetto, "--perfetto");
  const auto paje = export_to(request.paje, "--paje");
  Runs runs;
  if (csv) write_csv(inputs, runs, *csv);
  if (svg) write_svg(inputs, runs, *svg);
  if (perfetto) write_perfetto(inputs, runs, *perfetto);
  if (paje) write_paje(inputs, *paje);
  for (ExportFile* const file : {csv.get(), svg.get(), perfetto.get(), paje.get()}) {
    if (file != nullptr) file->finish();
  }
  return 0;
}

}  // namespace equipoise
