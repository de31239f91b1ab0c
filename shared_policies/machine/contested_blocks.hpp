// Which of two blocks with the same items copies its results.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "shared_policies/model/block.hpp"
#include "shared_policies/model/unit.hpp"

namespace equipoise {

/// The blocks of an iteration that were given twice (Decisions::give_twice), by Block::original().
/// The first that claims its items copies its results, unless its unit is lost before they are
/// there.
class ContestedBlocks {
 public:
  /// `copy` is given to a second unit. `claimant`: the unit that copies its results already.
  void add(const Block& copy, std::optional<UnitId> claimant) {
    claims_[copy.original()] = {claimant, false};
  }
  /// Whether `block` of `unit` may copy its results.
  [[nodiscard]] bool is_open(UnitId unit, const Block& block) const {
    const auto found = claims_.find(block.original());
    if (found == claims_.end()) return true;
    const Claim& claim = found->second;
    return !claim.is_done && (!claim.unit || *claim.unit == unit);
  }
  /// `unit` begins to copy the results of `block`. Returns whether it may.
  bool claim(UnitId unit, const Block& block) {
    if (!is_open(unit, block)) return false;
    const auto found = claims_.find(block.original());
    if (found != claims_.end()) found->second.unit = unit;
    return true;
  }
  /// The results of `block` are there.
  void done(const Block& block) {
    const auto found = claims_.find(block.original());
    if (found != claims_.end()) found->second.is_done = true;
  }
  /// `unit` is lost.
  void lost(UnitId unit) {
    for (auto& [original, claim] : claims_) {
      if (claim.unit == unit) claim.unit.reset();
    }
  }
  /// An iteration begins: of the former one, no block copies results any more.
  void clear() { claims_.clear(); }

 private:
  struct Claim {
    std::optional<UnitId> unit;
    bool is_done = false;
  };
  std::map<std::uint64_t, Claim> claims_;
};

}  // namespace equipoise
