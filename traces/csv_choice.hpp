// Which rows of a table of times count: conditions on columns, and the form of its sizes.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace equipoise {

/// A condition COLUMN=VALUE.
struct CsvCondition {
  std::string column;
  std::string value;

  /// Throws InputError unless `text` is COLUMN=VALUE with a column.
  explicit CsvCondition(const std::string& text);

  /// Whether `field` is the value, or the same number.
  [[nodiscard]] bool holds_for(const std::string& field) const;
};

/// The form of sizes that are written within other text, such as "*x*_mask3" for "128x128_mask3":
/// each * stands for a number.
class ItemsPattern {
 public:
  /// Throws InputError if `text` has no *, or two in a row.
  explicit ItemsPattern(std::string text);

  /// The product of the numbers that the stars stand for in `field`, 128 * 128 in the example; none
  /// if `field` does not have this form.
  [[nodiscard]] std::optional<double> items_in(std::string_view field) const;

  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_;
};

/// "1, 2, 4": the first of `values`, and "..." if there are more.
[[nodiscard]] std::string some_of(const std::set<std::string>& values);

}  // namespace equipoise
