// What the policies of the loop self-scheduling family share: a unit asks, a rule says how much.
#pragma once

#include <optional>

#include "shared_policies/model/block.hpp"
#include "shared_policies/model/measures.hpp"
#include "shared_policies/run/policy.hpp"

namespace equipoise {

/// What a rule answers to a unit that asks for work.
struct WantedBlock {
  double items = 0.0;
  BlockTag tag = BlockTag::run;
};

/// A policy that answers every UnitIdle, and only that, with a block whose size a rule gives.
///
/// Sizes are rounded up to whole grains (an iteration of the literature's loops is a grain here)
/// and are at least `min_block_items`; the run loop clamps them to what remains and to unit memory.
/// P, the number of units in all formulas, is the number of units that are present.
class SelfScheduling : public Policy {
 public:
  /// `min_block_items` none: one grain.
  explicit SelfScheduling(std::optional<Items> min_block_items)
      : min_block_items_(min_block_items) {}

  void decide(const View& view, const Event& event, Decisions& decisions) final;

 protected:
  /// Is told every event before it is acted on.
  virtual void learn(const View& /*view*/, const Event& /*event*/) {}
  /// The size for `unit`, before rounding; there is work left.
  virtual WantedBlock wanted(const View& view, UnitId unit) = 0;

  /// P; at least 1 while a unit asks.
  [[nodiscard]] double present() const { return present_; }
  /// The smallest block, in whole grains.
  [[nodiscard]] double min_items(const View& view) const;

 private:
  std::optional<Items> min_block_items_;
  double present_ = 0.0;
};

/// `items` rounded up to whole grains, at least one.
[[nodiscard]] double whole_grains_up(const View& view, double items);

/// A batch of factoring: a share of the rest that is handed out in blocks of one base size, or of
/// weighted multiples of it. It is over when its items are handed out, whoever took them, as units
/// of different speed do not come in turns; with equal units that is after P blocks.
///
/// Lost work ends the batch: sizes that were meant for the end of a loop would cut it into crumbs.
class FactoringBatch {
 public:
  /// Ends the batch where an iteration starts or work is lost.
  void include(const Event& event);
  [[nodiscard]] bool is_over(const View& view) const {
    return !end_remaining_ || static_cast<double>(view.remaining()) <= *end_remaining_;
  }
  /// Begins a batch of `units` blocks of `base_items`, rounded up to whole grains.
  void begin(const View& view, double base_items, double units);
  /// The base size, of weight 1.
  [[nodiscard]] double base_items() const { return base_items_; }

 private:
  double base_items_ = 0.0;
  std::optional<double> end_remaining_;  ///< what remains when the batch is over; none: it is
};

}  // namespace equipoise
