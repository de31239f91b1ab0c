// Text tables with aligned columns and right-aligned numbers, as wide as the terminal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tools/console/terminal.hpp"

namespace equipoise {

/// A table of text cells with column headings.
class TextTable {
 public:
  /// The headings name the unit of measure. A column is right-aligned if every cell starts with a
  /// digit, a sign or a mark.
  explicit TextTable(std::vector<std::string> heads) : heads_(std::move(heads)) {}

  /// Adds a row. If there are fewer cells than headings, empty ones are added.
  void add(std::vector<std::string> cells, Style style = Style::plain);

  /// Joins each series of rows that differ only in counted names: rows of cpu0, cpu1 and cpu2 with
  /// otherwise equal cells become one row of cpu0..cpu2. A cell may consist of several names.
  /// Returns whether there was such a series.
  bool fold();

  /// The lines of the table, with underlined headings, for stdout: as wide as its terminal.
  [[nodiscard]] std::string text() const { return text(terminal_width(OutputStream::out)); }

  /// The same in lines of at most `widest` columns; nullopt: without a limit. Nothing is left out:
  /// texts are broken into several lines and, where that does not do, the columns that do not fit
  /// follow in further tables, each with the first column.
  [[nodiscard]] std::string text(std::optional<std::size_t> widest) const;

 private:
  struct Row {
    std::vector<std::string> cells;
    Style style = Style::plain;
  };
  struct Column {
    std::size_t index = 0;
    std::size_t width = 0;
    bool is_number = false;  ///< right-aligned, never broken
  };

  [[nodiscard]] std::vector<Column> columns() const;
  [[nodiscard]] std::string part(const std::vector<Column>& columns) const;
  [[nodiscard]] std::string line(const std::vector<std::string>& cells,
                                 const std::vector<Column>& columns, Style style) const;

  std::vector<std::string> heads_;
  std::vector<Row> rows_;
};

/// The columns that `text` takes: its characters, not its bytes.
[[nodiscard]] std::size_t width_of(const std::string& text);

/// `text` broken at spaces into lines of at most `widest` columns, as far as words allow.
[[nodiscard]] std::vector<std::string> broken(const std::string& text, std::size_t widest);

/// `text` and a line end; broken into lines of at most 100 columns, or as many as the terminal has,
/// each after the first behind `indent` spaces.
[[nodiscard]] std::string wrapped(const std::string& text, std::size_t indent = 0);

/// "1 block", "2 blocks".
[[nodiscard]] std::string counted(std::uint64_t count, const std::string& noun);

/// The first lines of `lines` in one, and how many more there are.
[[nodiscard]] std::string in_one_line(const std::vector<std::string>& lines);

/// "cpu0..cpu3" for the names of `names` that are counted on from each other, others alone.
[[nodiscard]] std::vector<std::string> folded_names(const std::vector<std::string>& names);

}  // namespace equipoise
