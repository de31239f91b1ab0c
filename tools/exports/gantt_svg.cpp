// Draws rows of blocks, marks, the lower bound, and the legend.
#include "tools/exports/gantt_svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <set>
#include <vector>

#include "tools/console/quantity_text.hpp"
#include "tools/console/text_table.hpp"
#include "tools/exports/run_marks.hpp"
#include "tools/report/colours.hpp"

namespace equipoise {
namespace {

constexpr double gantt_width = 960.0;
constexpr double label_width = 116.0;
constexpr std::size_t most_gantt_rows = 40;
constexpr double shortest_block = 2.0;  ///< in pixels; shorter ones are added up

/// What is drawn, with its place in the legend.
struct Looks {
  const char* name;  ///< the CSS class
  const char* meaning;
};
constexpr std::array gantt_looks{Looks{"setup", "setup"},
                                 Looks{"in", "copy in"},
                                 Looks{"compute", "computing"},
                                 Looks{"train", "computing, training block"},
                                 Looks{"out", "copy out"},
                                 Looks{"lost", "lost block"},
                                 Looks{"unfinished", "unfinished block"},
                                 Looks{"redone", "taken back or done twice"},
                                 Looks{"absent", "unit absent"},
                                 Looks{"bound", "lower bound"},
                                 Looks{"decision", "decision"},
                                 Looks{"trouble", "disturbance or loss"},
                                 Looks{"dropped", "work dropped"}};
constexpr std::size_t drawn_activities = 9;
constexpr std::size_t redone_looks = 7;
constexpr std::size_t bound_looks = 9;
constexpr std::size_t decision_looks = 10;
constexpr std::size_t trouble_looks = 11;
constexpr std::size_t dropped_looks = 12;

/// The CSS of all looks.
std::string gantt_style() {
  std::string style = ".row{fill:#f1f3f5}";
  for (std::size_t i = 0; i < drawn_activities; ++i) {
    style += fmt::format(".{}{{fill:{}}}", gantt_looks[i].name,
                         i == redone_looks ? "url(#hatching)" : activity_colours[i].light);
  }
  return style +
         fmt::format(".bound{{stroke:{};stroke-width:1.5;stroke-dasharray:5 3;fill:none}}",
                     bound_colour.light) +
         ".end-of-run{stroke:#24292f}.decision{fill:#24292f}" +
         fmt::format(".trouble{{fill:{};stroke:#fff}}.dropped{{fill:{};stroke:#fff}}",
                     colour_of(Activity::lost).light, hatching_colour) +
         ".iteration{stroke:#8b949e;stroke-dasharray:1 3}";
}

/// The number of an activity's looks; waiting is not drawn.
std::optional<std::size_t> looks_of(Activity activity) {
  const auto number = static_cast<std::size_t>(activity);
  return number < drawn_activities ? std::optional(number) : std::nullopt;
}

/// A row of the picture: its band for each lane.
struct Band {
  double y = 0.0;
  double height = 0.0;
};
struct RowPlace {
  std::array<Band, lane_count> bands;
};

/// The rows of one run, and the paths of what its units did.
class RunRows {
 public:
  RunRows(const RunFile& file, const TimeAxis& axis, double top)
      : rows_(unit_rows(file.run.units, most_gantt_rows)),
        axis_(axis),
        row_height_(rows_.size() <= 8    ? 22.0
                    : rows_.size() <= 20 ? 17.0
                                         : 13.0),
        grid_(rows_, static_cast<std::size_t>(axis.width / shortest_block), {axis.end_s}) {
    const std::vector<bool> overlap = overlaps(file);
    for (std::size_t row = 0; row < rows_.size(); ++row) {
      const double y = top + row_height_ * static_cast<double>(row);
      const double height = row_height_ - 3.0;
      bool has_lanes = false;
      for (std::size_t unit = 0; unit < rows_[row].count; ++unit) {
        has_lanes = has_lanes || overlap[rows_[row].first + unit];
      }
      const double quarter = has_lanes ? height / 4.0 : 0.0;
      const Band whole{y, height};
      const Band middle{y + quarter, height - 2.0 * quarter};
      places_.push_back(
          {has_lanes ? std::array{Band{y, quarter}, middle, Band{y + height - quarter, quarter}}
                     : std::array{whole, whole, whole}});
    }
    for_each_span(file, [this](const UnitSpan& span) { take(span); });
    add_short_blocks();
  }

  void draw(SvgDrawing& svg, std::vector<bool>& seen) const {
    for (std::size_t row = 0; row < rows_.size(); ++row) {
      const double y = y_of(row);
      std::string name = rows_[row].name;
      if (name.size() > 18) name = name.substr(0, 8) + "..." + name.substr(name.size() - 7);
      svg.text(axis_.left - 8.0, y + row_height_ / 2.0 + 2.5, name, "small end");
      svg.rect(axis_.left, y, axis_.width, row_height_ - 3.0, "row");
    }
    for (std::size_t i = 0; i < drawn_activities; ++i) {
      if (paths_[i].empty()) continue;
      svg.path(paths_[i], gantt_looks[i].name);
      seen[i] = true;
    }
  }

  [[nodiscard]] double height() const { return row_height_ * static_cast<double>(rows_.size()); }
  [[nodiscard]] double middle_of(UnitId unit) const {
    return y_of(grid_.row_of(unit)) + row_height_ / 2.0 - 1.5;
  }

 private:
  [[nodiscard]] double y_of(std::size_t row) const {
    return places_.front().bands[0].y + row_height_ * static_cast<double>(row);
  }

  void take(const UnitSpan& span) {
    const auto number = looks_of(span.activity);
    if (!number) return;
    const double x = axis_.at(span.begin.value);
    const double width = std::min(axis_.at(span.end.value), axis_.left + axis_.width) - x;
    const std::size_t row = grid_.row_of(span.unit);
    if (rows_[row].count > 1 || width < shortest_block) return grid_.add(span);
    const Band& band = places_[row].bands[static_cast<std::size_t>(lane_of(span.activity))];
    paths_[*number] += svg_box(x, band.y, width > 4.0 ? width - 0.6 : width, band.height);
  }

  void add_short_blocks() {
    for (std::size_t row = 0; row < rows_.size(); ++row) {
      const bool has_lanes = places_[row].bands[0].height < places_[row].bands[1].height;
      std::vector<std::vector<Activity>> stacks(1);
      for (std::size_t i = 0; i < drawn_activities; ++i) {
        const auto activity = static_cast<Activity>(i);
        const auto lane = static_cast<std::size_t>(lane_of(activity));
        if (has_lanes) stacks.resize(lane_count);
        stacks[has_lanes ? lane : 0].push_back(activity);
      }
      for (const std::vector<Activity>& stack : stacks) add_stack(row, stack);
    }
  }

  /// Adds the short blocks of a row, with the activities of `stack` on top of one another.
  void add_stack(std::size_t row, const std::vector<Activity>& stack) {
    const Band& band = places_[row].bands[static_cast<std::size_t>(lane_of(stack.front()))];
    std::vector<std::array<int, 2>> begun(stack.size());  // from and height, in eighths of the band
    std::vector<std::size_t> since(stack.size());
    const auto close = [&](std::size_t i, std::size_t column) {
      if (begun[i][1] > 0) {
        const double eighth = band.height / 8.0;
        paths_[*looks_of(stack[i])] +=
            svg_box(axis_.left + shortest_block * static_cast<double>(since[i]),
                    band.y + band.height - eighth * (begun[i][0] + begun[i][1]),
                    shortest_block * static_cast<double>(column - since[i]), eighth * begun[i][1]);
      }
    };
    for (std::size_t column = 0; column <= grid_.columns(); ++column) {
      double sum = 0.0;
      for (std::size_t i = 0; i < stack.size(); ++i) {
        const double from = sum;
        if (column < grid_.columns()) sum += grid_.share(row, column, stack[i]);
        const int low = static_cast<int>(std::lround(8.0 * std::min(from, 1.0)));
        const int high = static_cast<int>(std::lround(8.0 * std::min(sum, 1.0)));
        const std::array<int, 2> now = {low, high - low};
        if (now == begun[i]) continue;
        close(i, column);
        begun[i] = now;
        since[i] = column;
      }
    }
  }

  std::vector<UnitRow> rows_;
  TimeAxis axis_;
  double row_height_;
  TimeGrid grid_;  ///< short blocks, and those of rows with several units
  std::vector<RowPlace> places_;
  std::array<std::string, drawn_activities> paths_;
};

/// The mark with these looks: a triangle that points down at (x, y), or a diamond around it.
std::string mark_path(std::size_t looks, double x, double y) {
  if (looks == decision_looks) {
    return fmt::format("M{} {}l-4 -7h8z", svg_number(x), svg_number(y));
  }
  const double half = looks == dropped_looks ? 3.0 : 5.0;
  return fmt::format("M{} {}l{} {}l-{} {}l-{} -{}z", svg_number(x), svg_number(y - half), half,
                     half, half, half, half, half);
}

/// The looks of a mark; none: it is a line, or not drawn.
std::optional<std::size_t> looks_of(MarkKind kind) {
  switch (kind) {
    case MarkKind::decision:
      return decision_looks;
    case MarkKind::trouble:
      return trouble_looks;
    case MarkKind::dropped:
      return dropped_looks;
    case MarkKind::iteration:
    case MarkKind::other:
      break;
  }
  return std::nullopt;
}

/// Draws what happened; marks of one kind at the same pixel once.
void draw_marks(SvgDrawing& svg, const RunFile& file, const TimeAxis& axis, const RunRows& rows,
                double top, std::vector<bool>& seen) {
  std::set<std::array<long, 3>> drawn;
  bool is_first_iteration = true;
  for (const RunMark& mark : marks_of(file)) {
    const double x = axis.at(std::min(mark.at.value, axis.end_s));
    const std::optional<std::size_t> looks = looks_of(mark.kind);
    const bool is_iteration = mark.kind == MarkKind::iteration;
    if (!looks && !is_iteration) continue;
    const bool is_in_row = mark.unit && looks > decision_looks;
    const double y = is_in_row ? rows.middle_of(*mark.unit) : top - 3.0;
    const auto kind = static_cast<long>(mark.kind);
    if (!drawn.insert({std::lround(x), std::lround(y), kind}).second) continue;
    const std::string title =
        fmt::format("{} at {} s{}{}", mark.what, significant(mark.at.value, 6),
                    mark.details.empty() ? "" : ": ", mark.details);
    if (is_iteration) {
      if (!is_first_iteration) svg.line(x, top, x, top + rows.height() - 3.0, "iteration");
      is_first_iteration = false;
      continue;
    }
    const bool is_above = *looks > decision_looks && !mark.unit;
    svg.path(mark_path(*looks, x, is_above ? y - 3.0 : y), gantt_looks[*looks].name, title);
    seen[*looks] = true;
  }
}

}  // namespace

std::string length_text(const RunFile& file) {
  const Seconds end = end_of_run(file);
  if (!file.summary) {
    return fmt::format("interrupted; recorded up to {}", time_text(end.value, end.value, 4));
  }
  std::string text = time_text(end.value, end.value, 4);
  if (!file.summary->complete) text += ", ended before all work was done";
  const auto& bound = file.summary->lower_bound;
  if (bound && bound->value > 0.0) {
    text += fmt::format(", {} times the lower bound of {}", significant(end / *bound, 4),
                        time_text(bound->value, bound->value, 4));
  }
  return text;
}

GanttSvg::GanttSvg(Seconds end)
    : svg_(gantt_width),
      axis_{label_width, gantt_width - label_width - 28.0, end > Seconds{} ? end.value : 1.0},
      seen_(gantt_looks.size()) {}

void GanttSvg::add(const RunFile& file) {
  const std::string name = fmt::format("{} ({})", file.header.spelling, file.header.on);
  titles_ += fmt::format("{}{}: {}", titles_.empty() ? "" : "; ", name, length_text(file));
  svg_.text(14.0, y_ + 12.0, name, "bold");
  svg_.text(14.0 + text_width(name, 12.0) + 18.0, y_ + 12.0, length_text(file), "");
  const double top = y_ + 32.0;
  const RunRows rows(file, axis_, top);
  const double bottom = top + rows.height() - 3.0;
  rows.draw(svg_, seen_);
  const double end = axis_.at(std::min(end_of_run(file).value, axis_.end_s));
  svg_.line(end, top - 2.0, end, bottom + 2.0, "end-of-run");
  if (file.summary && file.summary->lower_bound &&
      file.summary->lower_bound->value <= axis_.end_s) {
    const double x = axis_.at(file.summary->lower_bound->value);
    svg_.line(x, top - 6.0, x, bottom + 4.0, "bound");
    seen_[bound_looks] = true;
  }
  draw_marks(svg_, file, axis_, rows, top, seen_);
  y_ = bottom + 16.0;
}

std::string GanttSvg::text() {
  draw_axis(svg_, axis_, y_ - 10.0, y_ - 5.0);
  double x = axis_.left;
  double y = y_ + 30.0;
  for (std::size_t i = 0; i < gantt_looks.size(); ++i) {
    if (!seen_[i]) continue;
    const double width = 18.0 + text_width(gantt_looks[i].meaning, 11.0) + 14.0;
    if (x + width > gantt_width - 10.0) {
      x = axis_.left;
      y += 18.0;
    }
    if (i == bound_looks) {
      svg_.line(x, y - 4.0, x + 13.0, y - 4.0, "bound");
    } else if (i > bound_looks) {
      svg_.path(mark_path(i, x + 6.0, i == decision_looks ? y : y - 4.0), gantt_looks[i].name);
    } else {
      svg_.rect(x, y - 9.0, 12.0, 10.0, gantt_looks[i].name);
    }
    svg_.text(x + 18.0, y, gantt_looks[i].meaning, "small");
    x += width;
  }
  if (seen_[redone_looks]) {
    svg_.hatching("hatching", colour_of(Activity::redone).light, hatching_colour);
  }
  return svg_.whole(y + 14.0, titles_, std::string(axis_style) + gantt_style());
}

}  // namespace equipoise
