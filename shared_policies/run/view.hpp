// The state of a run as known from its events: all that a policy may look at.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "shared_policies/model/event.hpp"
#include "shared_policies/model/unit.hpp"
#include "shared_policies/model/workload.hpp"
#include "shared_policies/run/pool.hpp"

namespace equipoise {

/// A block that was handed out and has neither finished nor been lost.
struct OutstandingBlock {
  Block block;
  Seconds assigned;
  /// The number of counted events before it was handed out: accepted blocks, and events for which
  /// `is_counted` (run_event.hpp) holds, which are lost blocks, late ends, lost units, joined
  /// units, ended probes and fired timers.
  std::uint64_t after_events = 0;
};

/// A probe that has not ended.
struct OutstandingProbe {
  Probe probe;
  Seconds asked;
};

/// Where a unit's next block finds the resident data that it needs.
enum class DataPlace : std::uint8_t {
  here,    ///< on the unit, or there are none
  coming,  ///< a block that the unit has, or another one of its node, brings them
  /// In the memory that the unit shares: another unit of its node, away from the input, has them,
  /// or the unit works in the memory where the input is (a CPU there, or a unit without copy
  /// engines). They do not cross the network.
  node,
  master,  ///< on the master, which sends them
};

/// The state of one unit, as known from the events.
struct UnitState {
  UnitId id;
  Unit unit;
  bool present = true;  ///< false if absent at the start or after UnitLost, until UnitJoined
  /// The largest block that it can be given: what fits its memory (`largest_block`), or less after
  /// a block that it could not do.
  Items cap_items = 0;
  std::deque<OutstandingBlock> outstanding;  ///< in the order of handing out
  std::deque<OutstandingBlock> going_on;     ///< lost blocks on which the unit still works
  std::deque<OutstandingProbe> probes;       ///< under way, in the order of asking

  /// Whether it is present and has fewer blocks than slots.
  [[nodiscard]] bool is_idle() const {
    return present && outstanding.size() + going_on.size() < static_cast<std::size_t>(unit.slots);
  }
};

/// The state of a run as its events tell it. Policies only read it: the run loop includes each
/// event before it gives it to the policy, and each block or probe as soon as the policy has asked
/// for it.
class View {
 public:
  View(std::vector<Unit> units, std::vector<Workload> phases);

  /// The latest time known from the run's events: of an event, of the handing out of a block, or of
  /// the end of a Decision. No clock is read, so the journal contains every time that a policy has
  /// seen.
  [[nodiscard]] Seconds now() const { return now_; }
  /// The work of the current phase, and the numbers of that phase and of its iteration, from 0.
  [[nodiscard]] const Workload& workload() const { return phases_[static_cast<size_t>(phase_)]; }
  [[nodiscard]] int phase() const { return phase_; }
  [[nodiscard]] int iteration() const { return iteration_; }
  /// Items of this iteration that are not handed out, including those that were lost and have to be
  /// done again.
  [[nodiscard]] Items remaining() const { return pool_.remaining(); }
  /// These items as ranges, ascending, of which no two touch. The next block is cut from the front
  /// of the first.
  [[nodiscard]] AscendingRanges not_handed_out() const { return AscendingRanges(pool_.ranges()); }
  /// All units in the order of their ids, absent ones included.
  [[nodiscard]] std::span<const UnitState> units() const { return units_; }
  [[nodiscard]] const UnitState& unit(UnitId id) const { return units_[id.index]; }
  /// Number of blocks that are handed out and not back, on all units.
  [[nodiscard]] std::size_t outstanding() const { return outstanding_; }
  /// Number of lost blocks that go on, on all units.
  [[nodiscard]] std::size_t going_on() const { return going_on_; }

  /// Number of probes under way, on all units.
  [[nodiscard]] std::size_t probes() const { return probes_; }
  /// Where the next block of `unit` finds the resident data of the current phase and iteration, as
  /// far as the events tell: those of a unit are there for certain when a block that needed them
  /// was computed, and until the unit is lost; those that are replicated are there from the start.
  /// Nothing is known of routes: units of one node are taken to get data once, over the link that
  /// they share. O(units of the node).
  [[nodiscard]] DataPlace resident_data(UnitId unit) const;
  /// The bytes of resident data that the master sends before the next block of `unit`: 0 unless
  /// they are `DataPlace::master`; what the iteration before has changed, if the unit has the rest.
  [[nodiscard]] double resident_bytes_to_send(UnitId unit) const;

  // -- For the run loop ------------------------------------------------------------------------

  /// Only the items of `range` are to be done from the next IterationStarted on: the workload of
  /// phase number `phase` has so many. What is known of resident data stays, if it is of this
  /// phase.
  void begin_part(int phase, ItemRange range);
  /// Updates the state with `event`.
  void include(const Event& event);
  /// Records that `block` was granted to `unit`.
  void grant(const OutstandingBlock& block, UnitId unit);
  /// Records that `probe` was accepted by `unit`.
  void grant(const OutstandingProbe& probe, UnitId unit);
  /// Advances the time to `now`, if that is later.
  void pass(Seconds now);
  /// Marks `unit` absent: at the start, or when it is lost, before its outstanding blocks are
  /// reported lost one by one.
  void mark_absent(UnitId unit);

 private:
  /// What is known of a unit's resident data.
  struct Residents {
    std::optional<int> iteration;  ///< whose data of this phase it has for certain
    std::optional<int> sent;       ///< whose data were last sent to it
    bool has_original = true;      ///< it was there from the start, and has never been lost
  };

  void begin_phase(int phase);
  void fill_pool();
  /// Removes a block that has ended from `blocks`, and returns it.
  static OutstandingBlock remove(std::deque<OutstandingBlock>& blocks, std::uint64_t block_id);
  void lose(const BlockLost& lost);
  /// The data that a block of the unit needed are there.
  void learn(UnitId unit, const Block& block, const StageTimes& times);
  [[nodiscard]] bool has_current(UnitId unit) const;
  [[nodiscard]] bool is_getting(const UnitState& unit) const;
  [[nodiscard]] bool is_replicated_to(UnitId unit) const;

  std::vector<Workload> phases_;
  std::vector<UnitState> units_;
  std::vector<Residents> residents_;                         ///< (units)
  std::map<std::string, std::vector<UnitId>> remote_units_;  ///< by node
  Seconds now_;
  int phase_ = 0;
  int iteration_ = 0;
  std::optional<ItemRange> part_;  ///< to which the iteration is limited; none: to nothing
  Pool pool_;                      ///< what is not handed out, as the events tell
  std::size_t outstanding_ = 0;
  std::size_t going_on_ = 0;
  std::size_t probes_ = 0;
};

}  // namespace equipoise
