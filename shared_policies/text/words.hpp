// Texts taken apart and compared: what stands between blanks, letters without case, and numbers.
#pragma once

#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace equipoise {

/// `text` with the letters A to Z as a to z.
[[nodiscard]] std::string lower(std::string text);

/// The parts of `text` between blanks (spaces, tabs, ends of lines), none of them empty.
[[nodiscard]] std::vector<std::string> split_at_blanks(const std::string& text);

/// The number that all of `text` is, in the notation of std::from_chars; nothing if it is none or
/// does not fit in a Number.
template <class Number>
[[nodiscard]] std::optional<Number> number_of_all(std::string_view text) {
  Number number{};
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && rest == end ? std::optional(number) : std::nullopt;
}

}  // namespace equipoise
