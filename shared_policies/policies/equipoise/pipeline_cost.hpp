// What blocks cost on a unit that works on one at a time, or on several as a pipeline.
#pragma once

#include <cstddef>

#include "shared_policies/model/event.hpp"
#include "shared_policies/policies/equipoise/running_cost.hpp"

namespace equipoise {

/// What is learned of one unit and one kernel from its finished blocks: a block that met an empty
/// unit takes the time from its handing out to its end; one that was queued behind another takes
/// the time from the other's end to its own, in which copies may be hidden. Source: ours.
class PipelineCost {
 public:
  /// `overlaps`: the unit copies one block while it computes another. Else (`copy_engines` 0) only
  /// the way from and to the controller can be hidden, and the stages count as one.
  explicit PipelineCost(bool overlaps = true) : overlaps_(overlaps) {}

  /// A block ended at `at`. `last_end`: the end of the unit's block before. The first block of a
  /// unit in a phase (`is_first`) may have brought resident data and made things ready: it tells of
  /// computing alone, and only if nothing else is known. `heard`: how long after `last_end` the
  /// block was handed out, where that was in answer to the end: so long does it take to hear of
  /// one.
  void add(const BlockFinished& finished, Seconds at, Seconds last_end, bool is_first,
           Seconds heard = {});

  [[nodiscard]] bool overlaps() const { return overlaps_; }
  [[nodiscard]] bool is_known() const { return !alone_.empty(); }
  /// Of a block that meets an empty unit.
  [[nodiscard]] const RunningCost& alone() const { return alone_; }
  /// Of a block behind another; of one alone as long as none was queued.
  [[nodiscard]] const RunningCost& queued() const { return queued_.empty() ? alone_ : queued_; }

  /// How many blocks the unit should have, so that it waits neither for a copy nor for its next
  /// block: 1 where waiting is less than 0.5 % of a block, else, by Little's law, what a block
  /// takes alone over its longest stage, rounded up generously; at most 4.
  [[nodiscard]] std::size_t depth() const;

 private:
  bool overlaps_;
  RunningCost alone_;
  RunningCost queued_;
  // Sums over blocks that met an empty unit, and all of one that does not overlap: from hand to end
  // heard,
  double latency_s_ = 0.0;
  double stage_s_ = 0.0;  // and of the longest stage
};

}  // namespace equipoise
