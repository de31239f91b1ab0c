// Experience: what earlier runs showed of a kernel's blocks on a unit.
#pragma once

#include <optional>
#include <vector>

namespace equipoise {

/// Blocks of similar sizes, within a factor of two.
struct LearnedSize {
  double items = 0.0;    ///< their mean size
  double blocks = 0.0;   ///< how many; those of earlier runs count less
  double seconds = 0.0;  ///< their mean time, without setup
};

/// What earlier runs showed of a kernel on a unit.
struct LearnedCost {
  /// Blocks handed out to an empty unit: from hand-out to end. Ascending sizes.
  std::vector<LearnedSize> alone;
  /// Blocks queued behind another one: from its end to theirs. Ascending sizes.
  std::vector<LearnedSize> queued;
  /// The longest stage of a block, as a share of its time on an empty unit; 1 if no time is copying
  /// or waiting.
  double stage_share = 1.0;
  /// Relative standard deviation of the time of one block.
  double scatter = 0.0;
  /// By how much all times may be wrong, relatively: the more, the older they are.
  double doubt = 0.0;

  [[nodiscard]] bool empty() const { return alone.empty() && queued.empty(); }
};

/// [phase][unit]: what is known before a run; nothing where a unit never did the phase's kernel.
using Experience = std::vector<std::vector<std::optional<LearnedCost>>>;

}  // namespace equipoise
