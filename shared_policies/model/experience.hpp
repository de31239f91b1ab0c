// Experience: what earlier runs showed of a kernel's blocks on a unit.
#pragma once

#include <optional>
#include <vector>

#include "shared_policies/records/description.hpp"

namespace equipoise {

/// Blocks of similar sizes, within a factor of two. The description says what each member is.
struct LearnedSize {
  double items = 0.0;
  double blocks = 0.0;
  double seconds = 0.0;
};

constexpr auto describe(DescriptionOf<LearnedSize> /*of*/) {
  return std::tuple(
      member("items", &LearnedSize::items, "mean size of the blocks")
          .in("items")
          .at_least(1)
          .at_most(1e18),
      member("blocks", &LearnedSize::blocks, "how many blocks; those of earlier runs count less")
          .above(0)
          .at_most(1e18),
      member("seconds", &LearnedSize::seconds, "their mean time, without setup")
          .in("s")
          .above(0)
          .at_most(1e18));
}

/// What earlier runs showed of a kernel on a unit. The description says what each member is.
struct LearnedCost {
  std::vector<LearnedSize> alone;
  std::vector<LearnedSize> queued;
  double stage_share = 1.0;
  double scatter = 0.0;
  double uncertainty = 0.0;  ///< of all times, relative: the larger, the older they are

  [[nodiscard]] bool empty() const { return alone.empty() && queued.empty(); }
};

constexpr auto describe(DescriptionOf<LearnedCost> /*of*/) {
  return std::tuple(
      member("alone", &LearnedCost::alone,
             "blocks handed out to an empty unit, from hand-out to end; ascending sizes"),
      member("queued", &LearnedCost::queued,
             "blocks queued behind another one, from its end to theirs; ascending sizes"),
      member("stage_share", &LearnedCost::stage_share,
             "the longest stage of a block, as a share of its time on an empty unit")
          .at_least(0)
          .at_most(1),
      member("scatter", &LearnedCost::scatter,
             "relative standard deviation of the time of one block")
          .at_least(0)
          .at_most(1e6),
      member("doubt", &LearnedCost::uncertainty, "by how much all times may be wrong, relatively")
          .at_least(0)
          .at_most(1e6));
}

/// [phase][unit]: what is known before a run; nothing where a unit never did the phase's kernel.
using Experience = std::vector<std::vector<std::optional<LearnedCost>>>;

}  // namespace equipoise
