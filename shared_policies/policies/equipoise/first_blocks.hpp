// Decides which units get a first block before anything is known of them, and its size.
#pragma once

#include "shared_policies/policies/equipoise/division.hpp"
#include "shared_policies/run/view.hpp"

namespace equipoise {

/// Shares of all items that the first blocks of all units would have together.
struct FirstShares {
  double cpu = 0.0005;        ///< if all units were CPUs
  double accelerator = 0.02;  ///< if no unit were a CPU
};

/// Whether something that was never measured is worth trying with `left_s` seconds left, if the
/// nearest thing that was measured takes `known_s`. It takes k times as long, with every k from 1
/// to `doubt` on a logarithmic scale equally likely. What takes longer than is left delays the end
/// by the difference. What ends earlier is taken to do half of the work of the time then left. The
/// mean gain must be the mean loss at least. Source: ours.
[[nodiscard]] bool is_worth_trying(double known_s, double left_s, double doubt);

/// The first blocks of a phase.
class FirstBlocks {
 public:
  FirstBlocks(const FirstShares& shares, double doubt) : shares_(shares), doubt_(doubt) {}

  /// Looks at what is known of all units.
  void look(const View& view, const Division& division);
  /// The size in items of the first block of a unit.
  [[nodiscard]] double items(const View& view, const UnitState& unit) const;
  /// Whether a unit should be given a first block. A CPU whose share is less than a grain waits
  /// until an accelerator has shown its time for a grain, if there is one, and is then tried if
  /// that `is_worth_trying`; all others are always given one.
  [[nodiscard]] bool may_try(const View& view, const UnitState& unit, double end_s) const;

 private:
  FirstShares shares_;
  double doubt_;
  double grain_s_ = 0.0;  // the shortest time of an accelerator for a grain; 0: unknown
  bool is_accelerator_awaited_ = false;  // there is one of which nothing is known
};

}  // namespace equipoise
