// How long units keep their blocks: the rule by which executors find that a silent unit is lost.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "shared_policies/model/block_timeout.hpp"
#include "shared_policies/model/measures.hpp"
#include "shared_policies/model/unit.hpp"
#include "shared_policies/model/workload.hpp"

namespace equipoise {

/// Watches the units of an executor. A unit that has blocks is waited for since its last block came
/// back or, if it had none since, since the first of them was handed out.
///
/// With BlockTimeout::fixed(T), a unit is late when it has been waited for T.
///
/// With BlockTimeout::automatic(), it is late when it has been waited for much longer than before. If
/// the unit's blocks of this phase came back after waits w_1 .. w_k and had n_1 .. n_k items,
///
///     expected(n) = max(max_i w_i, n * sum_i w_i / sum_i n_i)
///     allowed(n)  = max(floor, noise * expected(n))
///
/// and n is the largest of the blocks that the unit has. If blocks take a + b n, a >= 0, none is
/// expected earlier than it can come: let N be the mean of the n_i; the mean wait is a + b N, so that
/// max_i w_i >= a + b n if n <= N, and n (a + b N) / N >= a + b n if n >= N. What is learned and what
/// is judged is the same quantity, so it contains the copies, the handing out and the waiting in
/// queues that there are.
///
/// Nothing is known yet of a unit's first block in a phase, of its first after it joined (resident
/// data are sent again), and of its first in the second iteration of a phase or a later one (data that
/// have changed are sent). Such a block is judged by all units together, e(n) being what the blocks of
/// all of them let expect, and not before one has come back since the phase, or its second iteration,
/// began. Its copies may go over another link than theirs:
///
///     expected(n) = max(expected by itself, difference * e(n))
///     allowed(n)  = max(floor, noise * expected(n)) + bytes of the copies / slowest_link
///
/// Time in which the executor did not look at its units does not count: of the time between two looks,
/// at most `looks_every`. If all units that are present are late, none is: then it is the machine
/// that stands still, and all counts begin again when the next block comes back.
///
/// O(log blocks of the unit + log units) for each call; O(units) at the first end of a block in a
/// phase or in its second iteration, and when a unit is late. O(1) with BlockTimeout::Rule::none;
/// then no unit is ever late.
class BlockWatch {
 public:
  /// Covers noise, costs that grow faster than the items, stages that had been hidden behind
  /// computing (four at most), and other programs that take a part of the machine.
  static constexpr double noise = 10.0;
  /// By how much units of a run may differ in the time of an item, such as a core and a GPU.
  static constexpr double difference = 100.0;
  /// Bytes per second: 100 Mbit/s Ethernet, or a tenth of a faster link.
  static constexpr double slowest_link = 1e7;
  /// Waits below this are matters of the operating system, not of the unit. Linux says that a core
  /// is stuck when it has run nothing else for this long (kernel.watchdog_thresh); swapping, other
  /// programs and virtual machines that are moved keep threads waiting for seconds.
  static constexpr Seconds floor{10.0};

  /// How an executor's clock goes, and how often it looks.
  struct Looks {
    Seconds floor = BlockWatch::floor;    ///< by its clock
    Seconds every = Seconds::infinity();  ///< it looks at its units at least so often
  };

  BlockWatch(std::size_t units, BlockTimeout timeout) : BlockWatch(units, timeout, Looks()) {}
  BlockWatch(std::size_t units, BlockTimeout timeout, const Looks& looks);

  /// An iteration of a phase, whose work is `workload`, begins.
  void begin_iteration(const Workload& workload, int iteration);
  /// `unit` gets a block.
  void handed_out(UnitId unit, Items items, Seconds at);
  /// A block of `unit` has ended, whether its results count or not. Nothing is learned from one that could
  /// not be done.
  void came_back(UnitId unit, Items items, Seconds at, bool is_done = true);
  /// A block of `unit`, which it had not begun, was taken back.
  void withdrawn(UnitId unit, Items items);
  /// `unit` is lost, with all its blocks, or is absent when the run starts.
  void lost(UnitId unit);
  /// Whether a late unit that answers takes part again.
  [[nodiscard]] bool takes_again() const { return is_automatic(); }
  /// `unit` is there from now on, or again.
  void joined(UnitId unit, Seconds at);
  /// The same of a unit that was late and has answered: it may be waited for as long the next time.
  void answered(UnitId unit, Seconds at);

  /// When to ask for late units if nothing happens before; infinity: not before something happens.
  [[nodiscard]] Seconds next_late() const;
  /// The unit that has been late for longest at `at`, now; none if none is.
  [[nodiscard]] std::optional<UnitId> late(Seconds at);
  /// How long `unit`, which is late, has been waited for at `at`; with a fixed time, that.
  [[nodiscard]] Seconds waited(UnitId unit, Seconds at) const {
    return is_automatic() ? at - units_[unit.index].since : timeout_.after;
  }

 private:
  /// What was learned from blocks.
  struct Learned {
    Seconds longest;  ///< wait
    Seconds waits;    ///< their sum
    double items = 0.0;

    void add(Seconds wait, Items of);
    [[nodiscard]] Seconds expected(Items of) const;
  };
  struct OfUnit {
    std::multiset<Items> blocks;
    Seconds since;       ///< it is waited for since then, by the executor's clock
    Seconds counted;     ///< and by the time that counts
    Seconds due;         ///< late at this time, as far as was known when it was put into `due_`
    Learned learned;     ///< in this phase
    bool is_new = true;  ///< its next block is judged by all units
    bool is_present = true;
  };

  [[nodiscard]] bool is_automatic() const { return timeout_.rule == BlockTimeout::Rule::automatic; }
  void look(Seconds now);
  [[nodiscard]] Seconds counted(Seconds at) const;
  [[nodiscard]] Seconds allowed(const OfUnit& unit) const;
  void wait_for(OfUnit& unit, Seconds at);
  void schedule(UnitId unit);
  void schedule_all();
  void take(OfUnit& unit, Items items);
  void learn(OfUnit& unit, Items items, Seconds at);
  void begin_again(Seconds at);
  [[nodiscard]] bool are_all_late(Seconds now);

  BlockTimeout timeout_;
  Looks looks_;
  std::vector<OfUnit> units_;                        ///< empty if none is ever late
  std::set<std::pair<Seconds, std::uint32_t>> due_;  ///< (units with blocks) by `due`
  double resident_bytes_ = 0.0;                      ///< of the phase
  double bytes_per_item_ = 0.0;                      ///< copied there and back
  Learned all_;                                      ///< in this phase, of all units
  bool is_judged_ =
      false;  ///< a block has come back since the phase, or its second iteration, began
  bool is_halted_ = false;  ///< all units are late
  Seconds looked_;          ///< when the executor looked last
  Seconds skipped_;         ///< time that does not count
};

}  // namespace equipoise
