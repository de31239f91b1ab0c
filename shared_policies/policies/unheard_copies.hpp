// Copies of a policy's blocks that are handed out without its doing, and what it hears of them.
#pragma once

#include <cstdint>
#include <set>
#include <variant>

#include "shared_policies/run/policy.hpp"

namespace equipoise {

/// Gives blocks of a policy to second units on its behalf, and tells which events the policy is to
/// hear: those of its own blocks only. Each of them ends as BlockFinished, or as BlockLost if its
/// copy was first (`by` copy, nothing returns). Of a copy it hears one thing: that its items are in
/// the pool again (a BlockLost with `returns_items`), which happens when the original was lost
/// before.
class UnheardCopies {
 public:
  /// Hands the block with the id `block`, outstanding on the unit `of`, to `unit`, too, as
  /// Decisions::give_twice does; returns whether that was possible.
  bool give_twice(const View& view, Decisions& decisions, std::uint64_t block, UnitId of,
                  UnitId unit) {
    if (decisions.give_twice(block, of, unit) == 0) return false;
    copies_.insert(view.unit(unit).outstanding.back().block.id);
    return true;
  }

  [[nodiscard]] bool hears(const Event& event) const {
    if (const auto* finished = std::get_if<BlockFinished>(&event.what)) {
      return !copies_.contains(finished->block.id);
    }
    if (const auto* late = std::get_if<LateEnd>(&event.what)) {
      return !copies_.contains(late->block.id);
    }
    if (const auto* lost = std::get_if<BlockLost>(&event.what)) {
      return lost->returns_items || !copies_.contains(lost->block.id);
    }
    return true;
  }

 private:
  std::set<std::uint64_t> copies_;
};

}  // namespace equipoise
