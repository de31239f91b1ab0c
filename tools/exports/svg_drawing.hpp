// A small writer of SVG pictures, and the axis of seconds under them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace equipoise {

/// A picture on a light sheet, so that it can be read on dark pages too. Lengths are in pixels of a
/// picture `width` wide; a page may show it at any width. Text stays text. The same calls give the
/// same bytes.
class SvgDrawing {
 public:
  explicit SvgDrawing(double width) : width_(width) {}

  /// Shapes take their looks from the class `looks`; a `title` is shown where the mouse rests.
  void rect(double x, double y, double width, double height, std::string_view looks);
  void line(double x1, double y1, double x2, double y2, std::string_view looks);
  void text(double x, double y, std::string_view text, std::string_view looks);
  /// A path of SVG's own commands.
  void path(std::string_view commands, std::string_view looks, std::string_view title = {});

  /// Defines the fill `url(#name)`: `color` with slanted lines of `line_color`.
  void hatching(std::string_view name, std::string_view color, std::string_view line_color);

  /// The whole picture. `title` says what it shows, for those who cannot see it; `style` is CSS for
  /// the classes.
  [[nodiscard]] std::string whole(double height, std::string_view title,
                                  std::string_view style) const;

  [[nodiscard]] double width() const { return width_; }

 private:
  double width_;
  std::string shapes_;
};

/// `value` with at most two decimals.
[[nodiscard]] std::string svg_number(double value);

/// A rectangle as commands of a path.
[[nodiscard]] std::string svg_box(double x, double y, double width, double height);

/// About how wide `text` is, in pixels, in a font of `size` pixels.
[[nodiscard]] double text_width(std::string_view text, double size);

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
