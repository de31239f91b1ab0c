// Writes pieces of report pages.
#include "tools/page/page_html.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/algorithm/string/replace.hpp>

#include "shared_policies/text/printable_text.hpp"

namespace equipoise {
namespace {

/// A value as text: "a, b" for a list; objects in a list are written as "name value, name value".
std::string words_of(const JsonValue& value) {
  switch (value.kind) {
    case JsonValue::Kind::null:
      return "none";
    case JsonValue::Kind::boolean:
      return value.boolean ? "yes" : "no";
    case JsonValue::Kind::number: {
      const bool is_whole = value.text.ends_with(".0");
      return is_whole ? value.text.substr(0, value.text.size() - 2) : value.text;
    }
    case JsonValue::Kind::text:
      return value.text;
    case JsonValue::Kind::list:
    case JsonValue::Kind::object:
      break;
  }
  std::string text;
  for (const JsonValue& one : value.list) text += (text.empty() ? "" : ", ") + words_of(one);
  for (const JsonMember& one : value.object) {
    text += (text.empty() ? "" : ", ") + one.name + " " + words_of(one.value);
  }
  return text;
}

void add_facts(const JsonValue& object, const std::string& before, std::string_view without,
               std::string& html) {
  for (const JsonMember& one : object.object) {
    if (one.name == without) continue;
    std::string name = before + one.name;
    std::ranges::replace(name, '_', ' ');
    if (one.value.kind == JsonValue::Kind::object) {
      add_facts(one.value, name + " ", {}, html);
      continue;
    }
    const std::string text = words_of(one.value);
    if (one.value.kind == JsonValue::Kind::null || text.empty() || text == "none") continue;
    html += fmt::format("<dt>{}</dt><dd>{}</dd>\n", markup_escaped(name), markup_escaped(text));
  }
}

}  // namespace

std::string explained(std::string_view word, std::string_view sentence) {
  if (sentence.empty()) return markup_escaped(word);
  return fmt::format("<abbr title=\"{}\">{}</abbr>", markup_escaped(sentence),
                     markup_escaped(word));
}

std::string table_html(const PageTable& table) {
  std::string html;
  if (!table.caption.empty()) html += "<p class=\"muted\">" + table.caption + "</p>\n";
  html += "<div class=\"scroll\" tabindex=\"0\"><table><thead><tr>";
  for (const std::string& heading : table.headings)
    html += "<th scope=\"col\">" + heading + "</th>";
  html += "</tr></thead><tbody>\n";
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const bool is_marked = i < table.marked.size() && table.marked[i];
    html += is_marked ? "<tr class=\"best\">" : "<tr>";
    for (std::size_t k = 0; k < table.rows[i].size(); ++k) {
      const PageCell& cell = table.rows[i][k];
      html += k == 0 ? "<th scope=\"row\"" : "<td";
      if (cell.is_text) html += " class=\"text\"";
      if (!cell.value.empty()) html += " data-value=\"" + markup_escaped(cell.value) + "\"";
      html += ">" + cell.html + (k == 0 ? "</th>" : "</td>");
    }
    html += "</tr>\n";
  }
  return html + "</tbody></table></div>\n";
}

std::string data_element(const char* kind, const std::string& name, const std::string& json) {
  const std::string html =
      fmt::format("<script type=\"application/json\" data-kind=\"{}\" data-name=\"{}\">", kind,
                  markup_escaped(name));
  return html + boost::replace_all_copy(json, "<", "\\u003c") + "</script>\n";
}

std::string section(const std::string& heading, const char* charts, const std::string& html) {
  return fmt::format("<section data-charts=\"{}\"{}><h2>{}</h2>\n{}</section>\n", charts,
                     html.empty() ? " hidden" : "", heading, html);
}

std::string facts_html(const JsonValue& object, std::string_view without) {
  std::string html;
  add_facts(object, "", without, html);
  return html.empty() ? html : "<dl>\n" + html + "</dl>\n";
}

}  // namespace equipoise
