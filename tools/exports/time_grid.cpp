// Groups units, and divides spans among columns.
#include "tools/exports/time_grid.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace equipoise {
namespace {

/// The lengths of the stretches of neighbouring units that are alike.
std::vector<std::size_t> lengths_alike(const std::vector<Unit>& units) {
  const auto looks = [](const Unit& unit) { return std::tie(unit.kind, unit.model, unit.node); };
  std::vector<std::size_t> lengths;
  for (std::size_t i = 0; i < units.size(); ++i) {
    if (i == 0 || looks(units[i]) != looks(units[i - 1])) lengths.push_back(0);
    ++lengths.back();
  }
  return lengths;
}

/// How many rows a stretch takes.
std::size_t rows_of(std::size_t length, std::size_t in_a_row) {
  return (length + in_a_row - 1) / in_a_row;
}

/// How many units of each stretch share a row, so that there are at most `most` rows: those of the
/// longest stretch begin to share.
std::vector<std::size_t> sharing(const std::vector<std::size_t>& lengths, std::size_t most) {
  std::vector<std::size_t> in_a_row(lengths.size(), 1);
  while (true) {
    std::size_t rows = 0;
    std::size_t longest = 0;
    for (std::size_t i = 0; i < lengths.size(); ++i) {
      rows += rows_of(lengths[i], in_a_row[i]);
      if (rows_of(lengths[i], in_a_row[i]) > rows_of(lengths[longest], in_a_row[longest])) {
        longest = i;
      }
    }
    if (rows <= most) return in_a_row;
    ++in_a_row[longest];
  }
}

}  // namespace

std::vector<UnitRow> unit_rows(const std::vector<Unit>& units, std::size_t most) {
  std::vector<std::size_t> lengths = lengths_alike(units);
  if (lengths.size() > most) lengths = {units.size()};
  const std::vector<std::size_t> in_a_row = sharing(lengths, most);
  std::vector<UnitRow> rows;
  std::size_t at = 0;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    for (const std::size_t stretch_end = at + lengths[i]; at < stretch_end;) {
      const std::size_t count = std::min(in_a_row[i], stretch_end - at);
      const std::string& name = units[at].name;
      rows.push_back({count == 1 ? name : name + ".." + units[at + count - 1].name, at, count});
      at += count;
    }
  }
  return rows;
}

TimeGrid::TimeGrid(const std::vector<UnitRow>& rows, std::size_t columns, Seconds end)
    : columns_(columns), end_(end), cells_(rows.size() * columns) {
  for (std::size_t row = 0; row < rows.size(); ++row) {
    row_of_.insert(row_of_.end(), rows[row].count, row);
    weight_.push_back(1.0 / static_cast<double>(rows[row].count));
  }
}

void TimeGrid::add(const UnitSpan& span) {
  if (!(end_ > Seconds{})) return;
  const auto columns = static_cast<double>(columns_);
  const double from = std::clamp(span.begin / end_, 0.0, 1.0) * columns;
  const double until = std::clamp(span.end / end_, 0.0, 1.0) * columns;
  const std::size_t row = row_of(span.unit);
  const auto last = std::min(columns_, static_cast<std::size_t>(std::ceil(until)));
  for (auto column = static_cast<std::size_t>(from); column < last; ++column) {
    const auto left = static_cast<double>(column);
    const double covered = std::min(until, left + 1.0) - std::max(from, left);
    cells_[row * columns_ + column][static_cast<std::size_t>(span.activity)] +=
        static_cast<float>(weight_[row] * std::max(0.0, covered));
  }
}

}  // namespace equipoise
