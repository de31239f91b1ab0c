// Finds the files of a page, and what belongs to them.
#include "tools/page/report_contents.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <map>
#include <set>
#include <utility>

#include "shared_policies/model/failure.hpp"
#include "tools/report/json_values.hpp"
#include "tools/report/report_inputs.hpp"
#include "traces/files/input_file.hpp"
#include "traces/json_document.hpp"
#include "traces/trace_file.hpp"

namespace equipoise {
namespace {

namespace fs = std::filesystem;

/// Of the run files of a comparison, so many bytes are read while it is written.
constexpr std::uintmax_t most_read_bytes = std::uintmax_t{64} << 20;

/// The files in `folder` that end in .jsonl, in the order of their names.
std::vector<std::string> lines_files(const std::string& folder) {
  std::vector<std::string> files;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(folder, none)) {
    if (entry.path().extension() == ".jsonl") files.push_back(entry.path().string());
  }
  std::ranges::sort(files);
  return files;
}

/// The header of a run file as JSON.
JsonValue header_of(const std::string& path) {
  auto in = open_input(path, "give a run file");
  std::string line;
  if (!next_line(in, line, path, 1)) return {};
  return parse_json(line, path);
}

/// Whether the run is one of the comparison's.
bool is_of(const JsonValue& header, const JsonValue& results) {
  const JsonValue* const all = member(results, "results");
  const bool has_policy =
      all != nullptr && std::ranges::any_of(all->list, [&](const JsonValue& result) {
        return text_at(result, "spelling") == text_at(header, "spelling") &&
               text_at(result, "on") == text_at(header, "on");
      });
  const std::vector<std::string> workloads = texts_at(results, "experiment.workloads");
  return has_policy && texts_at(header, "workload_spellings") == workloads &&
         number_at(header, "seed", -1.0) == number_at(results, "experiment.seed", -2.0);
}

/// Collects what the page shows.
class Contents {
 public:
  explicit Contents(std::uintmax_t most_bytes) : bytes_left_(most_bytes) {}

  void add(const ReportInputs& inputs) {
    for (const ResultsDocument& results : inputs.results) {
      add_results(read_input(results.file, "give a results.json"), results.file);
    }
    for (const std::string& path : inputs.runs) {
      // Beside results, only those are shown that belong to them.
      const fs::path folder = fs::path(path).parent_path();
      const bool is_beside =
          folder.filename() == "runs" &&
          std::ranges::any_of(inputs.results, [&](const ResultsDocument& results) {
            return fs::path(results.file).parent_path() == folder.parent_path();
          });
      if (is_beside) continue;
      add_run(path);
      const JsonValue header = header_of(path);
      for (const std::string& trace : texts_at(header, "traces")) {
        add_trace(trace, folder.string());
        add_input(trace);
      }
      for (const char* const name : {"platform", "scenario"}) add_input(text_at(header, name));
    }
    for (const std::string& path : inputs.traces) {
      if (is_new_trace(path)) page.traces.push_back(read_trace(path, nullptr));
    }
    name_by_folders();
  }

  void add_results(const std::string& text, const std::string& path) {
    const fs::path folder = fs::path(path).parent_path();
    const std::string name = folder.empty() ? path : folder.filename().string();
    page.results.push_back({name, text});
    folders_.push_back(folder.string());
    const JsonValue results = parse_json(text, path);
    for (const std::string& file : lines_files((folder / "runs").string())) {
      const bool is_run = schema_of_lines(file).starts_with("equipoise.run/");
      if (is_run && is_of(header_of(file), results)) add_run(file);
    }
    for (const char* world : {"sim", "real", "paced"}) {
      const std::string name_of_traces = fmt::format("experiment.{}.traces", world);
      for (const std::string& trace : texts_at(results, name_of_traces.c_str())) {
        add_trace(trace, folder.string());
      }
    }
  }

  PageContents page;

 private:
  void add_run(const std::string& path) {
    if (!runs_.insert(path).second) return;
    const std::uintmax_t bytes = fs::file_size(path);
    if (bytes > bytes_left_) {
      page.notes.push_back(
          fmt::format("Not on this page, because it is large: {}. `equipoise "
                      "report {}` shows it.",
                      path, path));
      return;
    }
    bytes_left_ -= bytes;
    page.run_files.push_back(path);
  }

  /// Adds a trace that results or a run in `folder` name, from where they say or from that folder,
  /// unless it is in neither any more.
  void add_trace(const std::string& named, const std::string& folder) {
    const std::string beside = (fs::path(folder) / fs::path(named).filename()).string();
    for (const std::string& path : {named, beside}) {
      if (!fs::is_regular_file(path)) continue;
      if (!is_new_trace(path)) return;
      try {
        page.traces.push_back(read_trace(path, nullptr));
        return;
      } catch (const InputError&) {  // a trace that was changed since does not spoil the page
      }
    }
    if (!missing_.insert(named).second) return;
    page.notes.push_back(fmt::format(
        "The trace {} cannot be read from here, so the times of its units are not shown.", named));
  }

  void add_input(const std::string& path) {
    const bool is_known = std::ranges::find(page.inputs, path) != page.inputs.end();
    if (!path.empty() && !is_known && fs::is_regular_file(path)) page.inputs.push_back(path);
  }

  bool is_new_trace(const std::string& path) {
    return traces_.insert(fs::weakly_canonical(path).string()).second;
  }

  /// Gives results of folders with equal names the whole paths of the folders as names.
  void name_by_folders() {
    std::map<std::string, int> uses;
    for (const PageResults& results : page.results) ++uses[results.name];
    for (std::size_t i = 0; i < page.results.size(); ++i) {
      if (uses[page.results[i].name] > 1) page.results[i].name = folders_[i];
    }
  }

  std::uintmax_t bytes_left_;
  std::set<std::string> runs_;
  std::set<std::string> traces_;
  std::set<std::string> missing_;
  std::vector<std::string> folders_;
};

std::string title_of(const PageContents& page, const std::vector<std::string>& paths) {
  if (paths.size() > 1) return fmt::format("{} and {} more", paths.front(), paths.size() - 1);
  if (page.results.size() > 1) return "Comparisons in " + paths.front();
  return page.results.empty() ? paths.front() : "Comparison of policies";
}

}  // namespace

PageContents contents_of(const std::vector<std::string>& paths) {
  Contents contents(~std::uintmax_t{0});
  contents.add(find_report_inputs(paths));
  contents.page.title = title_of(contents.page, paths);
  return std::move(contents.page);
}

PageContents contents_of_comparison(const std::string& results_text, const std::string& folder) {
  Contents contents(most_read_bytes);
  contents.page.title = "Comparison of policies";
  contents.add_results(results_text, folder + "/results.json");
  return std::move(contents.page);
}

}  // namespace equipoise
