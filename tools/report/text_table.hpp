// Tables that a person can read: aligned columns, numbers to the right.
#pragma once

#include <string>
#include <vector>

namespace equipoise {

/// A table of text cells under heads.
class TextTable {
 public:
  /// The heads name the unit of measure; columns of which every cell starts with a digit, a sign or
  /// a mark are set to the right.
  explicit TextTable(std::vector<std::string> heads) : heads_(std::move(heads)) {}

  /// As many cells as heads; fewer are filled up with empty ones.
  void add(std::vector<std::string> cells);

  /// The lines of the table, heads underlined.
  [[nodiscard]] std::string text() const;

 private:
  std::vector<std::string> heads_;
  std::vector<std::vector<std::string>> rows_;
};

/// `value` with `digits` significant digits, never in exponent form between 1e-4 and 1e7.
[[nodiscard]] std::string significant(double value, int digits);

}  // namespace equipoise
