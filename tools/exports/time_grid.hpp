// Units in rows and time in columns: what pictures of runs show when there is more than fits.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "shared_policies/model/unit.hpp"
#include "tools/exports/unit_spans.hpp"

namespace equipoise {

/// One unit or several neighbours that are alike, in one row.
struct UnitRow {
  std::string name;  ///< "cpu0", or "cpu0..cpu19"
  std::size_t first = 0;
  std::size_t count = 1;
};

/// The units in at most `most` rows, in their order. If there are more units, neighbours share a
/// row; as far as `most` allows, only units of the same kind, model and node do.
[[nodiscard]] std::vector<UnitRow> unit_rows(const std::vector<Unit>& units, std::size_t most);

/// How much of each column of time the units of each row spend on each activity.
class TimeGrid {
 public:
  /// `columns` columns of equal length from 0 to `end`.
  TimeGrid(const std::vector<UnitRow>& rows, std::size_t columns, Seconds end);

  void add(const UnitSpan& span);

  [[nodiscard]] std::size_t row_of(UnitId unit) const { return row_of_[unit.index]; }
  [[nodiscard]] std::size_t columns() const { return columns_; }
  /// The share of the row's units and the column's time, 0 to 1.
  [[nodiscard]] double share(std::size_t row, std::size_t column, Activity activity) const {
    return cells_[row * columns_ + column][static_cast<std::size_t>(activity)];
  }

 private:
  std::size_t columns_;
  Seconds end_;
  std::vector<std::size_t> row_of_;                       ///< (units)
  std::vector<double> weight_;                            ///< (rows) 1 / number of units
  std::vector<std::array<float, activity_count>> cells_;  ///< (rows, columns)
};

}  // namespace equipoise
