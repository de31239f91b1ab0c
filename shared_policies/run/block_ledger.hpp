// The blocks of a run, from handing out to their ends: who has which items, and whether all are
// done.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "shared_policies/model/event.hpp"
#include "shared_policies/run/executor.hpp"
#include "shared_policies/run/idle_offers.hpp"
#include "shared_policies/run/journal.hpp"
#include "shared_policies/run/pool.hpp"
#include "shared_policies/run/view.hpp"

namespace equipoise {

/// Owns the items of the current iteration. Starts blocks and probes on the executor, keeps the
/// View up to date, and records every event of a run in the journal, whose order it counts.
class BlockLedger {
 public:
  /// Lets the policy answer an event that the View includes.
  using Answer = std::function<void(const Event&)>;

  /// All of them outlive it. `offered`: gets the units that may be idle, after the events of an
  /// instant.
  BlockLedger(Executor& executor, Journal& journal, View& view, IdleOffers& offered, Answer answer)
      : executor_(executor),
        journal_(journal),
        view_(view),
        offered_(offered),
        answer_(std::move(answer)) {}

  /// All items of `workload` are to be done.
  void begin_iteration(const Workload& workload);
  [[nodiscard]] Items remaining() const { return pool_.remaining(); }
  /// Whether the accepted items are those of `workload`, each once.
  [[nodiscard]] bool covers(const Workload& workload) const {
    return coverage_.covers(workload.items);
  }

  /// The outstanding block `id` of `unit`, or null.
  [[nodiscard]] const OutstandingBlock* find(UnitId unit, std::uint64_t id) const;
  /// Cuts a block of `items` > 0 from the pool, which is not empty, and starts it on a unit that is
  /// present. Returns its number of items.
  Items hand_out(UnitId unit, Items items, BlockTag tag, std::uint32_t group);
  /// Decisions::take_back of a block that is outstanding. The policy is not told yet: see `untold`.
  bool take_back(UnitId unit, std::uint64_t id);
  /// Whether Decisions::give_twice can be done.
  [[nodiscard]] bool can_give_twice(std::uint64_t id, UnitId of, UnitId unit) const;
  /// Does it, if it can be done.
  Items give_twice(std::uint64_t id, UnitId of, UnitId unit);
  /// Sends a probe to a unit that is present. Its id is set here.
  void probe(UnitId unit, Probe probe);
  /// The next loss of which the policy was not told, because it caused it itself; none: none.
  [[nodiscard]] std::optional<Event> untold();

  /// Events of the executor. A block or unit that is not known any more is passed over.
  void finish(const Event& event, const BlockFinished& finished);
  void end_late(const Event& event, const LateEnd& late);
  void end_probe(const Event& event, const Probed& probed);
  void lose(Seconds at, const BlockLost& lost);
  void lose_unit(const Event& event, UnitId unit);
  /// Records an event.
  void tell(const EventRecord& record);
  /// Records the outstanding blocks of a run that ends early; without them its decisions could not
  /// be checked.
  void tell_outstanding();

 private:
  /// A block on a unit.
  struct Handed {
    UnitId unit;
    std::uint64_t id;
  };

  void start(const Block& block, UnitId unit);
  Event record_loss(UnitId unit, const OutstandingBlock& lost, LostBy by,
                    const Executor::TakenBack& taken, bool returns_items);
  void drop(UnitId unit, const OutstandingBlock& lost, LostBy by, const Executor::TakenBack& taken);
  std::optional<Handed> part_from_copy(std::uint64_t id);
  void offer_all();

  Executor& executor_;
  Journal& journal_;
  View& view_;
  IdleOffers& offered_;
  Answer answer_;
  Pool pool_;
  Coverage coverage_;
  std::vector<std::pair<Handed, Handed>> copies_;  ///< outstanding blocks of the same items
  std::deque<Event> untold_;
  std::uint64_t blocks_granted_ = 0;
  std::uint64_t probes_granted_ = 0;
  std::uint64_t events_ = 0;  ///< counted like OutstandingBlock::after_events
};

}  // namespace equipoise
