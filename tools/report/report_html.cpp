// Writes a comparison as inline SVG charts and tables.
#include "tools/report/report_html.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "shared_policies/model/markup.hpp"
#include "tools/report/glossary.hpp"
#include "tools/report/html_page.hpp"
#include "tools/report/loss_text.hpp"
#include "tools/report/quantity_text.hpp"
#include "tools/report/result_fields.hpp"
#include "tools/report/text_table.hpp"

namespace equipoise {
namespace {

constexpr double chart_width = 640.0;
constexpr double label_width = 190.0;
constexpr double row_height = 26.0;
const char* const none = "–";  // in place of a number that is not known

std::string label(const PolicyResult& r) { return markup_escaped(r.policy + " · " + r.on); }

double most_s(const Comparison& comparison) {
  double most = comparison.lower_bound_s.value_or(0.0);
  for (const PolicyResult& r : comparison.results) {
    most = std::max({most, r.makespan_s.max, r.makespan_s.ci95_high});
  }
  return most;
}

std::string open_svg(std::size_t rows, double extra, const char* title) {
  return fmt::format("<svg viewBox=\"0 0 {} {}\" role=\"img\"><title>{}</title>\n",
                     label_width + chart_width + 90.0,
                     row_height * static_cast<double>(rows) + extra, title);
}

std::string row_label(const PolicyResult& r, double y) {
  return fmt::format("<text class=\"label\" x=\"{}\" y=\"{}\">{}</text>\n", label_width - 8.0,
                     y + 17.0, label(r));
}

std::string makespan_chart(const Comparison& comparison) {
  const double scale = chart_width / most_s(comparison);
  std::string svg = open_svg(comparison.results.size(), 24.0, "mean makespan in seconds");
  double y = 0.0;
  for (const PolicyResult& r : comparison.results) {
    const Statistics& s = r.makespan_s;
    svg += row_label(r, y);
    svg += fmt::format("<rect class=\"{}\" x=\"{}\" y=\"{}\" width=\"{:.2f}\" height=\"18\"/>\n",
                       r.on, label_width, y + 4.0, s.mean * scale);
    svg +=
        fmt::format("<line class=\"interval\" x1=\"{:.2f}\" x2=\"{:.2f}\" y1=\"{}\" y2=\"{}\"/>\n",
                    label_width + std::max(0.0, s.ci95_low) * scale,
                    label_width + s.ci95_high * scale, y + 13.0, y + 13.0);
    svg += fmt::format("<text x=\"{:.2f}\" y=\"{}\">{}</text>\n",
                       label_width + s.ci95_high * scale + 6.0, y + 17.0,
                       number_text(result_field("makespan_s"), s.mean));
    y += row_height;
  }
  if (comparison.lower_bound_s) {
    const double x = label_width + *comparison.lower_bound_s * scale;
    svg += fmt::format(
        "<line class=\"bound\" x1=\"{0:.2f}\" x2=\"{0:.2f}\" y1=\"0\" y2=\"{1}\"/>"
        "<text class=\"bound\" x=\"{0:.2f}\" y=\"{2}\">lower bound {3} s</text>\n",
        x, y, y + 16.0, significant(*comparison.lower_bound_s, 4));
  }
  return svg + "</svg>\n";
}

/// A colour for a unit. Hues are a golden angle apart, so that neighbours differ for any number of
/// units.
std::string colour(std::size_t unit) {
  return fmt::format("hsl({:.0f} 55% {}%)",
                     std::fmod(210.0 + 137.508 * static_cast<double>(unit), 360.0),
                     unit % 2 == 0 ? 52 : 64);
}

std::string share_chart(const Comparison& comparison) {
  std::string svg = open_svg(comparison.results.size(), 4.0, "share of the items by unit");
  double y = 0.0;
  for (const PolicyResult& r : comparison.results) {
    svg += row_label(r, y);
    double x = label_width;
    for (std::size_t unit = 0; unit < r.share_by_unit.size(); ++unit) {
      const double width = r.share_by_unit[unit] * chart_width;
      svg += fmt::format(
          "<rect x=\"{:.2f}\" y=\"{}\" width=\"{:.2f}\" height=\"18\" fill=\"{}\"><title>{} {:.2f} "
          "%"
          "</title></rect>\n",
          x, y + 4.0, width, colour(unit), markup_escaped(comparison.units[unit]),
          100.0 * r.share_by_unit[unit]);
      x += width;
    }
    y += row_height;
  }
  return svg + "</svg>\n";
}

std::string html_cell(const ResultField& field, const OfResult& of) {
  const std::string text = markup_escaped(cell_text(field, of, none));
  const FieldValue value = field.value(of);
  const bool* const is_so = std::get_if<bool>(&value);
  return is_so != nullptr && !*is_so ? "<b>" + text + "</b>" : text;
}

std::string html_number_table(const Comparison& comparison) {
  const std::vector<const ResultField*> columns = columns_of(in_html, comparison);
  std::string html = "<table><thead><tr>";
  for (const ResultField* const column : columns) {
    html += "<th>" + markup_escaped(heading_of(*column)) + "</th>";
  }
  html += "</tr></thead><tbody>\n";
  for (const PolicyResult& r : comparison.results) {
    html += "<tr>";
    for (const ResultField* const column : columns) {
      html += "<td>" + html_cell(*column, {comparison, r}) + "</td>";
    }
    html += "</tr>\n";
  }
  return html + "</tbody></table>\n";
}

std::string html_energy_table(const Comparison& comparison) {
  if (!knows_energy(comparison)) return {};
  const auto cell = [](const std::optional<double>& energy_j) {
    const ResultField& field = result_field("energy_j");
    return "<td>" + (energy_j ? number_text(field, *energy_j) : none) + "</td>";
  };
  std::string html =
      "<h2>Energy in "
      "joules</h2>\n<table><thead><tr><th>policy</th><th>on</th><th>all</th><th>from</th>";
  for (const std::string& unit : comparison.units) html += "<th>" + markup_escaped(unit) + "</th>";
  html += "</tr></thead><tbody>\n";
  for (const PolicyResult& r : comparison.results) {
    html += "<tr><td>" + markup_escaped(r.policy) + "</td><td>" + r.on + "</td>" +
            cell(r.energy_j) + "<td>" +
            cell_text(result_field("energy_from"), {comparison, r}, none) + "</td>";
    for (const std::optional<double>& energy_j : r.energy_by_unit_j) html += cell(energy_j);
    html += "</tr>\n";
  }
  return html + "</tbody></table>\n";
}

std::string html_loss_table(const Comparison& comparison) {
  const std::vector<std::vector<std::string>> rows = loss_rows(comparison);
  if (rows.empty()) return {};
  std::string html = "<h2>Losses by cause</h2>\n<table>";
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const char* const cell = i == 0 ? "th" : "td";
    html += "<tr>";
    for (const std::string& text : rows[i]) {
      html += fmt::format("<{0}>{1}</{0}>", cell, markup_escaped(text));
    }
    html += "</tr>\n";
  }
  html +=
      fmt::format("</table>\n<p>{}</p>\n",
                  markup_escaped(legend_paragraph({rows.front().begin() + 1, rows.front().end()})));
  const std::string note = resident_note(comparison);
  return note.empty() ? html : fmt::format("{}<p>{}</p>\n", html, markup_escaped(note));
}

}  // namespace

std::string report_html(const Comparison& comparison) {
  return html_page("Comparison of policies",
                   "<h2>Makespan</h2>\n" + makespan_chart(comparison) +
                       "<h2>Share of the items by unit</h2>\n" + share_chart(comparison) +
                       "<h2>All numbers</h2>\n" + html_number_table(comparison) +
                       html_loss_table(comparison) + html_energy_table(comparison) + "<p>" +
                       markup_escaped(comparison.assumptions) + "</p>\n<h2>Experiment</h2>\n<pre>" +
                       markup_escaped(comparison.experiment) + "</pre>\n");
}

}  // namespace equipoise
