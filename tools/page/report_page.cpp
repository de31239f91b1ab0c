// Puts a report page together.
#include "tools/page/report_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "shared_policies/machine/block_timing.hpp"
#include "shared_policies/model/failure.hpp"
#include "shared_policies/text/printable_text.hpp"
#include "tools/page/page_bundle.hpp"
#include "tools/page/page_html.hpp"
#include "tools/page/results_page.hpp"
#include "tools/page/runs_page.hpp"
#include "tools/runs/content_hash.hpp"
#include "tools/runs/version.hpp"
#include "traces/json_record.hpp"

namespace equipoise {
namespace {

/// The blocks of all runs on a page may take so much; the rest of a page needs less than 1 MB.
constexpr std::size_t most_run_bytes = 8'800'000;
/// A page shows so many comparisons one by one; of more, only what they have in common.
constexpr std::size_t most_single_results = 8;

/// Data in a script element. `json` cannot end the element, because "<" is escaped.
std::string data_element(const char* kind, const std::string& name, const std::string& json) {
  std::string html =
      fmt::format("<script type=\"application/json\" data-kind=\"{}\" data-name=\"{}\">", kind,
                  markup_escaped(name));
  html.reserve(html.size() + json.size() + 16);
  for (const char c : json) {
    if (c == '<') {
      html += "\\u003c";
    } else {
      html += c;
    }
  }
  return html + "</script>\n";
}

/// A part of the page in which charts are put; hidden until there are some, unless it has `html`.
std::string section(const std::string& heading, const char* charts, const std::string& html) {
  return fmt::format("<section data-charts=\"{}\"{}><h2>{}</h2>\n{}</section>\n", charts,
                     html.empty() ? " hidden" : "", heading, html);
}

/// `runs`: the sections of its runs, or of all if it is the only one.
std::string results_article(const PageResults& results, const JsonValue& read, bool is_only,
                            const std::string& runs) {
  std::string html = "<article>\n";
  if (!is_only) html += fmt::format("<h2>{}</h2>\n", markup_escaped(results.name));
  html += "<section class=\"answer\" aria-label=\"Answer\">\n" + answer_html(read) + "</section>\n";
  html += section("All numbers", "numbers", numbers_html(read));
  html += section("Predicted and measured", "prediction", predictions_html(read));
  html += section("Speed and distance from the bound", "charts", {});
  html += section("Losses", "loss", losses_html(read));
  html += section("Energy", "energy", energy_html(read));
  html += runs + section("How to repeat it", "repeat", repeat_html(read));
  return html + data_element("results", results.name, results.text) + "</article>\n";
}

/// What the chart over several comparisons needs of each.
Json experiment_json(const PageResults& results, const JsonValue& read) {
  Json policies = Json::object();
  if (const JsonValue* const all = member(read, "results")) {
    for (const JsonValue& r : all->list) {
      const JsonValue* const ci = member(r, "makespan_s.ci95");
      if (ci == nullptr || ci->list.size() != 2) continue;
      const std::string name = text_at(r, "spelling");
      if (policies.contains(name)) continue;
      policies[name] = Json::array({number_at(r, "makespan_s.mean", 0.0),
                                    std::max(0.0, ci->list[0].number), ci->list[1].number});
    }
  }
  const auto number = [&](const char* name) {
    const JsonValue* const value = member(read, name);
    return value == nullptr ? Json() : Json(value->number);
  };
  return {{"name", results.name},
          {"workloads", texts_at(read, "experiment.workloads")},
          {"platform", text_at(read, "experiment.sim.platform")},
          {"scenario", text_at(read, "experiment.sim.scenario")},
          {"decision_cost", text_at(read, "experiment.decision_cost")},
          {"baseline", text_at(read, "experiment.baseline")},
          {"lower_bound_s", number("lower_bound_s")},
          {"best_known_s", number("best_known_s")},
          {"results", std::move(policies)}};
}

/// The answers of several comparisons, a row each.
std::string answers_html(const std::vector<PageResults>& all, const std::vector<JsonValue>& read) {
  PageTable table;
  table.caption =
      "The fastest policy of each, of those that know nothing beforehand where there are such.";
  table.headings = headings_of_short_answers();
  table.headings.insert(table.headings.begin(), "comparison");
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::string name = markup_escaped(all[i].name);
    std::vector<PageCell>& row = table.rows.emplace_back();
    const std::string& link = all[i].link;
    row.push_back(
        {link.empty() ? name : fmt::format("<a href=\"{}\">{}</a>", markup_escaped(link), name),
         {},
         true});
    for (PageCell& cell : short_answer(read[i])) row.push_back(std::move(cell));
  }
  return table_html(table);
}

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
    points.push_back(Json::array({items, timing.mean(items).value}));
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
  html += facts_html(run.header);
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

std::string scripts() {
  if (page_script().empty()) return {};
  std::string html =
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

}  // namespace

std::string report_page(const PageContents& contents) {
  std::string html = head(contents.title) + "<main>\n";
  if (page_script().empty()) {
    html +=
        "<p class=\"muted\">This page has no charts, because this equipoise was built without "
        "npm.</p>\n";
  }
  html += contents.summary;
  std::vector<JsonValue> read;
  Json experiments = Json::array();
  for (const PageResults& results : contents.results) {
    read.push_back(parse_json(results.text, results.name));
    expect_schema(text_at(read.back(), "schema"), "equipoise.results/1", results.name);
    experiments.push_back(experiment_json(results, read.back()));
  }
  if (experiments.size() > 1) {
    html += section("All comparisons", "sweep", answers_html(contents.results, read)) +
            data_element("sweep", "", line_of({{"experiments", std::move(experiments)}}));
  }
  const std::string runs = runs_and_timings(contents);
  const bool is_only = read.size() == 1;
  if (read.size() <= most_single_results) {
    for (std::size_t i = 0; i < read.size(); ++i) {
      html += results_article(contents.results[i], read[i], is_only, is_only ? runs : "");
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
