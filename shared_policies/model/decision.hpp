// What to do: the half of the protocol that goes from the policy to the executor.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "shared_policies/model/block.hpp"
#include "shared_policies/model/measures.hpp"
#include "shared_policies/model/unit.hpp"

namespace equipoise {

/// Hands `items` to `unit`. The run loop grants what grain, remaining items and memory allow; the
/// View shows what was granted. A busy unit queues the block. `items` 0 is no decision.
struct Assign {
  UnitId unit;
  Items items = 0;
  BlockTag tag = BlockTag::run;
  std::uint32_t group = 0;  ///< see Block::group
};

/// Asks for a TimerFired at `at` (at once, if that is past; never, if it is infinite).
struct SetTimer {
  Seconds at;
  std::uint64_t timer = 0;  ///< comes back in the event
};

/// What a policy believes about one unit at the moment of a decision, for the journal.
struct UnitBelief {
  UnitId unit;
  std::string cost;          ///< the fitted cost in words, "0.002 x + 1e-5 x ln x"
  std::optional<double> r2;  ///< coefficient of determination of the compute fit
  std::optional<double> r2_transfer;
  Items block_items = 0;  ///< the size chosen for this unit
};

/// A model was solved by the master, or by `unit`; the run loop's cost meter prices it.
struct Thought {
  std::optional<UnitId> unit;  ///< none: the master
  std::string what;            ///< "fit", "rebalance", ...; "rebalance" is counted in results
  std::vector<UnitBelief> beliefs;
};

/// A word for the journal: `poor_fit`, `exhausted_in_training`.
struct Note {
  std::string what;
};

using Decision = std::variant<Assign, SetTimer, Thought, Note>;

/// What a policy appends its decisions to. They take effect in the order appended.
class Decisions {
 public:
  /// Appends an Assign.
  void assign(UnitId unit, Items items, BlockTag tag = BlockTag::run, std::uint32_t group = 0) {
    list_.emplace_back(Assign{unit, items, tag, group});
  }
  /// Appends a SetTimer.
  void set_timer(Seconds at, std::uint64_t timer = 0) { list_.emplace_back(SetTimer{at, timer}); }
  /// Appends a Thought.
  void thought(Thought thought) { list_.emplace_back(std::move(thought)); }
  /// Appends a Note.
  void note(std::string what) { list_.emplace_back(Note{std::move(what)}); }

  [[nodiscard]] const std::vector<Decision>& list() const { return list_; }
  void clear() { list_.clear(); }

 private:
  std::vector<Decision> list_;
};

}  // namespace equipoise
