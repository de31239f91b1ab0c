// Finds the files of a page, and what belongs to them.
#include "tools/page/report_contents.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

#include "shared_policies/model/failure.hpp"
#include "tools/page/page_html.hpp"
#include "traces/files/input_file.hpp"
#include "traces/json_document.hpp"
#include "traces/trace_file.hpp"

namespace equipoise {
namespace {

namespace fs = std::filesystem;

/// Of the run files of a comparison, so many bytes are read while it is written.
constexpr std::uintmax_t most_read_bytes = std::uintmax_t{64} << 20;

const char* const wanted = "give run files, results.json, traces, or folders with these";

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

/// The first line of a file as JSON; null if it is none.
JsonValue first_line(const std::string& path) {
  auto in = open_input(path, wanted);
  std::string line;
  if (!next_line(in, line, path, 1)) return {};
  try {
    return parse_json(line, path);
  } catch (const InputError&) {
    return {};  // a JSON file of many lines, or no JSON
  }
}

bool begins_with(const std::string& text, const char* begin) { return text.rfind(begin, 0) == 0; }

/// The texts of a list at `path`; empty if there is none.
std::vector<std::string> texts_at(const JsonValue& object, const char* path) {
  std::vector<std::string> texts;
  if (const JsonValue* const list = member(object, path)) {
    for (const JsonValue& value : list->list) texts.push_back(value.text);
  }
  return texts;
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

  void add(const std::string& path) {
    if (fs::is_directory(path)) {
      add_folder(path);
    } else {
      add_file(path);
    }
  }

  void add_results(const std::string& text, const std::string& path) {
    const fs::path folder = fs::path(path).parent_path();
    const std::string name = folder.empty() ? path : folder.filename().string();
    page.results.push_back({name, text});
    const JsonValue results = parse_json(text, path);
    for (const std::string& file : lines_files((folder / "runs").string())) {
      if (is_of(first_line(file), results)) add_run(file);
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
  void add_folder(const std::string& folder) {
    const std::string results = folder + "/results.json";
    if (fs::exists(results)) {
      add_file(results);
      return;
    }
    std::vector<std::string> files;
    std::error_code none;
    for (const auto& entry : fs::directory_iterator(folder + "/experiments", none)) {
      const std::string of = entry.path().string() + "/results.json";
      if (fs::exists(of)) files.push_back(of);
    }
    std::ranges::sort(files);
    if (files.empty()) files = lines_files(folder);
    if (files.empty())
      throw InputError(folder, fmt::format("there is nothing to show; {}", wanted));
    for (const std::string& file : files) add_file(file);
  }

  void add_file(const std::string& path) {
    const JsonValue first = first_line(path);
    const std::string schema = text_at(first, "schema");
    if (begins_with(schema, "equipoise.run/")) {
      add_run(path);
      const std::string folder = fs::path(path).parent_path().string();
      for (const std::string& trace : texts_at(first, "traces")) add_trace(trace, folder);
    } else if (begins_with(schema, "equipoise.trace/")) {
      page.traces.push_back(read_trace(path, nullptr));
    } else {
      const std::string text = read_input(path, wanted);
      const std::size_t begin = text.find_first_not_of(" \t\r\n");
      const bool is_object = begin != std::string::npos && text[begin] == '{';
      const JsonValue all = is_object ? parse_json(text, path) : JsonValue();
      if (!begins_with(text_at(all, "schema"), "equipoise.results/")) {
        throw InputError(path,
                         fmt::format("this is neither results nor a run nor a trace; {}", wanted));
      }
      expect_schema(text_at(all, "schema"), "equipoise.results/1", path);
      add_results(text, path);
    }
  }

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
    if (!traces_.insert(named).second) return;
    const std::string beside = (fs::path(folder) / fs::path(named).filename()).string();
    for (const std::string& path : {named, beside}) {
      if (!fs::is_regular_file(path)) continue;
      try {
        page.traces.push_back(read_trace(path, nullptr));
        return;
      } catch (const InputError&) {  // a trace that was changed since does not spoil the page
      }
    }
    page.notes.push_back(fmt::format(
        "The trace {} cannot be read from here, so the times of its units are not shown.", named));
  }

  std::uintmax_t bytes_left_;
  std::set<std::string> runs_;
  std::set<std::string> traces_;
};

std::string title_of(const PageContents& page, const std::vector<std::string>& paths) {
  if (paths.size() > 1) return fmt::format("{} and {} more", paths.front(), paths.size() - 1);
  if (page.results.size() > 1) return "Comparisons in " + paths.front();
  return page.results.empty() ? paths.front() : "Comparison of policies";
}

}  // namespace

PageContents contents_of(const std::vector<std::string>& paths) {
  Contents contents(~std::uintmax_t{0});
  for (const std::string& path : paths) contents.add(path);
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
