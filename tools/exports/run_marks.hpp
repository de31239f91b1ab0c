// What happened in a recorded run, as pictures and traces for viewers show it: spans of units,
// marks, values of meters.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "shared_policies/model/unit.hpp"
#include "shared_policies/run/unit_spans.hpp"
#include "traces/run_file.hpp"

namespace equipoise {

/// When the run ended: its makespan or, if it was interrupted, the latest time in its file.
[[nodiscard]] Seconds end_of_run(const RunFile& file);

/// Calls `take` for everything that the units did up to the end of the run, as `for_each_span` of
/// shared_policies/run/unit_spans.hpp says.
void for_each_span(const RunFile& file, const UnitWalk::Take& take);

/// For each unit, whether its stages overlap: a copy of one block with another stage of another
/// block.
[[nodiscard]] std::vector<bool> overlaps(const RunFile& file);

/// `time` in nanoseconds, in which exports round all times alike; at most about 285 years.
[[nodiscard]] std::int64_t nanoseconds(Seconds time);

/// What a mark stands for.
enum class MarkKind : std::uint8_t {
  decision,   ///< a policy solved a model
  iteration,  ///< an iteration began
  trouble,    ///< a loss, a disturbance, or a policy that left work undone
  dropped,    ///< a block that was taken back, or whose copy was done first
  other,      ///< a unit became available, a timer, or a policy's note
};

/// A point in time that a picture of a run marks.
struct RunMark {
  Seconds at;
  Seconds until;               ///< of decisions and disturbances (infinite: for good); else `at`
  std::optional<UnitId> unit;  ///< the unit that it concerns, if any
  std::string what;            ///< "rebalance", "unit_lost", "slow", ...
  std::string details;         ///< in words: "factor 3"; may be empty
  MarkKind kind = MarkKind::other;
  bool is_about_join = false;  ///< a unit became available, or a policy solved its model for that
};

/// A value of a meter over time.
struct MeterValue {
  Seconds at;
  std::string name;  ///< with its unit of measure: "package-0 power (W)"
  double value = 0.0;
};

/// What meters read during the run. Of energy, the mean power since the reading before.
[[nodiscard]] std::vector<MeterValue> meter_values(const RunFile& file);

/// All decisions, events and disturbances of a run, in its order, but the outstanding blocks of a
/// run that ended early.
[[nodiscard]] std::vector<RunMark> marks_of(const RunFile& file);

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
