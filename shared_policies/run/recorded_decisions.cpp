// A policy, and an executor that wraps another one; together they issue the blocks of a recorded
// run again, and share how far the replay has come.
#include "shared_policies/run/recorded_decisions.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "shared_policies/model/block.hpp"
#include "shared_policies/model/event.hpp"
#include "shared_policies/model/failure.hpp"
#include "shared_policies/model/unit.hpp"
#include "shared_policies/run/recorded_run.hpp"

namespace equipoise {

/// Shared by the policy and the executor of RecordedDecisions.
struct ReplayedDecisions {
  /// How a block ended in the recorded run.
  enum class End : std::uint8_t {
    accepted,
    lost,        ///< with its unit, or because that could not do it
    taken_back,  ///< by the policy
    of_copies    ///< a copy of it was accepted
  };
  /// A block as it was handed out in the recorded run.
  struct PastBlock {
    UnitId unit;
    Block block;  ///< without its first item unless it was accepted
    End end = End::accepted;
    std::uint64_t after_events = 0;
    std::size_t after = 0;                  ///< number of settlements before it was handed out
    std::optional<Items> cap_items{};       ///< of a lost block, see BlockLost
    std::pair<int, int> turn{};             ///< see RecordedPolicy::turn_; (-1, 0): never
    std::optional<std::uint64_t> id_now{};  ///< of the block now; none: not handed out, or left out
  };

  /// A probe as it was asked for in the recorded run.
  struct PastProbe {
    UnitId unit;
    Probe probe;
    std::uint64_t after_blocks = 0;  ///< number of blocks that were handed out before
    std::size_t after = 0;           ///< number of settlements before
    bool is_left_out = false;        ///< it had no answer: its unit was lost, or could not do it
    bool has_ended = false;
    std::optional<std::uint64_t> id_now{};
  };

  /// A block that finished, was lost or was taken back, or a probe that was answered.
  struct Settlement {
    std::uint64_t block = 0;
    bool is_lost = false;                ///< or was taken back
    std::optional<std::size_t> probe{};  ///< position in `probes`; none: it is a block's
  };

  std::string where;
  std::uint64_t first_block = 0;  ///< the id of the first block now
  bool is_of_agent = false;
  std::vector<Block> node_blocks;  ///< that the agent began to divide, in order
  /// By recorded block id, which here begins at 0; so do `copies` and Block::copy_of.
  std::vector<PastBlock> blocks;
  std::vector<PastProbe> probes;  ///< by recorded id
  std::vector<Settlement> settlements;
  /// By the number of a block that was given twice: it and its copies, ascending.
  std::map<std::uint64_t, std::vector<std::uint64_t>> copies;

  // The progress of the replay.
  std::vector<char> has_ended;  ///< (blocks)
  std::size_t next_loss = 0;    ///< position in `settlements`; no loss before it is still to come
  std::size_t cut = 0;          ///< number of blocks handed out, or left out, so far
  std::size_t probed = 0;       ///< the same of probes
  bool has_diverged = false;    ///< a unit was lost now, or a block cannot be taken back, so the
                                ///< recorded run is no longer followed

  /// Whether the losses among the settlements before number `i` have happened.
  [[nodiscard]] bool have_losses_happened(std::size_t i) const { return next_loss >= i; }

  /// Whether the replay has reached settlement `i`: all losses before it have happened, and so has
  /// settlement i - 1. Settlement `i`, and blocks that were handed out after settlement i - 1, wait
  /// for this.
  [[nodiscard]] bool is_reached(std::size_t i) const {
    return have_losses_happened(i) && (i == 0 || has_happened(settlements[i - 1]));
  }
  [[nodiscard]] bool has_happened(const Settlement& settlement) const {
    return settlement.probe ? probes[*settlement.probe].has_ended
                            : has_ended[settlement.block] != 0;
  }

  /// The block that has to be lost (`end` is lost) or taken back now, or null.
  [[nodiscard]] PastBlock* due(End end) {
    if (has_diverged) return end == End::lost ? any_loss() : nullptr;
    if (next_loss == settlements.size() || !is_reached(next_loss)) return nullptr;
    PastBlock& next = blocks[settlements[next_loss].block];
    // It may be cut later in this same instant.
    return next.id_now && next.end == end ? &next : nullptr;
  }

  /// The block that is handed out now as `id`, or null.
  [[nodiscard]] PastBlock* handed_out_as(std::uint64_t id) {
    // No more than the copies that were left out are between the two.
    for (std::size_t i = id - first_block; i < cut; ++i) {
      if (blocks[i].id_now == id) return &blocks[i];
    }
    return nullptr;
  }

  /// `past` was lost or taken back.
  void lose(const PastBlock& past) {
    has_ended[past.block.id] = 1;
    find_next_loss();
  }

  /// `past` was accepted, so its copies have ended, too. If none of them was accepted in the
  /// recorded run, their items were handed out again there, and that cannot be followed.
  void accept(const PastBlock& past) {
    const auto group = copies.find(past.block.original());
    bool is_as_recorded = past.end == End::accepted;
    const auto settle = [&](std::uint64_t id) {
      is_as_recorded = is_as_recorded || blocks[id].end == End::accepted;
      has_ended[id] = 1;
    };
    settle(past.block.id);
    if (group != copies.end()) std::ranges::for_each(group->second, settle);
    has_diverged = has_diverged || !is_as_recorded;
    find_next_loss();
  }

  /// The probe that has the number `id` now has ended.
  void end_probe(std::uint64_t id) {
    const auto found = std::ranges::find(probes, std::optional(id), &PastProbe::id_now);
    if (found != probes.end()) found->has_ended = true;
  }

  void find_next_loss() {
    while (next_loss < settlements.size() && !is_to_be_lost(next_loss)) ++next_loss;
  }

 private:
  [[nodiscard]] bool is_to_be_lost(std::size_t i) const {
    return settlements[i].is_lost && has_ended[settlements[i].block] == 0;
  }

  /// Returns a block that still has to be lost. No unit works on it, so it must not stay
  /// outstanding.
  [[nodiscard]] PastBlock* any_loss() {
    for (std::size_t i = next_loss; i < settlements.size(); ++i) {
      if (!is_to_be_lost(i)) continue;
      PastBlock& past = blocks[settlements[i].block];
      if (past.end == End::lost && past.block.id < cut) return &past;
    }
    return nullptr;
  }
};

namespace {

using PastBlock = ReplayedDecisions::PastBlock;
using PastProbe = ReplayedDecisions::PastProbe;
using End = ReplayedDecisions::End;

/// The blocks that were accepted, or of which a copy was.
std::set<std::uint64_t> accepted_originals(const RecordedRun& run) {
  std::set<std::uint64_t> originals;
  for (const RecordedLine& line : run.lines) {
    if (const auto* b = std::get_if<BlockRecord>(&line.what)) originals.insert(b->block.original());
  }
  return originals;
}

/// The probes that ended without an answer.
std::set<std::uint64_t> unanswered_probes(const RecordedRun& run) {
  std::set<std::uint64_t> probes;
  for (const RecordedLine& line : run.lines) {
    const auto* const probed = event_of<Probed>(line);
    if (probed != nullptr && !probed->times) probes.insert(probed->probe.id);
  }
  return probes;
}

/// How `lost` ends again. One whose copy was lost before its results were there must not end before
/// that.
End end_of(const LostBlock& lost, const std::set<std::uint64_t>& accepted) {
  if (lost.by == LostBy::unit) return End::lost;
  const bool has_done_copy = lost.by == LostBy::copy && accepted.contains(lost.block.original());
  return has_done_copy ? End::of_copies : End::taken_back;
}

[[noreturn]] void refuse_without_block(std::uint64_t id, const std::string& where) {
  throw InputError(where,
                   fmt::format("block {} is not in it; give a run file as it was written", id));
}

/// A block of `run` with ids that begin at 0. Throws InputError at `where` if its ids are not of
/// this run loop.
Block from_zero(Block block, const RecordedRun& run, const std::string& where) {
  const std::uint64_t end = run.first_block + blocks_of_a_loop;
  const auto is_of_loop = [&](std::uint64_t id) { return id >= run.first_block && id < end; };
  if (!is_of_loop(block.id)) refuse_without_block(run.first_block, where);
  if (block.copy_of && !is_of_loop(*block.copy_of)) refuse_without_block(*block.copy_of, where);
  block.id -= run.first_block;
  if (block.copy_of) *block.copy_of -= run.first_block;
  return block;
}

/// Fills the gaps in `blocks`, which ascend, with blocks that are never handed out: an agent whose
/// node was lost had begun them, and nobody divides that block of the node now. Throws InputError
/// at `replayed.where` for more of them than units can have had.
void fill_gaps(ReplayedDecisions& replayed, std::uint64_t first_block) {
  constexpr std::size_t most_gaps = 100'000;
  std::vector<PastBlock> all;
  for (PastBlock& past : replayed.blocks) {
    if (past.block.id > all.size() + most_gaps) {
      refuse_without_block(first_block + all.size(), replayed.where);
    }
    while (all.size() < past.block.id) {
      PastBlock gap{past.unit, {.id = all.size()}};
      gap.turn = {-1, 0};
      all.push_back(std::move(gap));
    }
    all.push_back(std::move(past));
  }
  replayed.blocks = std::move(all);
}

/// By id: the places of `blocks`.
std::map<std::uint64_t, int> places_of(const std::vector<Block>& blocks) {
  std::map<std::uint64_t, int> places;
  for (const Block& block : blocks) places.emplace(block.id, static_cast<int>(places.size()));
  return places;
}

/// Fills the blocks, probes and settlements of `replayed`, in the order of the journal. Throws
/// InputError at `replayed.where` if a block is missing.
void read_lines(const RecordedRun& run, ReplayedDecisions& replayed) {
  const std::set<std::uint64_t> accepted = accepted_originals(run);
  const std::set<std::uint64_t> unanswered = unanswered_probes(run);
  std::vector<std::size_t> settled_after = {0};  // [number of events]: number of settlements
  for (const RecordedLine& line : run.lines) {
    if (const auto* b = std::get_if<BlockRecord>(&line.what)) {
      const Block block = from_zero(b->block, run, replayed.where);
      replayed.blocks.push_back({b->unit, block, End::accepted, b->after_events, 0});
      replayed.settlements.push_back({block.id});
      settled_after.push_back(replayed.settlements.size());
    } else if (const ProbeBegin* const begin = event_of<ProbeBegin>(line)) {
      replayed.probes.push_back({begin->unit, begin->probe, begin->after_blocks,
                                 replayed.settlements.size(),
                                 unanswered.contains(begin->probe.id)});
    } else if (const auto* const iteration = event_of<IterationBegin>(line)) {
      if (iteration->node_block) replayed.node_blocks.push_back(*iteration->node_block);
    } else if (const auto* e = std::get_if<EventRecord>(&line.what); e && is_counted(e->what)) {
      if (const auto* lost = std::get_if<LostBlock>(&e->what)) {
        const Block block = from_zero(lost->block, run, replayed.where);
        replayed.blocks.push_back(
            {lost->unit, block, end_of(*lost, accepted), lost->after_events, 0, lost->cap_items});
        if (replayed.blocks.back().end != End::of_copies) {
          replayed.settlements.push_back({block.id, true});
        }
      } else if (const auto* probed = std::get_if<Probed>(&e->what); probed && probed->times) {
        replayed.settlements.push_back({no_block, false, probed->probe.id});
      }
      settled_after.push_back(replayed.settlements.size());
    }
  }
  std::ranges::sort(replayed.blocks, {}, [](const PastBlock& past) { return past.block.id; });
  if (run.is_of_agent && !run.is_whole) fill_gaps(replayed, run.first_block);
  const std::map<std::uint64_t, int> node_blocks = places_of(replayed.node_blocks);
  for (std::size_t i = 0; i < replayed.blocks.size(); ++i) {
    PastBlock& past = replayed.blocks[i];
    if (past.block.id != i || past.after_events >= settled_after.size()) {
      refuse_without_block(run.first_block + i, replayed.where);
    }
    past.after = settled_after[past.after_events];
    const std::optional<std::uint64_t> of_node = past.block.node_block;
    if (!run.is_of_agent) {
      past.turn = {past.block.phase, past.block.iteration};
    } else if (of_node && node_blocks.contains(*of_node)) {
      past.turn = {node_blocks.at(*of_node), 0};
    }
    if (past.block.copy_of) {
      std::vector<std::uint64_t>& copies = replayed.copies[*past.block.copy_of];
      if (copies.empty()) copies.push_back(*past.block.copy_of);
      copies.push_back(i);
    }
  }
  replayed.has_ended.assign(replayed.blocks.size(), 0);
  replayed.find_next_loss();
}

/// Asks for the blocks and probes in their recorded order, as far as lost blocks allow, takes back
/// what was taken back, and gives copies again.
class RecordedPolicy final : public Policy {
 public:
  explicit RecordedPolicy(std::shared_ptr<ReplayedDecisions> replayed)
      : replayed_(std::move(replayed)) {}

  void decide(const View& view, const Event& event, Decisions& decisions) override {
    // Before the iteration starts, the pool still belongs to the iteration before.
    if (std::holds_alternative<RunStarted>(event.what)) return;
    if (std::holds_alternative<PhaseStarted>(event.what)) return;
    if (std::holds_alternative<IterationStarted>(event.what)) begin_turn(view);
    do {
      issue_all(view, decisions);
    } while (take_back_next(decisions));
  }

 private:
  void issue_all(const View& view, Decisions& decisions) {
    ReplayedDecisions& r = *replayed_;
    for (send_probes(decisions); r.cut < r.blocks.size() && !r.has_diverged;
         send_probes(decisions)) {
      const PastBlock& past = r.blocks[r.cut];
      if (past.turn < turn_) {  // a copy of what is done, or a part of what nobody divides now
        if (r.is_of_agent) r.lose(past);
        ++r.cut;
        continue;
      }
      if (past.turn > turn_ || !r.have_losses_happened(past.after)) return;
      if (past.block.copy_of) {
        if (!give_copy(past, view, decisions)) return;
      } else if (decisions.assign(past.unit, past.block.items, past.block.tag, past.block.group) ==
                 0) {
        r.has_diverged = true;
      }
    }
  }

  /// An iteration begins, or the agent of a node begins to divide a block of it. If that is none
  /// which the recorded one divided then or later, the recorded run is not followed any more.
  void begin_turn(const View& view) {
    if (!replayed_->is_of_agent) {
      turn_ = {view.phase(), view.iteration()};
      return;
    }
    const ItemRange range = *view.not_handed_out().begin();
    const auto is_it = [&](const Block& block) {
      return block.phase == view.phase() && block.iteration == view.iteration() &&
             block.first == range.first && block.items == range.items;
    };
    const std::vector<Block>& all = replayed_->node_blocks;
    const auto next = std::min(all.begin() + turn_.first + 1, all.end());
    const auto found = std::find_if(next, all.end(), is_it);
    if (found == all.end()) {
      replayed_->has_diverged = true;
    } else {
      turn_ = {static_cast<int>(found - all.begin()), 0};
    }
  }

  /// Sends the probes that were sent before the next block.
  void send_probes(Decisions& decisions) {
    ReplayedDecisions& r = *replayed_;
    while (r.probed < r.probes.size() && !r.has_diverged) {
      PastProbe& next = r.probes[r.probed];
      if (next.after_blocks > r.cut || !r.have_losses_happened(next.after)) return;
      next.has_ended =
          next.is_left_out || !decisions.probe(next.unit, next.probe.there_bytes,
                                               next.probe.back_bytes, next.probe.number);
      ++r.probed;
    }
  }

  /// Leaves the copy out if the other blocks of these items have ended. Returns false if it has to
  /// wait: two of them are outstanding, of which one had ended in the recorded run, because the
  /// other copied its results.
  bool give_copy(const PastBlock& copy, const View& view, Decisions& decisions) {
    std::vector<const PastBlock*> others;
    for (const std::uint64_t id : replayed_->copies.at(copy.block.original())) {
      const PastBlock& other = replayed_->blocks[id];
      if (id < copy.block.id && is_outstanding(other, view)) others.push_back(&other);
    }
    if (others.size() > 1) return false;
    if (others.empty()) {
      ++replayed_->cut;
      return true;
    }
    const PastBlock& other = *others.front();
    const Items given = decisions.give_twice(other.id_now.value(), other.unit, copy.unit);
    replayed_->has_diverged = replayed_->has_diverged || given == 0;
    return true;
  }

  [[nodiscard]] static bool is_outstanding(const PastBlock& past, const View& view) {
    return std::ranges::any_of(view.unit(past.unit).outstanding, [&](const OutstandingBlock& b) {
      return b.block.id == past.id_now;
    });
  }

  /// Takes back the block whose turn it is. Returns false if there is none.
  bool take_back_next(Decisions& decisions) {
    const PastBlock* const past = replayed_->due(End::taken_back);
    if (past == nullptr) return false;
    if (decisions.take_back(past->unit, past->id_now.value())) {
      replayed_->lose(*past);
    } else {
      replayed_->has_diverged = true;
    }
    return !replayed_->has_diverged;
  }

  std::shared_ptr<ReplayedDecisions> replayed_;
  /// Of which phase and iteration blocks are handed out now; of an agent, the place of the block of
  /// its node that it divides.
  std::pair<int, int> turn_{-1, 0};
};

/// Holds back each block that was cut until the events that preceded it in the recorded run have
/// happened again.
class ReplayingExecutor final : public Executor {
 public:
  ReplayingExecutor(Executor& next, std::size_t units, std::shared_ptr<ReplayedDecisions> replayed)
      : next_(next), replayed_(std::move(replayed)), held_(units) {}

  void run(const std::function<void()>& body) override { next_.run(body); }
  Seconds now() const override { return next_.now(); }

  Seconds begin_iteration(int phase, int iteration) override {
    return next_.begin_iteration(phase, iteration);
  }

  Seconds start(const Block& block, UnitId unit) override {
    if (replayed_->has_diverged) return next_.start(block, unit);
    const PastBlock& past = expect_next(block, unit);
    if (past.end == End::lost) return next_.now();
    held_[unit.index].push_back({block, past.after});
    begin_what_is_due();
    return next_.now();
  }

  Seconds probe(const Probe& probe, UnitId unit) override {
    if (replayed_->has_diverged) return next_.probe(probe, unit);
    PastProbe& past = replayed_->probes[replayed_->probed];
    past.id_now = probe.id;
    held_[unit.index].push_back({{.id = no_block}, past.after, probe});
    begin_what_is_due();
    return next_.now();
  }

  TakenBack take_back(const Block& block, UnitId unit) override {
    std::deque<Held>& queue = held_[unit.index];
    const auto found =
        std::ranges::find(queue, block.id, [](const Held& held) { return held.block.id; });
    const PastBlock* const past = replayed_->handed_out_as(block.id);
    const bool was_started = past == nullptr || past->end != End::lost;
    if (found == queue.end() && was_started) return next_.take_back(block, unit);
    if (found != queue.end()) queue.erase(found);
    return {Fate::not_begun, next_.now()};
  }

  Seconds occupy(std::optional<UnitId> unit, Seconds span) override {
    return next_.occupy(unit, span);
  }

  std::optional<Event> next(Seconds deadline) override {
    if (replayed_->has_diverged) begin_what_is_due();
    const Seconds now = next_.now();
    if (const PastBlock* const lost = now <= deadline ? replayed_->due(End::lost) : nullptr) {
      replayed_->lose(*lost);
      begin_what_is_due();
      Block block = lost->block;
      block.id = lost->id_now.value();
      return Event{now, BlockLost{lost->unit, block, lost->cap_items}};
    }
    std::optional<Event> event = next_.next(deadline);
    if (!event) return event;
    if (const auto* finished = std::get_if<BlockFinished>(&event->what)) {
      const PastBlock* const past = replayed_->handed_out_as(finished->block.id);
      if (past != nullptr) replayed_->accept(*past);
      begin_what_is_due();
    } else if (const auto* probed = std::get_if<Probed>(&event->what)) {
      replayed_->end_probe(probed->probe.id);
      begin_what_is_due();
    } else if (!std::holds_alternative<UnitJoined>(event->what) &&
               !std::holds_alternative<LateEnd>(event->what)) {
      replayed_->has_diverged = true;
      if (const auto* gone = std::get_if<UnitLost>(&event->what)) held_[gone->unit.index].clear();
      begin_what_is_due();
    }
    return event;
  }

 private:
  struct Held {
    Block block;  ///< of a probe: `no_block`
    std::size_t after;
    std::optional<Probe> probe{};
  };

  /// The next recorded block. Throws InputError if the block that is now cut differs from it.
  const PastBlock& expect_next(const Block& block, UnitId unit) {
    ReplayedDecisions& r = *replayed_;
    PastBlock* const past = r.cut < r.blocks.size() ? &r.blocks[r.cut] : nullptr;
    if (past != nullptr && past->unit == unit && past->block.items == block.items &&
        (past->end != End::accepted || past->block.first == block.first)) {
      past->id_now = block.id;
      ++r.cut;
      return *past;
    }
    throw InputError(r.where,
                     fmt::format("block {} cannot be handed out as recorded: it would have "
                                 "{} items from item {} on; use units with the same "
                                 "memory as in the recorded run",
                                 block.id, block.items, block.first));
  }

  /// Starts every held block and probe whose predecessors have happened. Those of one unit start in
  /// their order.
  void begin_what_is_due() {
    for (std::uint32_t unit = 0; unit < held_.size(); ++unit) {
      std::deque<Held>& queue = held_[unit];
      while (!queue.empty() &&
             (replayed_->has_diverged || replayed_->is_reached(queue.front().after)) &&
             !waits_for_original(queue.front().block)) {
        const Held next = queue.front();
        queue.pop_front();
        if (next.probe) {
          static_cast<void>(next_.probe(*next.probe, UnitId{unit}));
        } else {
          static_cast<void>(next_.start(next.block, UnitId{unit}));
        }
      }
    }
  }

  /// A copy begins after the block whose items it has.
  [[nodiscard]] bool waits_for_original(const Block& block) const {
    const auto is_its = [&](const Held& held) {
      return held.block.original() == block.original() && held.block.id < block.id;
    };
    return block.copy_of && std::ranges::any_of(held_, [&](const std::deque<Held>& queue) {
             return std::ranges::any_of(queue, is_its);
           });
  }

  Executor& next_;
  std::shared_ptr<ReplayedDecisions> replayed_;
  std::vector<std::deque<Held>> held_;  ///< (units)
};

void expect_all_work_done(const RecordedRun& run, const std::string& where) {
  std::map<std::pair<int, int>, Items> left;
  for (const RecordedLine& line : run.lines) {
    const auto* b = std::get_if<BlockRecord>(&line.what);
    if (b == nullptr) continue;
    const Workload& workload = run.phases[static_cast<std::size_t>(b->block.phase)];
    const auto key = std::make_pair(b->block.phase, b->block.iteration);
    left.try_emplace(key, workload.items).first->second -= b->block.items;
  }
  std::size_t iterations = 0;
  for (const Workload& workload : run.phases) {
    iterations += static_cast<std::size_t>(workload.iterations);
  }
  const bool is_done =
      std::ranges::all_of(left, [](const auto& entry) { return entry.second == 0; });
  if (run.is_whole && is_done && left.size() == iterations) return;
  throw InputError(where,
                   "this run did not do all of its work, so there is nothing to compare "
                   "with; give one that was not interrupted");
}

void expect_phases(const RecordedRun& run, const std::vector<Workload>& phases,
                   const std::string& where) {
  const auto is_alike = [](const Workload& a, const Workload& b) {
    return a.items == b.items && a.grain_items == b.grain_items && a.iterations == b.iterations;
  };
  if (std::ranges::equal(run.phases, phases, is_alike)) return;
  throw InputError(where,
                   "its workloads have other items, grains or iterations than they have "
                   "here; give the traces that it was made with");
}

/// The units of the run, found by name; none for a unit that is not there and had no block.
std::vector<std::optional<UnitId>> find_units(const RecordedRun& run,
                                              const std::vector<Unit>& units,
                                              const ReplayedDecisions& replayed) {
  std::vector<std::optional<UnitId>> found(run.units.size());
  for (std::size_t i = 0; i < run.units.size(); ++i) {
    for (std::uint32_t u = 0; u < units.size(); ++u) {
      if (units[u].name == run.units[i].name) found[i] = UnitId{u};
    }
  }
  std::set<std::string> lacking;
  for (const PastBlock& past : replayed.blocks) {
    if (!found[past.unit.index]) lacking.insert(run.units[past.unit.index].name);
  }
  if (lacking.empty()) return found;
  throw InputError(
      replayed.where,
      fmt::format("it needs {} {}, and {} there; give units of these names",
                  lacking.size() == 1 ? "the unit" : "the units", fmt::join(lacking, ", "),
                  lacking.size() == 1 ? "that is not" : "those are not"));
}

}  // namespace

RecordedDecisions::RecordedDecisions(const RecordedRun& run, const std::vector<Unit>& units,
                                     const std::vector<Workload>& phases, std::string where,
                                     std::uint64_t first_block)
    : replayed_(std::make_shared<ReplayedDecisions>()), units_(units.size()) {
  replayed_->where = std::move(where);
  replayed_->first_block = first_block;
  replayed_->is_of_agent = run.is_of_agent;
  // What an agent had begun when its node was lost is not handed out to it any more.
  if (!run.is_of_agent) expect_all_work_done(run, replayed_->where);
  expect_phases(run, phases, replayed_->where);
  read_lines(run, *replayed_);
  const auto found = find_units(run, units, *replayed_);
  for (PastProbe& probe : replayed_->probes) {
    const std::optional<UnitId> unit = found[probe.unit.index];
    probe.is_left_out = probe.is_left_out || !unit;
    if (unit) probe.unit = *unit;
  }
  for (PastBlock& past : replayed_->blocks) {
    past.unit = *found[past.unit.index];
    const Unit& unit = units[past.unit.index];
    const Items most = largest_block(unit, phases[static_cast<std::size_t>(past.block.phase)]);
    if (past.block.items <= most) continue;
    throw InputError(replayed_->where,
                     fmt::format("block {} has {} items, and {} holds {} at most; give it more "
                                 "memory",
                                 past.block.id, past.block.items, unit.name, most));
  }
}

RecordedDecisions::~RecordedDecisions() = default;

std::unique_ptr<Policy> RecordedDecisions::make_policy() const {
  return std::make_unique<RecordedPolicy>(replayed_);
}

bool RecordedDecisions::were_kept_to() const { return !replayed_->has_diverged; }

std::unique_ptr<Executor> RecordedDecisions::make_executor(Executor& executor) const {
  return std::make_unique<ReplayingExecutor>(executor, units_, replayed_);
}

}  // namespace equipoise
