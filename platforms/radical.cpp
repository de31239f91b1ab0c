// Reads ranges of numbers.
#include "platforms/radical.hpp"

#include <algorithm>
#include <charconv>
#include <system_error>

namespace equipoise {
namespace {

/// Removes blanks and a whole number >= 0 from the beginning of `text` and returns the number;
/// nothing if there is none.
std::optional<int> take_number(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || number < 0) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

}  // namespace

std::optional<double> hosts_of_radical(std::string_view radical) {
  for (double hosts = 0.0;;) {
    const std::optional<int> first = take_number(radical);
    std::optional<int> last = first;
    if (radical.starts_with('-')) {
      radical.remove_prefix(1);
      last = take_number(radical);
    }
    if (!first || !last || *last < *first) return std::nullopt;
    hosts += static_cast<double>(*last) - *first + 1.0;
    if (radical.empty()) return hosts;
    if (radical.front() != ',') return std::nullopt;
    radical.remove_prefix(1);
  }
}

}  // namespace equipoise
