// Text tables with aligned columns and right-aligned numbers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace equipoise {

/// A table of text cells with column headings.
class TextTable {
 public:
  /// The headings name the unit of measure. A column is right-aligned if every cell starts with a
  /// digit, a sign or a mark.
  explicit TextTable(std::vector<std::string> heads) : heads_(std::move(heads)) {}

  /// Adds a row. If there are fewer cells than headings, empty ones are added.
  void add(std::vector<std::string> cells);

  /// The lines of the table, with underlined headings.
  [[nodiscard]] std::string text() const;

 private:
  std::vector<std::string> heads_;
  std::vector<std::vector<std::string>> rows_;
};

/// `text` and a line end; broken at spaces into lines of at most 100 characters, as far as words
/// allow.
[[nodiscard]] std::string wrapped(const std::string& text);

/// "1 block", "2 blocks".
[[nodiscard]] std::string counted(std::uint64_t count, const std::string& noun);

/// `value` with `digits` significant digits, without an exponent between 1e-4 and 1e7.
[[nodiscard]] std::string significant(double value, int digits);

}  // namespace equipoise
