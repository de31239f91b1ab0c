// The pieces of report pages: tables with explained headings, lists of facts, sections, scripts.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tools/report/json_values.hpp"

namespace equipoise {

/// `word` with a sentence that is shown when somebody points at it; the word alone if there is
/// none.
[[nodiscard]] std::string explained(std::string_view word, std::string_view sentence);

/// A cell of a table.
struct PageCell {
  std::string html;
  std::string value{};   ///< the exact value, for programs; may be empty
  bool is_text = false;  ///< aligned to the left
};

/// A table: headings (HTML) and rows. The first cell of a row is its heading. `marked`: rows that
/// are emphasised.
struct PageTable {
  std::string caption;  ///< HTML: how to read it; stands above
  std::vector<std::string> headings;
  std::vector<std::vector<PageCell>> rows;
  std::vector<bool> marked{};
};

/// The table in HTML; it scrolls where it is too wide.
[[nodiscard]] std::string table_html(const PageTable& table);

/// All that a JSON object says, as a list of names and values in HTML; nested objects have names
/// such as "sim platform". Members that are null or empty are left out, and the one named
/// `without`.
[[nodiscard]] std::string facts_html(const JsonValue& object, std::string_view without = {});

/// A section with a heading, in which the script puts the charts called `charts`; hidden until
/// there are some, unless it has `html`.
[[nodiscard]] std::string section(const std::string& heading, const char* charts,
                                  const std::string& html);

/// Data for the script: a JSON text of one `kind`, such as "run". It cannot end the element that it
/// stands in, because "<" is escaped.
[[nodiscard]] std::string data_element(const char* kind, const std::string& name,
                                       const std::string& json);

/// The script that draws the charts, bundled at build time from tools/page/script, deflated and in
/// base64. Empty in a build without npm, whose pages have tables alone.
[[nodiscard]] std::string_view page_script();

/// The style sheet, from the same folder.
[[nodiscard]] std::string_view page_style();

}  // namespace equipoise
