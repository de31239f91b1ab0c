// Draws bars, intervals and the lower bound.
#include "tools/exports/formats.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "shared_policies/model/failure.hpp"
#include "tools/console/quantity_text.hpp"
#include "tools/console/text_table.hpp"
#include "tools/exports/svg_drawing.hpp"
#include "tools/report/colours.hpp"

namespace equipoise {
namespace {

constexpr double comparison_width = 960.0;
constexpr double bar_height = 24.0;
constexpr double text_columns = 280.0;  ///< right of the bars
constexpr double longest_bar = 4.0;     ///< times the shortest
constexpr double most_makespan_s = std::numeric_limits<double>::max();

/// The CSS. Bars have the colour of computing.
std::string comparison_style() {
  return fmt::format(".bar{{fill:{}}}.knowing{{fill:{}}}", colour_of(Activity::compute).light,
                     colour_of(Activity::compute_train).light) +
         ".interval{stroke:#24292f;stroke-width:1.5;fill:none}" +
         fmt::format(
             ".bound{{stroke:{0};stroke-width:1.5;stroke-dasharray:5 3}}"
             ".bound-text{{fill:{0}}}",
             bound_colour.light) +
         ".cut{stroke:#fff;stroke-width:2;fill:none}";
}

/// One bar.
struct Bar {
  std::string name;
  double mean_s = 0.0;
  double low_s = 0.0;
  double high_s = 0.0;
  std::int64_t reps = 0;
  bool knows = false;  ///< informed, or an oracle
};

/// The bars of one results.json.
struct Panel {
  std::string title;
  std::optional<double> bound_s;
  std::vector<Bar> bars;
};

bool is_set(const JsonObject& object, const std::string& name) {
  return object.find(name) != nullptr && object.flag(name);
}

Bar bar_of(const JsonObject& result, const std::string& file) {
  const JsonObject makespan(result.at("makespan_s"), file, "a makespan");
  const std::vector<JsonValue>& ci95 = makespan.list("ci95");
  if (ci95.size() != 2) {
    throw InputError(makespan.where(), "'ci95' holds two numbers; make the file again");
  }
  Bar bar;
  bar.name = fmt::format("{} ({})", result.text("spelling"), result.text("on"));
  bar.mean_s = makespan.number("mean", 0.0, most_makespan_s);
  bar.low_s = std::max(0.0, ci95[0].number);
  bar.high_s = ci95[1].number;
  bar.reps = static_cast<std::int64_t>(result.number("reps", 1.0, 1e6));
  bar.knows = is_set(result, "informed") || is_set(result, "oracle");
  return bar;
}

Panel panel_of(const ResultsDocument& document) {
  const JsonObject top(document.value, document.file, "a results.json");
  Panel panel;
  if (top.find("lower_bound_s") != nullptr)
    panel.bound_s = top.number("lower_bound_s", 0.0, most_makespan_s);
  for (const JsonValue& value : top.list("results")) {
    panel.bars.push_back(bar_of(JsonObject(value, document.file, "a result"), document.file));
  }
  if (panel.bars.empty()) {
    throw InputError(document.file, "there is no result in it to draw; give another file");
  }
  std::string workloads;
  const JsonObject experiment(top.at("experiment"), document.file, "an experiment");
  for (const JsonValue& workload : experiment.list("workloads")) {
    workloads += (workloads.empty() ? "" : ", then ") + workload.text;
  }
  panel.title = fmt::format("{}: mean makespan of {}", workloads,
                            counted(static_cast<std::uint64_t>(panel.bars.front().reps), "run"));
  return panel;
}

/// The largest time on a panel's axis.
double axis_end(const Panel& panel) {
  double shortest = most_makespan_s;
  double longest = panel.bound_s.value_or(0.0);
  for (const Bar& bar : panel.bars) {
    shortest = std::min(shortest, bar.mean_s);
    longest = std::max(longest, bar.high_s);
  }
  const double cut = std::max(longest_bar * shortest, 1.1 * panel.bound_s.value_or(0.0));
  return std::max(std::min(longest, cut), 1e-12);
}

void draw_bar(SvgDrawing& svg, const TimeAxis& axis, const Bar& bar, const Panel& panel, double y) {
  svg.text(axis.left - 8.0, y + 15.5, bar.name, "end");
  const double end = axis.at(std::min(bar.mean_s, axis.end_s));
  svg.rect(axis.left, y + 4.0, end - axis.left, bar_height - 8.0, bar.knows ? "knowing" : "bar");
  const double middle = y + bar_height / 2.0;
  if (bar.mean_s > axis.end_s) {
    svg.path(fmt::format("M{} {}l-6 18m10 0l6 -18", svg_number(end - 22.0), svg_number(y + 3.0)),
             "cut");
  } else if (bar.high_s > bar.low_s) {
    const double low = axis.at(bar.low_s);
    const double high = axis.at(std::min(bar.high_s, axis.end_s));
    svg.path(fmt::format("M{0} {1}v8m0 -4H{2}m0 -4v8", svg_number(low), svg_number(middle - 4.0),
                         svg_number(high)),
             "interval");
  }
  std::string text = time_text(bar.mean_s, bar.mean_s, 4);
  if (bar.reps > 1) {
    const std::string half = time_text(bar.high_s - bar.mean_s, bar.mean_s, 2);
    text.insert(text.find(' '), " ± " + half.substr(0, half.find(' ')));
  }
  const double right = axis.left + axis.width;
  svg.text(right + 12.0, y + 15.5, text, "");
  if (panel.bound_s && *panel.bound_s > 0.0) {
    svg.text(right + text_columns - 20.0, y + 15.5,
             significant(bar.mean_s / *panel.bound_s, 4) + " times bound", "small end");
  }
}

}  // namespace

std::string comparison_svg(const std::vector<ResultsDocument>& documents) {
  std::vector<Panel> panels;
  double label_width = 0.0;
  for (const ResultsDocument& document : documents) {
    panels.push_back(panel_of(document));
    for (const Bar& bar : panels.back().bars) {
      label_width = std::max(label_width, text_width(bar.name, 12.0));
    }
  }
  SvgDrawing svg(comparison_width);
  double y = 14.0;
  std::string title;
  bool any_knows = false;
  for (const Panel& panel : panels) {
    title += (title.empty() ? "" : "; ") + panel.title;
    svg.text(14.0, y + 12.0, panel.title, "bold");
    const double left = std::min(label_width, 330.0) + 24.0;
    const TimeAxis axis{left, comparison_width - left - text_columns, axis_end(panel)};
    const double top = y + (panel.bound_s ? 40.0 : 24.0);
    const double bottom = top + bar_height * static_cast<double>(panel.bars.size());
    draw_axis(svg, axis, top, bottom);
    for (std::size_t i = 0; i < panel.bars.size(); ++i) {
      draw_bar(svg, axis, panel.bars[i], panel, top + bar_height * static_cast<double>(i));
      any_knows = any_knows || panel.bars[i].knows;
    }
    if (panel.bound_s) {
      const double x = axis.at(*panel.bound_s);
      svg.line(x, top - 4.0, x, bottom, "bound");
      svg.text(x, top - 8.0, "lower bound " + time_text(*panel.bound_s, *panel.bound_s, 4),
               "small bound-text middle");
    }
    y = bottom + 32.0;
  }
  if (any_knows) {
    svg.rect(14.0, y - 2.0, 12.0, 10.0, "knowing");
    svg.text(32.0, y + 7.0, "knows block times from before the run", "small");
    y += 22.0;
  }
  return svg.whole(y, title, std::string(axis_style) + comparison_style());
}

}  // namespace equipoise
