// Writes rows with bars between the cells.
#include "tools/sweep/markdown.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <string_view>

#include "shared_policies/text/printable_text.hpp"

namespace equipoise {

std::string in_markdown(const std::string& text) {
  constexpr std::string_view meaningful = "\\`*[]<>|";
  std::string escaped;
  for (const char c : printable(text)) {
    if (meaningful.find(c) != std::string_view::npos) escaped += '\\';
    escaped += c;
  }
  return escaped;
}

std::string markdown_line(const MarkdownRow& cells, const char* emphasis) {
  std::string line = "|";
  for (const std::string& cell : cells) {
    line += fmt::format(" {0}{1}{0} |", emphasis, in_markdown(cell));
  }
  return line + "\n";
}

std::string markdown_head(const MarkdownRow& heads) {
  std::string rule = "|---|";
  for (std::size_t i = 1; i < heads.size(); ++i) rule += "---:|";
  return markdown_line(heads) + rule + "\n";
}

std::string markdown_table(const std::vector<MarkdownRow>& rows) {
  std::string text = markdown_head(rows.front());
  for (std::size_t i = 1; i < rows.size(); ++i) text += markdown_line(rows[i]);
  return text;
}

}  // namespace equipoise
