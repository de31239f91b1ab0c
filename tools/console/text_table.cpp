// Column widths, alignment, line breaks and folded rows. Widths count characters, not bytes.
#include "tools/console/text_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstddef>

#include "shared_policies/text/words.hpp"

namespace equipoise {
namespace {

/// Columns between two columns of a table.
constexpr std::size_t gap = 2;
/// Texts are not broken into lines shorter than this.
constexpr std::size_t narrowest_text = 16;

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

bool looks_like_a_number(const std::string& cell) {
  return cell.empty() || cell == "-" || is_digit(cell.front()) || cell.front() == '-' ||
         cell.front() == '+' || cell.front() == '*';
}

/// A name that ends in a number, such as cpu12.
struct CountedName {
  std::string stem;
  std::uint64_t number = 0;
  bool is_counted = false;

  explicit CountedName(const std::string& name) {
    std::size_t digits = name.size();
    while (digits > 0 && is_digit(name[digits - 1])) --digits;
    stem = name.substr(0, digits);
    const char* const end = name.data() + name.size();
    const auto [read_to, error] = std::from_chars(name.data() + digits, end, number);
    is_counted = digits > 0 && digits < name.size() && error == std::errc() && read_to == end &&
                 std::to_string(number).size() == name.size() - digits;
  }

  /// Whether `next` is the name after this one.
  [[nodiscard]] bool goes_on_as(const CountedName& next) const {
    return is_counted && next.is_counted && stem == next.stem && next.number == number + 1;
  }
};

/// Whether `next` may follow `cell` in a folded row: it is equal, or has the next names.
bool goes_on(const std::string& cell, const std::string& next) {
  const std::vector<std::string> from = split_at_blanks(cell);
  const std::vector<std::string> to = split_at_blanks(next);
  if (from.size() != to.size()) return false;
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (from[i] != to[i] && !CountedName(from[i]).goes_on_as(CountedName(to[i]))) return false;
  }
  return true;
}

/// The cell of a folded row whose cells go from `first` to `last`.
std::string folded_cell(const std::string& first, const std::string& last) {
  if (first == last) return first;
  std::vector<std::string> words = split_at_blanks(first);
  const std::vector<std::string> to = split_at_blanks(last);
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] != to[i]) words[i] += ".." + to[i];
  }
  return fmt::format("{}", fmt::join(words, " "));
}

}  // namespace

void TextTable::add(std::vector<std::string> cells, Style style) {
  cells.resize(heads_.size());
  rows_.push_back({std::move(cells), style});
}

bool TextTable::fold() {
  std::vector<Row> folded;
  for (std::size_t first = 0; first < rows_.size();) {
    std::size_t last = first;
    const auto is_series = [&](const Row& next) {
      // The first column, too, has to be counted on: equal rows may have equal names by chance.
      return rows_[last].cells.front() != next.cells.front() && rows_[last].style == next.style &&
             std::ranges::equal(rows_[last].cells, next.cells, goes_on);
    };
    while (last + 1 < rows_.size() && is_series(rows_[last + 1])) ++last;
    Row row = rows_[first];
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      row.cells[i] = folded_cell(row.cells[i], rows_[last].cells[i]);
    }
    folded.push_back(std::move(row));
    first = last + 1;
  }
  const bool is_shorter = folded.size() < rows_.size();
  rows_ = std::move(folded);
  return is_shorter;
}

std::vector<TextTable::Column> TextTable::columns() const {
  std::vector<Column> columns;
  for (std::size_t i = 0; i < heads_.size(); ++i) {
    Column column{i, width_of(heads_[i]), i > 0};
    for (const Row& row : rows_) {
      column.width = std::max(column.width, width_of(row.cells[i]));
      column.is_number = column.is_number && looks_like_a_number(row.cells[i]);
    }
    columns.push_back(column);
  }
  return columns;
}

std::string TextTable::text(std::optional<std::size_t> widest) const {
  std::vector<Column> all = columns();
  const auto total = [](const std::vector<Column>& columns) {
    std::size_t sum = 0;
    for (const Column& column : columns) sum += column.width + (sum > 0 ? gap : 0);
    return sum;
  };
  if (!widest || total(all) <= *widest) return part(all);
  std::vector<Column> narrowed = all;
  for (Column& column : narrowed) {
    const std::size_t sum = total(narrowed);
    if (column.is_number || column.index == 0 || sum <= *widest) continue;
    const std::size_t least = std::max(narrowest_text, width_of(heads_[column.index]));
    const std::size_t excess = sum - *widest;
    if (column.width > least)
      column.width = std::max(least, column.width - std::min(column.width, excess));
  }
  if (total(narrowed) <= *widest) return part(narrowed);
  std::string text;
  std::vector<Column> here = {all.front()};
  for (std::size_t i = 1; i < all.size(); ++i) {
    Column column = all[i];
    const std::size_t room = *widest - std::min(*widest, all.front().width + gap);
    if (!column.is_number && column.width > room) column.width = std::max(narrowest_text, room);
    if (here.size() > 1 && total(here) + gap + column.width > *widest) {
      text += part(here) + "\n";
      here.resize(1);
    }
    here.push_back(column);
  }
  return text + part(here);
}

std::string TextTable::line(const std::vector<std::string>& cells,
                            const std::vector<Column>& columns, Style style) const {
  std::vector<std::vector<std::string>> lines;  // of each column's cell
  std::size_t height = 1;
  for (const Column& column : columns) {
    const std::string& cell = cells[column.index];
    lines.push_back(width_of(cell) <= column.width ? std::vector<std::string>{cell}
                                                   : broken(cell, column.width));
    height = std::max(height, lines.back().size());
  }
  std::string out;
  for (std::size_t row = 0; row < height; ++row) {
    std::string text;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const std::string cell = row < lines[i].size() ? lines[i][row] : "";
      const std::string blank(columns[i].width - std::min(columns[i].width, width_of(cell)), ' ');
      if (i > 0) text += std::string(gap, ' ');
      text += columns[i].is_number ? blank + cell : cell + blank;
    }
    text.erase(text.find_last_not_of(' ') + 1);
    out += styled(text, style, OutputStream::out) + "\n";
  }
  return out;
}

std::string TextTable::part(const std::vector<Column>& columns) const {
  std::string out = line(heads_, columns, Style::heading);
  std::vector<std::string> rules(heads_.size());
  for (const Column& column : columns) rules[column.index] = std::string(column.width, '-');
  out += line(rules, columns, Style::plain);
  for (const Row& row : rows_) out += line(row.cells, columns, row.style);
  return out;
}

std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

std::vector<std::string> broken(const std::string& text, std::size_t widest) {
  std::vector<std::string> lines(1);
  for (const std::string& word : split_at_blanks(text)) {
    std::string& line = lines.back();
    if (!line.empty() && width_of(line) + 1 + width_of(word) > widest) {
      lines.push_back(word);
    } else {
      line += (line.empty() ? "" : " ") + word;
    }
  }
  return lines;
}

std::string wrapped(const std::string& text, std::size_t indent) {
  constexpr std::size_t readable = 100;
  const std::size_t widest =
      std::min(terminal_width(OutputStream::out).value_or(readable), readable);
  const std::size_t room = std::max(widest - std::min(widest, indent), narrowest_text);
  return fmt::format("{}\n", fmt::join(broken(text, room), "\n" + std::string(indent, ' ')));
}

std::string counted(std::uint64_t count, const std::string& noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string in_one_line(const std::vector<std::string>& lines) {
  constexpr std::size_t most = 3;
  const std::vector<std::string> first(
      lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(std::min(lines.size(), most)));
  return fmt::format("{}{}", fmt::join(first, "; "),
                     lines.size() > most ? fmt::format("; and {} more", lines.size() - most) : "");
}

std::vector<std::string> folded_names(const std::vector<std::string>& names) {
  std::vector<std::string> folded;
  for (std::size_t first = 0; first < names.size();) {
    std::size_t last = first;
    while (last + 1 < names.size() &&
           CountedName(names[last]).goes_on_as(CountedName(names[last + 1]))) {
      ++last;
    }
    folded.push_back(folded_cell(names[first], names[last]));
    first = last + 1;
  }
  return folded;
}

}  // namespace equipoise
