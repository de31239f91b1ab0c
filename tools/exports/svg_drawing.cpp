// Writes elements with short numbers and escaped text.
#include "tools/exports/svg_drawing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "shared_policies/text/printable_text.hpp"
#include "tools/console/quantity_text.hpp"
#include "tools/console/text_table.hpp"

namespace equipoise {
namespace {

constexpr std::string_view sheet_style =
    ".sheet{fill:#fff;stroke:#d0d4d9}"
    "text{font:12px 'Helvetica Neue',Arial,'DejaVu Sans',sans-serif;fill:#24292f}"
    ".small{font-size:11px;fill:#57606a}.bold{font-weight:bold}"
    ".end{text-anchor:end}.middle{text-anchor:middle}";

}  // namespace

std::string svg_number(double value) {
  std::string text = fmt::format("{:.2f}", value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text == "-0" ? "0" : text;
}

std::string svg_box(double x, double y, double width, double height) {
  return fmt::format("M{} {}h{}v{}h-{}z", svg_number(x), svg_number(y), svg_number(width),
                     svg_number(height), svg_number(width));
}

double text_width(std::string_view text, double size) {
  const auto characters = std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  });
  return 0.58 * size * static_cast<double>(characters);
}

void SvgDrawing::rect(double x, double y, double width, double height, std::string_view looks) {
  shapes_ +=
      fmt::format("<rect class=\"{}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>\n", looks,
                  svg_number(x), svg_number(y), svg_number(width), svg_number(height));
}

void SvgDrawing::line(double x1, double y1, double x2, double y2, std::string_view looks) {
  shapes_ += fmt::format("<line class=\"{}\" x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\"/>\n", looks,
                         svg_number(x1), svg_number(y1), svg_number(x2), svg_number(y2));
}

void SvgDrawing::text(double x, double y, std::string_view text, std::string_view looks) {
  shapes_ += fmt::format("<text class=\"{}\" x=\"{}\" y=\"{}\">{}</text>\n", looks, svg_number(x),
                         svg_number(y), markup_escaped(text));
}

void SvgDrawing::path(std::string_view commands, std::string_view looks, std::string_view title) {
  shapes_ += fmt::format("<path class=\"{}\" d=\"{}\"", looks, commands);
  shapes_ +=
      title.empty() ? "/>\n" : fmt::format("><title>{}</title></path>\n", markup_escaped(title));
}

void SvgDrawing::hatching(std::string_view name, std::string_view color,
                          std::string_view line_color) {
  shapes_ += fmt::format(
      "<defs><pattern id=\"{}\" width=\"5\" height=\"5\" patternUnits=\"userSpaceOnUse\" "
      "patternTransform=\"rotate(45)\"><path fill=\"{}\" d=\"M0 0h5v5h-5z\"/>"
      "<path stroke=\"{}\" stroke-width=\"1.5\" d=\"M1 0v5\"/></pattern></defs>\n",
      name, color, line_color);
}

std::string SvgDrawing::whole(double height, std::string_view title, std::string_view style) const {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" "
      "viewBox=\"0 0 {0} {1}\" role=\"img\">\n<title>{2}</title>\n<style>{3}{4}</style>\n"
      "<rect class=\"sheet\" x=\".5\" y=\".5\" width=\"{5}\" height=\"{6}\" "
      "rx=\"6\"/>\n{7}</svg>\n",
      svg_number(width_), svg_number(height), markup_escaped(title), sheet_style, style,
      svg_number(width_ - 1.0), svg_number(height - 1.0), shapes_);
}

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
