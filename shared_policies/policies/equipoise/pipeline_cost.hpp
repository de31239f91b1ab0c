// The cost of blocks on a unit that processes one block at a time, or several as a pipeline.
#pragma once

#include <cstddef>

#include "shared_policies/model/event.hpp"
#include "shared_policies/policies/equipoise/running_cost.hpp"

namespace equipoise {

/// What is learned of one unit and kernel from finished blocks. Of a block that met an empty unit,
/// the time from its hand-out to its end counts. Of one that was queued behind another, the longest
/// stage counts, because the others are hidden behind its neighbours', times how much longer all
/// queued blocks took, from end to end, than their longest stages. (Its own time from end to end
/// may contain waiting for others of other sizes; it counts on a unit that does not overlap.)
/// Source: ours.
class PipelineCost {
 public:
  /// `overlaps`: the unit copies one block while it computes another. Otherwise (`copy_engines` 0)
  /// only the latency to and from the controller can be hidden, and the three stages count as one.
  explicit PipelineCost(bool overlaps = true) : overlaps_(overlaps) {}

  /// Starts from what earlier runs showed. To be called before any block.
  void start_from(const LearnedCost& learned);

  /// Adds a block that ended at `at`, without its setup. `last_end`: of the unit's block before it.
  /// A unit's first block in a phase (`is_first`), which is not warm yet, is used only if nothing
  /// else is known; on a unit that does not overlap, only its compute time is. `heard`: how long
  /// the controller needed to hear of `last_end`, if the block answered it; else 0. Returns whether
  /// what earlier runs showed is contradicted, and forgotten: by a block that met an empty unit,
  /// until one was not mostly fixed cost.
  bool add(const BlockFinished& finished, Seconds at, Seconds last_end, bool is_first,
           Seconds heard = {});
  /// Whether no block of this run has shown yet what items cost, only earlier runs have.
  [[nodiscard]] bool is_unconfirmed() const { return is_unconfirmed_; }

  [[nodiscard]] bool is_known() const { return !alone_.empty() || !queued_.empty(); }
  /// The cost of a block on an empty unit; that of a queued one as long as none met an empty unit.
  [[nodiscard]] const RunningCost& alone() const { return alone_.empty() ? queued_ : alone_; }
  /// The cost of a block queued behind another; that on an empty unit as long as none was queued.
  [[nodiscard]] const RunningCost& queued() const { return queued_.empty() ? alone_ : queued_; }

  /// How many blocks the unit should have outstanding, so that it waits neither for a copy nor for
  /// its next block, by Little's law: the time of a block on an empty unit divided by its longest
  /// stage, rounded up. Waiting for 5 % of a block is not worth another one. At most 4.
  [[nodiscard]] std::size_t depth() const;
  /// How many blocks, at most `engines` + 1, are to share a memory that holds `items`, so that an
  /// item is cheapest (three instead of two may cost 5 %): of n, one takes an n-th of its time on
  /// an empty unit, or its longest stage.
  [[nodiscard]] int blocks_in_memory(double items, int engines) const;
  /// Whether queued blocks hide copies, not only the latency of the controller.
  [[nodiscard]] bool hides_copies() const;
  /// The time of the longest block that should be queued on a unit that will be busy for `busy_s`
  /// and has `left_s` seconds of work to come. A share c of a block's time beyond its fixed part a
  /// is its copy in. What is longer than `busy_s` of this copy is waiting; blocks of y seconds
  /// beyond `a` cost a / y of the time left: a left / y + c y is least at y = sqrt(a left / c). So
  ///
  ///     a + max(busy, sqrt(a left c)) / c
  ///
  /// Infinite if queued blocks hide no copies, or as long as this run has shown no copy in.
  [[nodiscard]] double longest_hidden_s(double busy_s, double left_s) const;

 private:
  static constexpr double tolerance = 0.05;   ///< waiting of a block that is not worth another one
  static constexpr double most_queued = 4.0;  ///< blocks

  bool overlaps_;
  bool is_unconfirmed_ = false;
  RunningCost alone_;
  RunningCost queued_;
  // Sums over the blocks that met an empty unit, and over all of a unit that does not overlap:
  double latency_s_ = 0.0;  // from hand-out until the controller hears of the end
  double stage_s_ = 0.0;    // the longest stage
  double copies_s_ = 0.0;   // the other stages, where they can be hidden
  // The same of this run alone:
  double in_s_ = 0.0;        // copies in
  double in_stage_s_ = 0.0;  // the longest stage
  // Sums over queued blocks:
  double spans_s_ = 0.0;          // from the end of the block before to the own end
  double queued_stages_s_ = 0.0;  // the longest stage
};

}  // namespace equipoise
