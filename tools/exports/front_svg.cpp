// Draws the front of time and energy: what the model says as steps, and the simulated runs.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "tools/console/quantity_text.hpp"
#include "tools/exports/formats.hpp"
#include "tools/exports/svg_drawing.hpp"
#include "tools/report/colours.hpp"

namespace equipoise {
namespace {

constexpr double front_width = 960.0;
constexpr double front_left = 90.0;
constexpr double front_right = 930.0;
constexpr double front_top = 56.0;
constexpr double front_bottom = 440.0;

std::string front_style() {
  return fmt::format(
      ".steps{{stroke:{0};stroke-width:1.5;fill:none}}.point{{fill:{0}}}"
      ".simulated{{stroke:{1};stroke-width:1.5;fill:none}}",
      colour_of(Activity::compute).light, colour_of(Activity::copy_in).light);
}

/// Values along an axis, which need not begin at 0.
struct FrontScale {
  double low = std::numeric_limits<double>::infinity();
  double high = 0.0;
  double from = 0.0;  ///< where `low` is, in pixels
  double to = 0.0;    ///< where `high` is

  void include(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
  /// A twentieth of room at both ends.
  void widen() {
    const double room = 0.05 * std::max(high - low, 0.1 * high);
    low = std::max(0.0, low - room);
    high += room;
    if (high <= low) high = low + 1.0;  // all are 0
  }
  [[nodiscard]] double at(double value) const {
    return from + (to - from) * (value - low) / (high - low);
  }
  /// Round numbers, about eight.
  [[nodiscard]] std::vector<double> round_values() const {
    const double rough = (high - low) / 8.0;
    const double magnitude = std::pow(10.0, std::floor(std::log10(rough)));
    double step = 10.0 * magnitude;
    for (const double factor : {5.0, 2.0, 1.0}) {
      if (factor * magnitude >= rough) step = factor * magnitude;
    }
    std::vector<double> values;
    for (double k = std::ceil(low / step); k * step <= high; ++k) values.push_back(k * step);
    return values;
  }
};

/// What is drawn: where both axes are.
struct FrontAxes {
  FrontScale time{.from = front_left, .to = front_right};
  FrontScale energy{.from = front_bottom, .to = front_top};

  void include(const SplitResult& result) {
    time.include(result.time_s);
    energy.include(result.energy_j);
  }
};

void draw_axes(SvgDrawing& svg, const FrontAxes& axes) {
  for (const double time_s : axes.time.round_values()) {
    const double x = axes.time.at(time_s);
    svg.line(x, front_top, x, front_bottom, "grid");
    svg.text(x, front_bottom + 16.0, quantity_text(time_s, "s", 4), "small middle");
  }
  for (const double energy_j : axes.energy.round_values()) {
    const double y = axes.energy.at(energy_j);
    svg.line(front_left, y, front_right, y, "grid");
    svg.text(front_left - 8.0, y + 4.0, quantity_text(energy_j, "J", 4), "small end");
  }
  svg.text(front_right, front_bottom + 34.0, "makespan", "small end");
  svg.text(front_left - 8.0, front_top - 10.0, "energy", "small end");
}

/// A circle of this radius.
std::string circle(double x, double y, double radius) {
  const std::string r = svg_number(radius);
  const std::string across = svg_number(2.0 * radius);
  return fmt::format("M{0} {1}a{2} {2} 0 1 0 {3} 0a{2} {2} 0 1 0 -{3} 0z", svg_number(x - radius),
                     svg_number(y), r, across);
}

std::string result_text(const SplitResult& result) {
  return quantity_text(result.time_s, "s", 4) + ", " + quantity_text(result.energy_j, "J", 4);
}

/// From each point to the next, less energy needs that point's time.
void draw_steps(SvgDrawing& svg, const FrontAxes& axes, const std::vector<SplitResult>& points) {
  std::string steps;
  for (const SplitResult& point : points) {
    const std::string x = svg_number(axes.time.at(point.time_s));
    const std::string y = svg_number(axes.energy.at(point.energy_j));
    steps += steps.empty() ? fmt::format("M{} {}", x, y) : fmt::format("H{}V{}", x, y);
  }
  svg.path(steps, "steps");
  for (const SplitResult& point : points) {
    svg.path(circle(axes.time.at(point.time_s), axes.energy.at(point.energy_j), 3.5), "point",
             result_text(point));
  }
}

void draw_legend(SvgDrawing& svg, double y) {
  svg.path(circle(20.0, y - 4.0, 3.5), "point");
  svg.text(32.0, y, "divisions that no other one beats, by block times alone", "small");
  svg.path(circle(400.0, y - 4.0, 5.0), "simulated");
  svg.text(412.0, y, "the same divisions simulated", "small");
}

}  // namespace

std::string front_svg(const DivisionFront& front, const std::string& workload) {
  FrontAxes axes;
  std::vector<SplitResult> points;
  for (const DivisionPoint& point : front.points) {
    if (point.is_beaten_in_all) continue;
    points.push_back(point.model);
    axes.include(point.model);
    if (point.simulated) axes.include(*point.simulated);
  }
  axes.time.widen();
  axes.energy.widen();
  SvgDrawing svg(front_width);
  const std::string title = workload + ": divisions that none beats in both time and energy";
  svg.text(14.0, 26.0, title, "bold");
  draw_axes(svg, axes);
  for (const DivisionPoint& point : front.points) {
    if (point.is_beaten_in_all || !point.simulated) continue;
    svg.path(
        circle(axes.time.at(point.simulated->time_s), axes.energy.at(point.simulated->energy_j), 5),
        "simulated", "simulated: " + result_text(*point.simulated));
  }
  draw_steps(svg, axes, points);
  draw_legend(svg, front_bottom + 58.0);
  return svg.whole(front_bottom + 76.0, title, std::string(axis_style) + front_style());
}

}  // namespace equipoise
