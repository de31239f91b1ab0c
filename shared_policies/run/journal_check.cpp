// Reads one recorded run as both executor and journal: as the executor it returns the recorded
// events, as the journal it compares the policy's new records with the recorded ones.
#include "shared_policies/run/journal_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "shared_policies/model/overload.hpp"
#include "shared_policies/run/executor.hpp"
#include "shared_policies/run/journal.hpp"
#include "shared_policies/run/run_loop.hpp"

namespace equipoise {
namespace {

/// Thrown at the first difference, to leave the run loop.
struct Differs {
  JournalDifference difference;
};

/// A block as recorded in the journal.
struct RecordedBlock {
  std::size_t line = 0;
  UnitId unit;
  Block block;
  Seconds assigned;
  std::uint64_t after_events = 0;
  bool is_accepted = false;  ///< if false, the journal does not have its first item
};

/// The event as an executor reported it; none if it did not. Timers are fired by the run loop
/// itself.
std::optional<Event> reported(const EventRecord& record) {
  using Reported = std::optional<Event>;
  return std::visit(
      Overload{[&](const LostBlock& lost) -> Reported {
                 if (lost.by != LostBy::unit) return std::nullopt;  // it was taken back
                 return Event{record.at, BlockLost{lost.unit, lost.block, lost.cap_items}};
               },
               [&](const OneOf<UnitLost, UnitJoined, LateEnd, Probed> auto& event) -> Reported {
                 return Event{record.at, event};
               },
               [](const OneOf<IterationBegin, UnfinishedBlock, ProbeBegin, TimerEnd, PolicyStall,
                              Disturbance, Note> auto&) -> Reported { return std::nullopt; }},
      record.what);
}

bool is_same_event(const RunEvent& a, const RunEvent& b) {
  const Block* const block = block_of(a);
  const Block* const other = block_of(b);
  const Probe* const probe = probe_of(a);
  return word_of(a) == word_of(b) && unit_of(a) == unit_of(b) &&
         (block == nullptr || block->id == other->id) &&
         (probe == nullptr || *probe == *probe_of(b));
}

bool is_same(const UnitEstimate& a, const UnitEstimate& b) {
  return a.unit == b.unit && a.cost == b.cost && a.r2 == b.r2 && a.r2_transfer == b.r2_transfer &&
         a.block_items == b.block_items;
}

class CheckedRun final : public Executor, public Journal, private NodeBlocks {
 public:
  explicit CheckedRun(const RecordedRun& run) : run_(run) {
    for (const RecordedLine& line : run.lines) {
      if (event_of<Disturbance>(line) != nullptr) continue;       // no policy sees it,
      if (std::holds_alternative<Measured>(line.what)) continue;  // nor what meters say
      lines_.push_back(&line);
      const auto add = [&](const auto& of, bool is_accepted) {
        blocks_.push_back(
            {line.line, of.unit, of.block, of.assigned, of.after_events, is_accepted});
      };
      if (const auto* accepted = std::get_if<BlockRecord>(&line.what)) add(*accepted, true);
      if (const auto* lost = event_of<LostBlock>(line)) add(*lost, false);
      if (const auto* left = event_of<UnfinishedBlock>(line)) add(*left, false);
    }
    std::sort(blocks_.begin(), blocks_.end(),
              [](const auto& a, const auto& b) { return a.block.id < b.block.id; });
  }

  JournalCheck check(Policy& policy) {
    try {
      RunSetup setup{
          run_.units,           run_.phases,      nullptr,           [this] { return is_over_; },
          run_.absent_at_start, run_.first_block, run_.may_take_back};
      const RunOutcome outcome = run_.is_of_agent ? run_node(*this, *this, policy, setup, *this)
                                                  : run_policy(*this, policy, setup, *this);
      expect_blocks_granted();
      if (!outcome.interrupted && cursor_ < lines_.size()) differ_here("the run is over");
    } catch (const Differs& differs) {
      if (!found_.first_unknown_block) found_.difference = differs.difference;
    }
    return std::move(found_);
  }

  // Executor.
  void run(const std::function<void()>& body) override { body(); }
  Seconds now() const override { return now_; }

  /// What happened during the merge stands before the start of the iteration.
  Seconds begin_iteration(int /*phase*/, int /*iteration*/) override {
    for (std::size_t i = cursor_; i < lines_.size(); ++i) {
      if (std::holds_alternative<BlockRecord>(lines_[i]->what)) break;
      if (event_of<IterationBegin>(*lines_[i]) == nullptr) continue;
      const Seconds begin = std::max(now_, std::get<EventRecord>(lines_[i]->what).at);
      if (i == cursor_) now_ = begin;
      return begin;
    }
    return now_;
  }

  Seconds start(const Block& block, UnitId unit) override {
    if (granted_ < blocks_.size() && blocks_[granted_].block.id == block.id) {
      compare(blocks_[granted_], block, unit);
      now_ = std::max(now_, blocks_[granted_].assigned);
      ++found_.blocks;
      found_.copies += block.copy_of ? 1 : 0;
      return blocks_[granted_++].assigned;
    }
    if (run_.is_whole) differ(0, fmt::format("no block {}", block.id), words(block, unit));
    if (!found_.first_unknown_block) found_.first_unknown_block = block.id;
    return now_;
  }

  /// The recorded run took it back if that is the next line.
  TakenBack take_back(const Block& block, UnitId unit) override {
    const auto* const lost = event_at_cursor<LostBlock>();
    const bool is_it = lost != nullptr && lost->by != LostBy::unit && lost->unit == unit &&
                       lost->block.id == block.id && late_end() == nullptr;
    if (!is_it) return {Fate::too_late, now_};
    const Seconds at = at_cursor<EventRecord>()->at;
    now_ = std::max(now_, at);
    return {lost->goes_on ? Fate::goes_on : Fate::not_begun, at};
  }

  /// `event` compares it with the recorded one.
  Seconds probe(const Probe& /*probe*/, UnitId /*unit*/) override {
    if (event_at_cursor<ProbeBegin>() == nullptr) return now_;
    const Seconds asked = at_cursor<EventRecord>()->at;
    now_ = std::max(now_, asked);
    return asked;
  }

  Seconds occupy(std::optional<UnitId> /*unit*/, Seconds /*span*/) override {
    if (const auto* decision = at_cursor<DecisionRecord>()) now_ = std::max(now_, decision->end);
    return now_;
  }

  std::optional<Event> next(Seconds deadline) override {
    const bool only_looks = deadline <= now_;
    if (cursor_ == lines_.size()) {
      if (run_.is_whole && !only_looks && deadline < Seconds::infinity()) waits_in_vain(deadline);
      is_over_ = !run_.is_whole;
      return std::nullopt;
    }
    if (const auto* accepted = at_cursor<BlockRecord>()) {
      if (!is_due(accepted->end, deadline, only_looks)) return std::nullopt;
      expect_granted(accepted->block.id);
      return Event{accepted->end, BlockFinished{accepted->unit, accepted->block, accepted->assigned,
                                                accepted->times, accepted->begins}};
    }
    const auto* event = late_end();
    if (event == nullptr) event = at_cursor<EventRecord>();
    if (std::optional<Event> told = event == nullptr ? std::nullopt : reported(*event)) {
      if (!is_due(event->at, deadline, only_looks)) return std::nullopt;
      if (const Block* lost = block_of(event->what)) expect_granted(lost->id);
      return told;
    }
    if (only_looks) return std::nullopt;
    if (event_at_cursor<IterationBegin>() != nullptr && event->at == deadline) {
      now_ = deadline;  // nothing else happened during the merge
      return std::nullopt;
    }
    if (event_at_cursor<UnfinishedBlock>() != nullptr) {
      is_over_ = true;
      return std::nullopt;
    }
    expect_blocks_granted();
    if (event_at_cursor<TimerEnd>() == nullptr || event->at != deadline) waits_in_vain(deadline);
    now_ = std::max(now_, deadline);
    return std::nullopt;
  }

  // Journal.
  void block(const BlockRecord& /*record*/) override { pass_event(); }

  void decision(const DecisionRecord& record) override {
    if (is_behind()) return;
    const auto* recorded = at_cursor<DecisionRecord>();
    const Decision& decision = record.decision;
    const bool is_as_recorded =
        recorded != nullptr && recorded->decision.what == decision.what &&
        recorded->decision.unit == decision.unit &&
        std::ranges::equal(recorded->decision.estimates, decision.estimates, is_same);
    if (!is_as_recorded) differ_here(words(decision));
    ++cursor_;
    ++found_.other;
  }

  void event(const EventRecord& record) override {
    if (std::holds_alternative<UnfinishedBlock>(record.what) || is_behind()) return;
    const auto* recorded = at_cursor<EventRecord>();
    if (recorded == nullptr || recorded->at != record.at ||
        !is_same_event(recorded->what, record.what)) {
      differ_here(words(record));
    }
    if (!reported(record)) ++found_.other;
    if (is_counted(record.what)) return pass_event();
    ++cursor_;
  }

 private:
  // The blocks of a node, in the order in which its agent began to divide them.
  std::optional<Block> next() override {
    for (std::size_t i = cursor_; i < lines_.size(); ++i) {
      const auto* const begin = event_of<IterationBegin>(*lines_[i]);
      if (begin != nullptr) return begin->node_block;
    }
    return std::nullopt;
  }
  void done(const Block& /*block*/) override {}
  [[nodiscard]] bool is_over() const override { return false; }

  template <class Record>
  [[nodiscard]] const Record* at_cursor() const {
    return cursor_ < lines_.size() ? std::get_if<Record>(&lines_[cursor_]->what) : nullptr;
  }

  /// The late end behind the line at the cursor, if that is the loss by which the run loop answered
  /// it.
  [[nodiscard]] const EventRecord* late_end() const {
    const auto* const lost = event_at_cursor<LostBlock>();
    if (lost == nullptr || lost->by != LostBy::copy || cursor_ + 1 == lines_.size()) return nullptr;
    const auto* const late = event_of<LateEnd>(*lines_[cursor_ + 1]);
    if (late == nullptr || late->block.id != lost->block.id) return nullptr;
    const auto* const next = std::get_if<EventRecord>(&lines_[cursor_ + 1]->what);
    return next->at == at_cursor<EventRecord>()->at ? next : nullptr;
  }

  /// The event of this kind that the line at the cursor tells of, or null.
  template <class Kind>
  [[nodiscard]] const Kind* event_at_cursor() const {
    return cursor_ < lines_.size() ? event_of<Kind>(*lines_[cursor_]) : nullptr;
  }

  void pass_event() {
    ++cursor_;
    ++events_;
  }

  /// Whether the journal of an interrupted run has ended before the current record.
  [[nodiscard]] bool is_behind() const { return cursor_ == lines_.size() && !run_.is_whole; }

  /// Whether an event of time `at` has to be reported now. If so, checks that all blocks that were
  /// handed out before it have been granted.
  [[nodiscard]] bool is_due(Seconds at, Seconds deadline, bool only_looks) {
    if (at > deadline && only_looks) return false;
    expect_blocks_granted();
    if (at > deadline) waits_in_vain(deadline);
    now_ = std::max(now_, at);
    return true;
  }

  /// Throws unless the policy has asked for every block that was handed out after at most `events_`
  /// events.
  void expect_blocks_granted() const {
    if (granted_ == blocks_.size() || blocks_[granted_].after_events > events_) return;
    const RecordedBlock& b = blocks_[granted_];
    differ(b.line, words(b.block, b.unit, b.is_accepted), "the policy does not ask for it");
  }

  /// Throws at the cursor's line unless its block `id` was already handed out.
  void expect_granted(std::uint64_t id) const {
    if (granted_ > 0 && blocks_[granted_ - 1].block.id >= id) return;
    differ_here(fmt::format("block {} is not handed out yet", id));
  }

  [[noreturn]] void waits_in_vain(Seconds deadline) const {
    differ_here(deadline < Seconds::infinity()
                    ? fmt::format("the policy waits until {} s", deadline.value)
                    : "the policy says nothing");
  }

  void compare(const RecordedBlock& recorded, const Block& block, UnitId unit) const {
    const Block& b = recorded.block;
    const bool is_as_recorded = recorded.unit == unit && b.items == block.items &&
                                (!recorded.is_accepted || b.first == block.first) &&
                                b.phase == block.phase && b.iteration == block.iteration &&
                                b.tag == block.tag && b.group == block.group &&
                                b.copy_of == block.copy_of && recorded.after_events == events_;
    if (is_as_recorded) return;
    const auto when = [](std::uint64_t events) { return fmt::format(", after {} events", events); };
    differ(recorded.line,
           words(b, recorded.unit, recorded.is_accepted) + when(recorded.after_events),
           words(block, unit, recorded.is_accepted) + when(events_));
  }

  [[nodiscard]] std::string words(const Block& block, UnitId unit, bool knows_first = true) const {
    std::string first = knows_first ? fmt::format(" from item {} on", block.first) : "";
    std::string kin = block.group == 0 ? "" : fmt::format(", group {}", block.group);
    if (block.copy_of) kin += fmt::format(", a copy of block {}", *block.copy_of);
    return fmt::format("block {}: {} gets {} items{} of phase {}, iteration {}, tagged {}{}",
                       block.id, run_.units[unit.index].name, block.items, first, block.phase,
                       block.iteration, to_string(block.tag), kin);
  }

  [[nodiscard]] std::string words(const Decision& decision) const {
    std::string text =
        fmt::format("'{}' by {}", decision_word(decision.what),
                    decision.unit ? run_.units[decision.unit->index].name : "master");
    std::string_view separator = ": ";
    for (const UnitEstimate& estimate : decision.estimates) {
      text += fmt::format("{}{} {} items", separator, run_.units[estimate.unit.index].name,
                          estimate.block_items);
      if (!estimate.cost.empty()) text += fmt::format(" at {}", estimate.cost);
      if (estimate.r2) text += fmt::format(" (r2 {})", *estimate.r2);
      if (estimate.r2_transfer) text += fmt::format(" (r2 of copies {})", *estimate.r2_transfer);
      separator = "; ";
    }
    return text;
  }

  [[nodiscard]] std::string words(const RecordedLine& line) const {
    if (const auto* b = std::get_if<BlockRecord>(&line.what)) {
      return words(b->block, b->unit) + fmt::format(", which ended at {} s", b->end.value);
    }
    if (const auto* d = std::get_if<DecisionRecord>(&line.what)) return words(d->decision);
    return words(std::get<EventRecord>(line.what));
  }

  [[nodiscard]] std::string words(const EventRecord& event) const {
    std::string text = fmt::format("'{}' at {} s", word_of(event.what), event.at.value);
    const auto* const begin = std::get_if<ProbeBegin>(&event.what);
    if (begin == nullptr) return text;
    text += fmt::format(" of {}, with {} bytes there", run_.units[begin->unit.index].name,
                        begin->probe.there_bytes);
    if (begin->probe.back_bytes) text += fmt::format(", {} back", *begin->probe.back_bytes);
    return text;
  }

  [[noreturn]] static void differ(std::size_t line, std::string recorded, std::string now) {
    throw Differs{{line, std::move(recorded), std::move(now)}};
  }

  /// Throws a difference at the line of the cursor.
  [[noreturn]] void differ_here(std::string now) const {
    if (cursor_ == lines_.size()) differ(0, "nothing more", std::move(now));
    differ(lines_[cursor_]->line, words(*lines_[cursor_]), std::move(now));
  }

  const RecordedRun& run_;
  std::vector<const RecordedLine*> lines_;
  std::vector<RecordedBlock> blocks_;  ///< in the order of handing out
  std::size_t cursor_ = 0;             ///< the next line to compare
  std::size_t granted_ = 0;            ///< number of `blocks_` that were handed out again
  std::uint64_t events_ = 0;           ///< counted like OutstandingBlock::after_events
  Seconds now_;
  bool is_over_ = false;
  JournalCheck found_;
};

}  // namespace

JournalCheck check_journal(const RecordedRun& run, Policy& policy) {
  return CheckedRun(run).check(policy);
}

}  // namespace equipoise
