// Decisions: the half of the protocol that goes from the policy to the executor.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "shared_policies/model/block.hpp"
#include "shared_policies/model/measures.hpp"
#include "shared_policies/model/unit.hpp"
#include "shared_policies/records/description.hpp"

namespace equipoise {

/// What a policy has fitted and chosen for one unit at the time of a decision, for the journal.
struct UnitEstimate {
  UnitId unit;
  std::string cost;            ///< the fitted cost as text: "0.002 x + 1e-5 x ln x"
  std::optional<double> r2{};  ///< coefficient of determination of the compute fit
  std::optional<double> r2_transfer{};
  Items block_items = 0;  ///< the size chosen for this unit
};

/// Why a policy solved a model.
enum class DecisionKind : std::uint8_t {
  fit,          ///< its first, after training
  rebalance,    ///< units did not end together; counted in results
  divide,       ///< all work is divided at once
  schedule,     ///< all blocks are chosen at once
  step,         ///< a step of the work began
  tail,         ///< less than a step is left
  iteration,    ///< an iteration began
  block_lost,   ///< a block was lost
  unit_lost,    ///< a unit was lost
  unit_joined,  ///< a unit joined
};

constexpr auto words(DescriptionOf<DecisionKind> /*of*/) {
  return std::array{Word{DecisionKind::fit, "fit"},
                    Word{DecisionKind::rebalance, "rebalance"},
                    Word{DecisionKind::divide, "divide"},
                    Word{DecisionKind::schedule, "schedule"},
                    Word{DecisionKind::step, "step"},
                    Word{DecisionKind::tail, "tail"},
                    Word{DecisionKind::iteration, "iteration"},
                    Word{DecisionKind::block_lost, "block_lost"},
                    Word{DecisionKind::unit_lost, "unit_lost"},
                    Word{DecisionKind::unit_joined, "unit_joined"}};
}

/// A kind of a policy's own, or one of a run file that this version does not know.
struct OwnDecisionKind {
  std::string word;  ///< other than those of DecisionKind

  bool operator==(const OwnDecisionKind&) const = default;
};

using AnyDecisionKind = std::variant<DecisionKind, OwnDecisionKind>;

/// The word of the kind in files and messages: "fit".
[[nodiscard]] inline std::string_view decision_word(const AnyDecisionKind& kind) {
  const auto* const known = std::get_if<DecisionKind>(&kind);
  return known != nullptr ? word_of(*known)
                          : std::string_view(std::get<OwnDecisionKind>(kind).word);
}
/// The kind with this word.
[[nodiscard]] inline AnyDecisionKind decision_called(std::string_view word) {
  if (const auto known = called<DecisionKind>(word)) return *known;
  return OwnDecisionKind{std::string(word)};
}

/// The master or `unit` solved a model: the fitted costs and the chosen block sizes. A cost meter
/// computes the time that it took, the journal records it, results count it.
struct Decision {
  std::optional<UnitId> unit{};  ///< the unit that solved the model; none: the master
  AnyDecisionKind what;
  std::vector<UnitEstimate> estimates{};

  [[nodiscard]] bool is(DecisionKind kind) const { return what == AnyDecisionKind(kind); }
};

/// The interface through which a policy acts, while it decides. Every call takes effect before it
/// returns: the View that the policy was given then shows the block that was handed out, or the
/// time that a decision took.
class Decisions {
 public:
  Decisions() = default;
  Decisions(const Decisions&) = delete;
  Decisions& operator=(const Decisions&) = delete;
  virtual ~Decisions() = default;

  /// Hands a block of about `items` to `unit`, where it queues behind the unit's other blocks, and
  /// returns how many items it really has: `items` rounded to whole grains, but no more than the
  /// unit's memory holds or than lie together at the front of the remaining items (lost blocks
  /// leave holes). Returns 0 if no items are left, the unit is absent, or `items` <= 0. `tag` and
  /// `group`: see Block.
  Items assign(UnitId unit, Items items, BlockTag tag = BlockTag::run, std::uint32_t group = 0) {
    return grant(unit, items, tag, group);
  }
  /// Takes back the block with the id `block`, which `unit` was given: its items can be handed out
  /// again at once, and a BlockLost follows. If the unit has not begun it, it costs nothing more;
  /// else the unit goes on with it, and its results are dropped. Returns false, and changes
  /// nothing, if it is not outstanding, if its results are being copied or have been, or after
  /// 10,000 blocks at one time.
  bool take_back(UnitId unit, std::uint64_t block) { return withdraw(unit, block); }
  /// Hands the items of the block with the id `block`, which is outstanding on the unit `of`, to
  /// `unit`, too. The first of the two that begins to copy its results is accepted when these are
  /// there; the other is lost.
  /// Backup tasks: Dean and Ghemawat, MapReduce, OSDI 2004, section 3.6. Returns the number of
  /// items, or 0 if there are two already, the block is not outstanding, or `unit` is absent, has
  /// it, or cannot hold it.
  Items give_twice(std::uint64_t block, UnitId of, UnitId unit) {
    return grant_copy(block, of, unit);
  }
  /// Measures the link of `unit` by a probe: a copy of `bytes_there` to it and then, if given, one
  /// of `bytes_back` from it. They take as long as copies of a block (0 bytes: the latency), wait
  /// for their turn among those of the unit's blocks, in the order of these calls, and keep its
  /// copy engines and links busy. A probe takes no slot, computes nothing, and delays neither the
  /// end of an iteration nor that of the run. Bytes are rounded up to whole ones. A real CPU has no
  /// link and copies within the host's memory.
  ///
  /// The answer is a Probed event with `number`, which the policy chooses; at once, with times of
  /// 0 s, if no link leads to the unit; never if the run ends before. Several probes may be under
  /// way. A unit that keeps one for too long is lost, like one that keeps a block (BlockWatch), and
  /// the event then has no times; without a time-out, a silent unit is waited for until the run
  /// ends. Returns false, and does nothing, if the unit is absent, if bytes are negative or above
  /// 2^53, or after 10,000 probes at one time.
  bool probe(UnitId unit, double bytes_there, std::optional<double> bytes_back = std::nullopt,
             std::uint64_t number = 0) {
    return send_probe(unit, bytes_there, bytes_back, number);
  }
  /// Requests a TimerFired event at time `at` that carries `timer`. It fires at once if `at` is
  /// past, and never if `at` is infinite.
  void set_timer(Seconds at, std::uint64_t timer = 0) { wake(at, timer); }
  /// Reports that the policy has solved a model of the run: the results count such decisions, and
  /// the run file shows what was chosen. The time that it cost passes before the call returns.
  /// Throws InputError if the decision has an OwnDecisionKind with the word of a DecisionKind.
  virtual void decided(const Decision& decision) = 0;
  /// Writes a note into the journal: `poor_fit`, `exhausted_in_training`. Throws InputError if an
  /// event is called so (`unit_lost`, `slow`).
  virtual void note(const std::string& what) = 0;

 private:
  virtual Items grant(UnitId unit, Items items, BlockTag tag, std::uint32_t group) = 0;
  virtual bool withdraw(UnitId unit, std::uint64_t block) = 0;
  virtual Items grant_copy(std::uint64_t block, UnitId of, UnitId unit) = 0;
  virtual bool send_probe(UnitId unit, double bytes_there, std::optional<double> bytes_back,
                          std::uint64_t number) = 0;
  virtual void wake(Seconds at, std::uint64_t timer) = 0;
};

}  // namespace equipoise
