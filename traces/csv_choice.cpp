// Compares fields with conditions, and finds the numbers in sizes.
#include "traces/csv_choice.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <system_error>
#include <utility>
#include <vector>

#include "shared_policies/model/failure.hpp"

namespace equipoise {
namespace {

std::optional<double> number_in(const std::string& text) {
  double number = 0.0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && rest == end ? std::optional(number) : std::nullopt;
}

/// Removes the number without a sign with which `text` begins; none if it does not begin with one.
std::optional<double> take_number(std::string_view& text) {
  if (text.empty() || text.front() < '0' || text.front() > '9') return std::nullopt;
  double number = 0.0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(rest - text.data()));
  return number;
}

}  // namespace

CsvCondition::CsvCondition(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) {
    throw InputError("--where", "'" + text + "' is no condition; write COLUMN=VALUE");
  }
  column = text.substr(0, equals);
  value = text.substr(equals + 1);
}

bool CsvCondition::holds_for(const std::string& field) const {
  if (field == value) return true;
  const std::optional<double> number = number_in(field);
  return number && number == number_in(value);
}

ItemsPattern::ItemsPattern(std::string text) : text_(std::move(text)) {
  if (text_.find('*') != std::string::npos && text_.find("**") == std::string::npos) return;
  throw InputError("--items-pattern",
                   "'" + text_ +
                       "' has no * for the number of items, or two in a row; write for example "
                       "'*x*_mask3' for sizes like 128x128_mask3");
}

std::optional<double> ItemsPattern::items_in(std::string_view field) const {
  double items = 1.0;
  for (const char expected : text_) {
    if (expected != '*') {
      if (!field.starts_with(expected)) return std::nullopt;
      field.remove_prefix(1);
      continue;
    }
    const std::optional<double> number = take_number(field);
    if (!number) return std::nullopt;
    items *= *number;
  }
  return field.empty() ? std::optional(items) : std::nullopt;
}

std::string some_of(const std::set<std::string>& values) {
  constexpr std::size_t shown = 8;
  std::vector<std::string> some(values.begin(), values.end());
  const bool is_long = some.size() > shown;
  if (is_long) some.resize(shown);
  return fmt::format("{}{}", fmt::join(some, ", "), is_long ? ", ..." : "");
}

}  // namespace equipoise
