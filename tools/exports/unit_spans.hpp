// What each unit of a recorded run was doing when: stages of blocks, waiting by cause, absence.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "shared_policies/model/block.hpp"
#include "shared_policies/model/measures.hpp"
#include "shared_policies/model/unit.hpp"
#include "traces/run_file.hpp"

namespace equipoise {

/// What a unit does. Waiting has the causes of shared_policies/run/losses.hpp.
enum class Activity : std::uint8_t {
  setup,          ///< first use of the unit, copy of resident data
  copy_in,        ///< copy of a block's input
  compute,        ///< computation of a block
  compute_train,  ///< the same, of a block that the policy calls training
  copy_out,       ///< copy of a block's results
  lost,           ///< a block that was lost
  unfinished,     ///< a block that was not done when the run ended early
  redone,         ///< a block that was taken back, or whose copy was done first
  absent,         ///< the unit is not there
  wait_training,  ///< waiting for other units in training
  wait_barrier,   ///< waiting for other units
  wait_control,   ///< waiting for the controller, or for a copy engine
  wait_tail,      ///< waiting for the end of the run
};
inline constexpr std::size_t activity_count = 13;

/// In words: "copy in", "waiting for other units".
[[nodiscard]] const char* to_string(Activity activity);

/// Where an activity is drawn, because copies and computations of different blocks overlap.
enum class Lane : std::uint8_t { copy_in, compute, copy_out };
inline constexpr std::size_t lane_count = 3;

/// Setup and copies in are in `copy_in`, copies out in `copy_out`, everything else in `compute`.
[[nodiscard]] Lane lane_of(Activity activity);

/// A unit does one thing from `begin` to `end`.
struct UnitSpan {
  UnitId unit;
  Activity activity = Activity::compute;
  Seconds begin;
  Seconds end;
  const Block* block = nullptr;  ///< null while it waits or is absent; else in the run file
  Seconds assigned;              ///< of the block
};

/// Calls `take` for everything that the units did, spans of 0 s left out. In the same lane of a
/// unit, spans come in the order of time and do not overlap: where real clocks disagree, the later
/// one is shortened. A unit waits where none of its blocks is in a stage.
void for_each_span(const RunFile& file, const std::function<void(const UnitSpan&)>& take);

/// For each unit, whether its stages overlap: a copy of one block with another stage of another
/// block.
[[nodiscard]] std::vector<bool> overlaps(const RunFile& file);

/// `time` in nanoseconds, in which exports round all times alike; at most about 285 years.
[[nodiscard]] std::int64_t nanoseconds(Seconds time);

/// When the run ended: its makespan or, if it was interrupted, the latest time in its file.
[[nodiscard]] Seconds end_of_run(const RunFile& file);

/// For what a mark stands.
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

}  // namespace equipoise
