// The common part of the loop self-scheduling policies: a unit requests work, and a rule gives the
// block size.
#pragma once

#include <optional>

#include "shared_policies/model/block.hpp"
#include "shared_policies/model/measures.hpp"
#include "shared_policies/run/policy.hpp"

namespace equipoise {

/// A rule's answer to a unit that requests work.
struct WantedBlock {
  double items = 0.0;
  BlockTag tag = BlockTag::run;
};

/// A policy that answers every UnitIdle, and no other event, with a block whose size is given by a
/// rule.
///
/// Sizes are rounded up to whole grains (an iteration of the literature's loops is a grain here)
/// and are at least `min_block_items`; the run loop limits them to what remains and to unit memory.
/// P, the number of units in all formulas, is the number of present units.
class SelfScheduling : public Policy {
 public:
  /// `min_block_items`: if not given, one grain.
  explicit SelfScheduling(std::optional<Items> min_block_items)
      : min_block_items_(min_block_items) {}

  void decide(const View& view, const Event& event, Decisions& decisions) final;

 protected:
  /// Called with every event before the policy acts on it.
  virtual void learn(const View& /*view*/, const Event& /*event*/) {}
  /// The size for `unit`, before rounding; called only if work is left.
  virtual WantedBlock wanted(const View& view, UnitId unit) = 0;

  /// P, the number of present units; at least 1 when a unit requests work.
  [[nodiscard]] double present() const { return present_; }
  /// The smallest block, in whole grains.
  [[nodiscard]] double min_items(const View& view) const;

 private:
  std::optional<Items> min_block_items_;
  double present_ = 0.0;
};

/// `items` rounded up to whole grains, at least one.
[[nodiscard]] double whole_grains_up(const View& view, double items);

/// A batch of factoring: a share of the remaining items that is handed out in blocks of one base
/// size, or of weighted multiples of it. The batch ends when its items are handed out, no matter to
/// which units, because units of different speed do not take turns. With equal units this is after
/// P blocks.
///
/// Lost work ends the batch: otherwise the small sizes meant for the end of a loop would cut it
/// into very small blocks.
class FactoringBatch {
 public:
  /// Ends the batch if the event starts an iteration or reports a lost block.
  void include(const Event& event);
  [[nodiscard]] bool is_over(const View& view) const {
    return !end_remaining_ || static_cast<double>(view.remaining()) <= *end_remaining_;
  }
  /// Begins a batch of `units` blocks of `base_items`, rounded up to whole grains.
  void begin(const View& view, double base_items, double units);
  /// The base size: the block size for weight 1.
  [[nodiscard]] double base_items() const { return base_items_; }

 private:
  double base_items_ = 0.0;
  std::optional<double> end_remaining_;  ///< items that remain when the batch ends; none: no batch
};

}  // namespace equipoise
