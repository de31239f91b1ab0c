// What to do: the half of the protocol that goes from the policy to the executor.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "shared_policies/model/block.hpp"
#include "shared_policies/model/measures.hpp"
#include "shared_policies/model/unit.hpp"

namespace equipoise {

/// What a policy believes about one unit at the moment of a decision, for the journal.
struct UnitBelief {
  UnitId unit;
  std::string cost;          ///< the fitted cost in words, "0.002 x + 1e-5 x ln x"
  std::optional<double> r2;  ///< coefficient of determination of the compute fit
  std::optional<double> r2_transfer;
  Items block_items = 0;  ///< the size chosen for this unit
};

/// A model was solved by the master, or by `unit`: what was fitted, and the block sizes chosen. A
/// cost meter prices it, the journal holds it, results count it.
struct Decision {
  std::optional<UnitId> unit;  ///< none: the master
  std::string what;            ///< "fit", "rebalance", ...; "rebalance" is counted in results
  std::vector<UnitBelief> beliefs;
};

/// What a policy acts through. Whatever it calls has happened when the call returns: the View that
/// the policy was given shows the block that was granted and the time that a decision took.
class Decisions {
 public:
  Decisions() = default;
  Decisions(const Decisions&) = delete;
  Decisions& operator=(const Decisions&) = delete;
  virtual ~Decisions() = default;

  /// Hands `items` to `unit`, whose queue they join, and returns how many were granted: `items` in
  /// whole grains, as far as the first stretch of what remains and the memory of the unit allow.
  /// 0 where there is nothing left, the unit is absent, or `items` is not above 0.
  /// `group`: see Block.
  Items assign(UnitId unit, Items items, BlockTag tag = BlockTag::run, std::uint32_t group = 0) {
    return grant(unit, items, tag, group);
  }
  /// Asks for a TimerFired at `at` (at once, if that is past; never, if it is infinite), in which
  /// `timer` comes back.
  void set_timer(Seconds at, std::uint64_t timer = 0) { wake(at, timer); }
  /// Says that a model was solved. Its price passes before the call returns.
  virtual void decided(const Decision& decision) = 0;
  /// Leaves a word in the journal: `poor_fit`, `exhausted_in_training`.
  virtual void note(const std::string& what) = 0;

 private:
  virtual Items grant(UnitId unit, Items items, BlockTag tag, std::uint32_t group) = 0;
  virtual void wake(Seconds at, std::uint64_t timer) = 0;
};

}  // namespace equipoise
