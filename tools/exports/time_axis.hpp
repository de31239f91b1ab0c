// The axis of seconds under a picture.
#pragma once

#include <string>
#include <vector>

#include "tools/exports/svg_drawing.hpp"

namespace equipoise {

/// Seconds along the width of a picture.
struct TimeAxis {
  double left = 0.0;   ///< where 0 s is, in pixels
  double width = 0.0;  ///< of the axis, in pixels
  double end_s = 1.0;  ///< at its right end

  [[nodiscard]] double at(double seconds) const { return left + width * seconds / end_s; }
};

/// Round numbers of seconds from 0 to `end_s`, at most ten.
[[nodiscard]] std::vector<double> round_times(double end_s);

/// `seconds` in the unit of `end_s`: "0.5 s", "20 ms", "3 us".
[[nodiscard]] std::string time_text(double seconds, double end_s, int digits);

/// Draws fine lines from `top` to `bottom` at round times, and the times below.
void draw_axis(SvgDrawing& svg, const TimeAxis& axis, double top, double bottom);
/// The CSS of it.
extern const char* const axis_style;

}  // namespace equipoise
