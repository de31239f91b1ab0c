// The table of marks.
#include "tools/report/page_words.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace equipoise {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 7> words = {
    {{"oracle", "Knows this run's mean times, which no real policy can."},
     {"informed", "Knows unit speeds beforehand."},
     {"experienced", "Used what earlier runs had shown."},
     {"stalled", "Left work undone, which was then handed out greedily."},
     {"not verified", "Items are missing or were done twice, or numbers are wrong: do not use it."},
     {"extrapolated",
      "Share of the items in blocks outside the recorded sizes, whose times are less "
      "certain."},
     {"items redone", "Items that were done again because their unit was lost."}}};

}  // namespace

std::string_view page_word(std::string_view word) {
  const auto found = std::ranges::find(words, word, [](const auto& entry) { return entry.first; });
  return found == words.end() ? std::string_view() : found->second;
}

}  // namespace equipoise
