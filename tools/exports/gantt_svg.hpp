// Runs as a Gantt chart, a picture in SVG.
#pragma once

#include <string>

#include "tools/exports/svg_drawing.hpp"
#include "traces/run_file.hpp"

namespace equipoise {

/// "1.17 s, 1.048 times the lower bound of 1.12 s"; of an interrupted run, how far it came.
[[nodiscard]] std::string length_text(const RunFile& file);

/// A Gantt chart of runs below one another, on one axis of time. A row is a unit or, if there are
/// many, some alike. Where stages of a unit overlap, copies in are in the upper quarter of its row,
/// copies out in the lower. Blocks shorter than two pixels are not drawn one by one: the height of
/// each activity is its share of the time of two pixels. Memory does not grow with the number of
/// blocks.
class GanttSvg {
 public:
  /// `end`: of the longest run, at the end of the axis.
  explicit GanttSvg(Seconds end);

  /// Draws a run below those before.
  void add(const RunFile& file);
  /// The whole picture, with axis and legend.
  [[nodiscard]] std::string text();

 private:
  SvgDrawing svg_;
  TimeAxis axis_;
  double y_ = 14.0;         ///< where the next run goes
  std::vector<bool> seen_;  ///< (looks) what the legend has to explain
  std::string titles_;
};

}  // namespace equipoise
