// Column widths and alignment. Widths count characters, not bytes.
#include "tools/report/text_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <sstream>

namespace equipoise {
namespace {

/// The number of characters in UTF-8 text; each takes one column.
std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

bool looks_like_a_number(const std::string& cell) {
  return cell.empty() || cell == "-" ||
         std::isdigit(static_cast<unsigned char>(cell.front())) != 0 || cell.front() == '-' ||
         cell.front() == '+' || cell.front() == '*';
}

}  // namespace

void TextTable::add(std::vector<std::string> cells) {
  cells.resize(heads_.size());
  rows_.push_back(std::move(cells));
}

std::string TextTable::text() const {
  std::string out;
  std::vector<std::size_t> widths;
  std::vector<bool> right;
  for (std::size_t column = 0; column < heads_.size(); ++column) {
    std::size_t width = width_of(heads_[column]);
    bool numbers = true;
    for (const auto& row : rows_) {
      width = std::max(width, width_of(row[column]));
      numbers = numbers && looks_like_a_number(row[column]);
    }
    widths.push_back(width);
    right.push_back(numbers && column > 0);
  }
  const auto line = [&](const std::vector<std::string>& cells) {
    std::string text;
    for (std::size_t column = 0; column < cells.size(); ++column) {
      const std::string gap(widths[column] - width_of(cells[column]), ' ');
      text +=
          (column > 0 ? "  " : "") + (right[column] ? gap + cells[column] : cells[column] + gap);
    }
    text.erase(text.find_last_not_of(' ') + 1);
    out += text + "\n";
  };
  line(heads_);
  std::vector<std::string> rules;
  for (const std::size_t width : widths) rules.emplace_back(width, '-');
  line(rules);
  for (const auto& row : rows_) line(row);
  return out;
}

std::string wrapped(const std::string& text) {
  constexpr std::size_t widest = 100;
  std::string lines;
  std::string line;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (!line.empty() && width_of(line) + 1 + width_of(word) > widest) {
      lines += line + "\n";
      line.clear();
    }
    line += (line.empty() ? "" : " ") + word;
  }
  return lines + line + "\n";
}

std::string counted(std::uint64_t count, const std::string& noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string significant(double value, int digits) {
  if (value == 0.0 || !std::isfinite(value)) return fmt::format("{}", value);
  const double magnitude = std::floor(std::log10(std::abs(value)));
  if (magnitude < -4 || magnitude >= 7) return fmt::format("{:.{}e}", value, digits - 1);
  return fmt::format("{:.{}f}", value, std::max(0, digits - 1 - static_cast<int>(magnitude)));
}

}  // namespace equipoise
