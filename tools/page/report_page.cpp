// Finds the files of a page, and puts it together.
#include "tools/page/report_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "shared_policies/machine/block_timing.hpp"
#include "shared_policies/model/failure.hpp"
#include "shared_policies/text/printable_text.hpp"
#include "tools/page/page_html.hpp"
#include "tools/page/results_page.hpp"
#include "tools/page/runs_page.hpp"
#include "tools/report/colours.hpp"
#include "tools/report/report_inputs.hpp"
#include "tools/runs/content_hash.hpp"
#include "tools/runs/version.hpp"
#include "traces/files/input_file.hpp"
#include "traces/json_record.hpp"
#include "traces/trace_file.hpp"

namespace equipoise {
namespace {

namespace fs = std::filesystem;

/// The blocks of all runs on a page may take so much; the rest of a page needs less than 1 MB.
constexpr std::size_t most_run_bytes = 8'800'000;
/// A page shows so many comparisons one by one; of more, only what they have in common.
constexpr std::size_t most_single_results = 8;

/// The data of the runs, as many as there is room for with single blocks, the smallest first.
std::string run_elements(const std::vector<PageRun>& runs, const std::vector<std::string>& names) {
  std::vector<std::size_t> order(runs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::less<>(),
                           [&](std::size_t i) { return runs[i].with_blocks.size(); });
  std::vector<bool> has_blocks(runs.size());
  std::size_t bytes = 0;
  for (const std::size_t i : order) {
    bytes += runs[i].with_blocks.size();
    has_blocks[i] = bytes <= most_run_bytes;
  }
  std::string html;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    html +=
        data_element("run", names[i], has_blocks[i] ? runs[i].with_blocks : runs[i].with_shares);
  }
  return html;
}

/// A curve has so many points besides the recorded sizes.
constexpr int curve_points = 80;
/// More samples of a unit than this are thinned out.
constexpr std::size_t most_samples = 400;

Json curve_json(const BlockTiming& timing) {
  const double low = timing.sizes().front() / 4.0;
  const double high = timing.sizes().back() * 4.0;
  std::vector<double> sizes = timing.sizes();
  for (int i = 0; i <= curve_points; ++i) {
    sizes.push_back(low * std::pow(high / low, static_cast<double>(i) / curve_points));
  }
  std::ranges::sort(sizes);
  Json points = Json::array();
  for (const double items : sizes) {
    points.push_back(Json::array({items, timing.mean_computing(items).value}));
  }
  return points;
}

Json samples_json(const Trace& trace, std::uint32_t unit) {
  Json samples = Json::array();
  std::size_t count = 0;
  for (const TraceSample& s : trace.samples) count += s.unit == unit && !s.is_outlier ? 1 : 0;
  const std::size_t step = count / most_samples + 1;
  std::size_t at = 0;
  for (const TraceSample& s : trace.samples) {
    if (s.unit != unit || s.is_outlier || at++ % step != 0) continue;
    samples.push_back(Json::array({s.items, s.compute_mean_s, json_of(s.compute_sd_s), s.count}));
  }
  return samples;
}

/// A JSON object: `kernel`, `item`, and for each unit with samples its `id`, the recorded range of
/// sizes (`recorded`), the samples (items, seconds, their deviation or null, how many they are),
/// and `curve`, the mean times (items, seconds) of which simulations take those of blocks: at the
/// recorded sizes, between them, and to a quarter of the smallest and four times the largest.
Json timing_data(const Trace& trace) {
  Json units = Json::array();
  for (std::uint32_t i = 0; i < trace.units.size(); ++i) {
    if (!has_samples(trace, i)) continue;
    const BlockTiming timing(trace, i);
    const std::vector<double>& sizes = timing.sizes();
    units.push_back({{"id", trace.units[i].name},
                     {"recorded", Json::array({sizes.front(), sizes.back()})},
                     {"samples", samples_json(trace, i)},
                     {"curve", curve_json(timing)}});
  }
  return {{"kernel", trace.kernel}, {"item", trace.item}, {"units", std::move(units)}};
}

/// How the first of the runs without results was made.
std::string repeat_run_html(const PageContents& contents, const PageRun& run) {
  std::string html;
  if (contents.environment) {
    html += command_html(contents.environment->command);
    html += fmt::format("<dl><dt>date</dt><dd>{}</dd></dl>\n",
                        markup_escaped(contents.environment->date));
  }
  html += facts_html(run.header, "costs");  // a chart
  if (contents.inputs.empty()) return html;
  PageTable table;
  table.caption = "The inputs as they are now, when this page is made.";
  table.headings = {"file", "hash"};
  for (const std::string& file : contents.inputs) {
    table.rows.push_back({{markup_escaped(file), {}, true}, {hash_of_file(file), {}, true}});
  }
  return html + table_html(table);
}

std::string runs_and_timings(const PageContents& contents) {
  std::vector<PageRun> runs;
  for (const std::string& path : contents.run_files) runs.push_back(read_page_run(path));
  std::string html;
  html += section("Schedules", "schedule", runs.empty() ? std::string() : runs_html(runs));
  if (contents.results.empty() && !runs.empty()) {
    html += section("How to repeat it", "repeat", repeat_run_html(contents, runs.front()));
  }
  html += section("What the simulation knows of the units", "timing", {});
  html += run_elements(runs, contents.run_files);
  for (const Trace& trace : contents.traces) {
    html += data_element("timing", trace.kernel, line_of(timing_data(trace)));
  }
  return html;
}

/// An object for the script: colours on light and on dark paper, of activities and of the bound.
Json colours_json() {
  const auto both = [](const Colour& colour) {
    return Json{{"light", colour.light}, {"dark", colour.dark}};
  };
  Json activities = Json::object();
  for (std::size_t i = 0; i < activity_count; ++i) {
    activities[to_string(static_cast<Activity>(i))] = both(activity_colours[i]);
  }
  return {{"activities", std::move(activities)},
          {"hatching", hatching_colour},
          {"bound", both(bound_colour)}};
}

std::string scripts() {
  if (page_script().empty()) return {};
  std::string html = data_element("colours", "", line_of(colours_json()));
  html +=
      "<noscript><p>Charts are drawn by a script, which this browser does not "
      "run.</p></noscript>\n";
  html += "<script type=\"text/plain\" id=\"packed\">";
  html += page_script();
  html +=
      "</script>\n<script>\n"
      "(async () => {\n"
      "  const text = document.getElementById(\"packed\").textContent;\n"
      "  const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));\n"
      "  const stream = new Blob([bytes]).stream();\n"
      "  const unpacked = stream.pipeThrough(new DecompressionStream(\"deflate\"));\n"
      "  const script = document.createElement(\"script\");\n"
      "  script.textContent = await new Response(unpacked).text();\n"
      "  document.body.append(script);\n"
      "})();\n</script>\n";
  return html;
}

std::string head(const std::string& title) {
  std::string html =
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<link rel=\"icon\" href=\"data:,\">\n<title>Equipoise: " +
      markup_escaped(title) + "</title>\n<style>\n";
  html += page_style();
  return html + "</style></head><body>\n<header><h1>" + markup_escaped(title) + "</h1></header>\n";
}

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
      const JsonValue header = first_line_of(path);
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
      const JsonValue header = first_line_of(file);
      const bool is_run = text_at(header, "schema").starts_with("equipoise.run/");
      if (is_run && is_of(header, results)) add_run(file);
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

std::string report_page(const PageContents& contents) {
  std::string html = head(contents.title) + "<main>\n";
  if (page_script().empty()) {
    html +=
        "<p class=\"muted\">This page has no charts, because this equipoise was built without "
        "npm.</p>\n";
  }
  html += contents.summary;
  std::vector<JsonValue> read;
  for (const PageResults& results : contents.results) {
    read.push_back(parse_json(results.text, results.name));
    expect_schema(text_at(read.back(), "schema"), "equipoise.results/1", results.name);
  }
  if (read.size() > 1) html += comparisons_html(contents.results, read);
  const std::string runs = runs_and_timings(contents);
  const bool is_only = read.size() == 1;
  if (read.size() <= most_single_results) {
    for (std::size_t i = 0; i < read.size(); ++i) {
      html += comparison_html(contents.results[i], read[i], is_only, is_only ? runs : "");
    }
  }
  if (!is_only) html += "<article>\n" + runs + "</article>\n";
  for (const std::string& note : contents.notes) {
    html += "<p class=\"muted\">" + markup_escaped(note) + "</p>\n";
  }
  html += "</main>\n<footer><p class=\"muted\">" + markup_escaped(built_with_text()) +
          "</p></footer>\n" + scripts();
  return html + "</body></html>\n";
}

std::string page_numbers(const PageContents& contents) {
  Json runs = Json::array();
  for (const std::string& file : contents.run_files) {
    const PageRun run = read_page_run(file);
    runs.push_back(
        {{"file", file}, {"header", json_from(run.header)}, {"summary", json_from(run.summary)}});
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
