// What each unit did when, from the records of a run: one walk along the time of every unit, whose
// spans losses add up (losses.hpp), and pictures draw (tools/exports, tools/page).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "shared_policies/model/block.hpp"
#include "shared_policies/model/measures.hpp"
#include "shared_policies/model/unit.hpp"
#include "shared_policies/run/journal.hpp"
#include "shared_policies/run/recorded_run.hpp"

namespace equipoise {

/// What a unit does. Waiting has the causes of losses.hpp.
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

/// One thing that a unit does, from `begin` to `end`. The blocks to which it points exist only
/// during the call that it is given to.
struct UnitSpan {
  UnitId unit{};
  Activity activity = Activity::compute;
  Seconds begin{};
  Seconds end{};
  const Block* block = nullptr;  ///< that it computes or does in vain; in pictures: or copies
  const Block* next = nullptr;   ///< that it waits for or copies, and then computes
  Seconds assigned{};            ///< when that block, of either kind, was handed out
  bool is_before_loss = false;   ///< the unit was lost before it ended another block
};

/// Divides the time of each unit into spans that do not overlap. A unit that does several things at
/// once is taken to do the first of these: computing, copying, waiting. O(1) for a record, O(units)
/// for an iteration. The times of the latest 65,536 events of each run loop are kept; a wait for a
/// block that was handed out after an older event does not count as one for other units.
class UnitWalk {
 public:
  using Take = std::function<void(const UnitSpan&)>;

  /// `repeats_blocks`: the run repeats the decisions of a recorded one (RecordedDecisions), so that
  /// each block is handed out as soon as the event that it followed there has happened.
  explicit UnitWalk(std::size_t units, const std::vector<UnitId>& absent_at_start = {},
                    bool repeats_blocks = false);

  /// The records of the run, in their order. `take` is given the spans that they end.
  void block(const BlockRecord& record, const Take& take);
  void event(const EventRecord& record, const Take& take);
  /// The run ends.
  void end(Seconds at, const Take& take);

 private:
  /// A lost block that goes on.
  struct GoingOn {
    Block block;
    Seconds assigned;
  };
  /// A unit at one point of the run.
  struct UnitTime {
    Seconds at;         ///< its time is divided up to here
    Seconds out_until;  ///< end of the copy out of its last block
    Seconds absent_since;
    bool is_absent = false;
    bool is_trained = false;  ///< whether its last block was one of training
    std::vector<GoingOn> going_on{};
  };

  /// What a unit did up to `until` unless that is known: `what` has its other facts.
  void spend(UnitId unit, Seconds until, UnitSpan what, const Take& take);
  void wait_for_block(const BlockRecord& record, const Take& take);
  /// Nothing is known of the unit up to `until`: it waits, is absent, or does a block in vain.
  void rest(UnitId unit, Seconds until, Activity why, const Take& take);
  void rest_all(Seconds until, Activity why, const Take& take);
  [[nodiscard]] Activity wait_after_block(UnitId unit) const;
  [[nodiscard]] Seconds time_of_event(std::optional<UnitId> node, std::uint64_t number) const;
  void count_event(std::optional<UnitId> node, Seconds at);

  bool repeats_blocks_;
  std::vector<UnitTime> units_;
  bool any_iteration_ = false;
  /// The events of one run loop: the master's, or that of a node's agent, which counts its own.
  struct Events {
    std::vector<Seconds> times;  ///< that of event k, one of the latest, at (k - 1) mod size
    std::uint64_t count = 0;
  };
  std::map<std::optional<UnitId>, Events> events_;  ///< by node; none: the master's
};

/// Calls `take` with everything that the units of a run, which ended at `end`, did, as pictures
/// show it: every stage of a block is one span, although stages of different blocks overlap; spans
/// of 0 s are left out. In the same lane of a unit, spans come in the order of time and do not
/// overlap: where real clocks disagree, the later one is shortened. A unit waits where none of its
/// blocks is in a stage.
void for_each_span(const RecordedRun& run, Seconds end, const UnitWalk::Take& take);

/// The latest time in the records of a run.
[[nodiscard]] Seconds latest_time(const RecordedRun& run);

}  // namespace equipoise
