// How long units keep their blocks: the rule by which executors find that a silent unit is lost.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "shared_policies/model/block.hpp"
#include "shared_policies/model/block_timeout.hpp"
#include "shared_policies/model/event.hpp"
#include "shared_policies/model/measures.hpp"
#include "shared_policies/model/unit.hpp"
#include "shared_policies/model/workload.hpp"

namespace equipoise {

/// The kinds of `units`, each of which is described with others in a struct that has a member
/// `unit`.
template <class Described>
[[nodiscard]] std::vector<UnitKind> kinds_of(const std::vector<Described>& units) {
  std::vector<UnitKind> kinds;
  for (const Described& one : units) kinds.push_back(one.unit.kind);
  return kinds;
}

/// Watches the units of an executor. A unit that has blocks or probes is waited for since it last
/// answered, by the end of one, or, if it had none since, since the first of them was handed out.
///
/// With BlockTimeout::fixed(T), a unit is late when it has been waited for T.
///
/// With BlockTimeout::automatic(), it is late when it has been waited for much longer than before.
/// If the unit's blocks of this phase came back after waits w_1 .. w_k, without the setups that the
/// units report, and had n_1 .. n_k items,
///
///     expected(n) = max(max_i w_i, n * sum_i w_i / sum_i n_i)
///     allowed(n)  = max(floor, noise * expected(n))
///
/// and n is the largest of the blocks that the unit has. If blocks take a + b n, a >= 0, none is
/// expected earlier than it can come: let N be the mean of the n_i; the mean wait is a + b N, so
/// that max_i w_i >= a + b n if n <= N, and n (a + b N) / N >= a + b n if n >= N. What is learned
/// and what is judged is the same quantity, so it contains the copies, the handing out and the
/// waiting in queues that there are.
///
/// A unit that has done no block of the phase is judged by those that have: by the longest wait of
/// any of them, W, and the most, B, that an item took in the mean of the blocks that one of them
/// had done at some time:
///
///     others(n)  = max(W, n B)
///     allowed(n) = max(floor, noise * others(n))
///
/// That is what doing the block again would take on a unit like the slowest, ten times over, so
/// that being wrong costs little: what is lost is done again within a tenth of the wait, and a unit
/// that answers takes part again. Units of its own kind (core, GPU, ...) judge it as soon as one of
/// them has done a block, units of all kinds before. A core that only accelerators can judge, which
/// are there because they are faster, is allowed `difference` in place of `noise`. Until anybody
/// has done a block of the phase, nobody is late.
///
/// The first block of a unit in an iteration, or after it joined, may have a setup (resident data
/// are sent), and its copies may go over another link than those of the others. It is allowed in
/// addition the longest setup of this phase or, if that is more, the time that all its bytes take
/// over `slowest_link`.
///
/// A probe is allowed max(floor, noise * the longest wait for a probe of a unit that had nothing
/// else) and the time that the unit's probes take over `slowest_link`; any time before anything
/// came back from any unit. A unit with probes and blocks is allowed the longer of the two times.
///
/// Dropped blocks of an iteration before, which go on, keep what they were allowed when it ended,
/// and teach nothing.
///
/// Time in which the executor did not look at its units does not count: of the time between two
/// looks, at most `looks_every`. If all units that are present are late, none is: then it is the
/// machine that stands still, and all counts begin again when the next answer comes. An executor
/// stops to wait for all of them, or for late units if no other is left, after `noise` times what
/// they were allowed (`stop_waiting_at`).
///
/// O(log blocks of the unit + log units) for each call; O(units) when an iteration begins, at the
/// first end of a block of each kind of units in a phase, and when a unit is late. O(1) with
/// BlockTimeout::Rule::none; then no unit is ever late.
class BlockWatch {
 public:
  /// Covers noise, costs that grow faster than the items, stages that had been hidden behind
  /// computing (four at most), and other programs that take a part of the machine.
  static constexpr double noise = 10.0;
  /// By how much a core may be slower than the accelerators of a run, noise included.
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

  /// `units`: their kinds.
  BlockWatch(const std::vector<UnitKind>& units, BlockTimeout timeout)
      : BlockWatch(units, timeout, Looks()) {}
  BlockWatch(const std::vector<UnitKind>& units, BlockTimeout timeout, const Looks& looks);

  /// An iteration of phase number `phase`, whose work is `workload`, begins; of an agent, the
  /// division of a block of its node.
  void begin_iteration(int phase, const Workload& workload);
  /// `unit` gets a block, whose id is larger than those of all iterations before.
  void handed_out(UnitId unit, const Block& block, Seconds at);
  /// A block of `unit` has ended, whether its results count or not; its setup took `setup`. Nothing
  /// is learned from one that could not be done.
  void came_back(UnitId unit, const Block& block, Seconds at, Seconds setup, bool is_done = true);
  /// A block of `unit`, which it had not begun, was taken back.
  void withdrawn(UnitId unit, Items items);
  /// `unit` gets a probe.
  void probe_sent(UnitId unit, const Probe& probe, Seconds at);
  /// A probe of `unit` has ended.
  void probe_ended(UnitId unit, const Probe& probe, Seconds at);
  /// `unit` is lost, with all that it has, or is absent when the run starts.
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
  /// When to stop waiting for late units if only such are left; infinity while another one is
  /// there.
  [[nodiscard]] Seconds stop_waiting_at() const;
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
  /// What the units of a kind have shown in this phase.
  struct Shown {
    Seconds longest;  ///< wait
    Seconds item;     ///< the slowest mean of a unit

    void add(const Learned& learned);
    void add(const Shown& of);
    [[nodiscard]] Seconds expected(Items of) const;
  };
  struct OfUnit {
    UnitKind kind = UnitKind::cpu;
    std::multiset<Items> blocks;  ///< of this iteration
    std::size_t older = 0;        ///< number of blocks of iterations before
    Seconds older_allowed;        ///< for these
    std::size_t probes = 0;       ///< their number
    double probe_bytes = 0.0;     ///< and bytes
    Seconds since;                ///< it is waited for since then, by the executor's clock
    Seconds counted;              ///< and by the time that counts
    Seconds due;  ///< late at this time, as far as was known when it was put into `due_`
    Seconds stop_waiting_at;    ///< of the latest time that it was late
    Learned learned;            ///< in this phase
    bool may_be_set_up = true;  ///< its next block may have a setup
    bool is_present = true;

    [[nodiscard]] bool has_blocks() const { return !blocks.empty() || older > 0; }
    [[nodiscard]] bool is_waited_for() const { return has_blocks() || probes > 0; }
  };

  [[nodiscard]] bool is_automatic() const { return timeout_.rule == BlockTimeout::Rule::automatic; }
  void look(Seconds now);
  [[nodiscard]] Seconds counted(Seconds at) const;
  [[nodiscard]] Seconds allowed(const OfUnit& unit) const;
  [[nodiscard]] Seconds allowed_block(const OfUnit& unit) const;
  [[nodiscard]] Seconds allowed_by_others(UnitKind kind, Items items) const;
  [[nodiscard]] Seconds allowed_probe(const OfUnit& unit) const;
  void wait_for(OfUnit& unit, Seconds at);
  void schedule(UnitId unit);
  void schedule_all();
  void take(OfUnit& unit, Items items);
  void take_older(OfUnit& unit);
  void learn(OfUnit& unit, Items items, Seconds at, Seconds setup);
  void hear_from(UnitId unit, Seconds at);
  void begin_again(Seconds at);
  void set_end_of_waiting(OfUnit& unit) const;
  [[nodiscard]] bool are_all_late(Seconds now);

  BlockTimeout timeout_;
  Looks looks_;
  std::vector<OfUnit> units_;                        ///< empty if none is ever late
  std::set<std::pair<Seconds, std::uint32_t>> due_;  ///< (units that are waited for) by `due`
  std::optional<int> phase_;                         ///< none: nothing has begun
  std::uint64_t first_block_ = no_block;             ///< of this iteration; `no_block`: none yet
  double resident_bytes_ = 0.0;                      ///< of the phase
  double bytes_per_item_ = 0.0;                      ///< copied there and back
  std::map<UnitKind, Shown> shown_;                  ///< in this phase
  Seconds longest_setup_;                            ///< in this phase
  Seconds longest_probe_;                            ///< wait for one
  bool has_heard_ = false;                           ///< something has come back from some unit
  bool is_halted_ = false;                           ///< all units are late
  Seconds looked_;                                   ///< when the executor looked last
  Seconds skipped_;                                  ///< time that does not count
};

}  // namespace equipoise
