// Tables in Markdown.
#pragma once

#include <string>
#include <vector>

namespace equipoise {

/// The cells of a row, as plain text.
using MarkdownRow = std::vector<std::string>;

/// Escapes `text` for Markdown.
[[nodiscard]] std::string in_markdown(const std::string& text);

/// A row of a table, with `emphasis` around each cell.
[[nodiscard]] std::string markdown_line(const MarkdownRow& cells, const char* emphasis = "");

/// The headings of a table; all columns but the first are right-aligned.
[[nodiscard]] std::string markdown_head(const MarkdownRow& heads);

/// A table of headings, the first row, and the rows below them.
[[nodiscard]] std::string markdown_table(const std::vector<MarkdownRow>& rows);

}  // namespace equipoise
