// Chooses round times and names them.
#include "tools/exports/time_axis.hpp"

#include <fmt/format.h>

#include <cmath>

#include "tools/console/quantity_text.hpp"
#include "tools/console/text_table.hpp"

namespace equipoise {

const char* const axis_style = ".grid{stroke:#e3e6ea}";

std::vector<double> round_times(double end_s) {
  if (!(end_s > 0.0)) return {0.0};
  const double magnitude = std::pow(10.0, std::floor(std::log10(end_s)) - 1.0);
  double step = magnitude;
  for (const double factor : {1.0, 2.0, 5.0, 10.0, 20.0, 50.0}) {
    step = factor * magnitude;
    if (end_s / step <= 10.0) break;
  }
  std::vector<double> times;
  for (int i = 0; i * step <= end_s * (1.0 + 1e-9); ++i) times.push_back(i * step);
  return times;
}

std::string time_text(double seconds, double end_s, int digits) {
  if (seconds == 0.0) return "0 s";
  if (end_s >= 1.0) return significant(seconds, digits) + " s";
  if (end_s >= 1e-3) return significant(seconds * 1e3, digits) + " ms";
  return significant(seconds * 1e6, digits) + " us";
}

void draw_axis(SvgDrawing& svg, const TimeAxis& axis, double top, double bottom) {
  for (const double time : round_times(axis.end_s)) {
    const double x = axis.at(time);
    svg.line(x, top, x, bottom, "grid");
    std::string text = time_text(time, axis.end_s, 6);
    const std::size_t unit = text.find(' ');
    std::string number = text.substr(0, unit);
    if (number.find('.') != std::string::npos) {
      number.erase(number.find_last_not_of('0') + 1);
      if (number.back() == '.') number.pop_back();
    }
    svg.text(x, bottom + 14.0, number + text.substr(unit), "small middle");
  }
}

}  // namespace equipoise
