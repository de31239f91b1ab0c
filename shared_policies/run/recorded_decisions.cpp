// A policy, and an executor that wraps another one; together they issue the blocks of a recorded
// run again.
#include "shared_policies/run/recorded_decisions.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <variant>

#include "shared_policies/model/failure.hpp"

namespace equipoise {
struct ReplayedDecisions {
  /// A block as it was handed out in the recorded run.
  struct Issue {
    UnitId unit;
    Block block;
    bool is_lost = false;  ///< if true, the journal does not have its first item
    std::uint64_t after_events = 0;
    std::size_t after = 0;             ///< number of settlements before it was handed out
    std::optional<Items> cap_items{};  ///< of a lost block, see BlockLost
  };

  /// A block that finished or was lost.
  struct BlockEnd {
    std::uint64_t block = 0;
    bool is_lost = false;
  };

  std::string where;
  std::vector<Issue> issues;  ///< by block id
  std::vector<BlockEnd> settlements;
  std::vector<std::size_t> losses_before;  ///< (settlements + 1), number of losses before each
                                           ///< settlement

  // The progress of the replay.
  std::vector<char> has_ended;  ///< (issues)
  std::size_t lost = 0;         ///< number of blocks lost again so far
  std::size_t next_loss = 0;    ///< position in `settlements`; no loss before it is still to come
  std::size_t cut = 0;          ///< number of blocks cut from the pool so far
  bool has_diverged = false;    ///< a unit was lost now, so the recorded run is no longer followed

  /// Whether the losses among the settlements before number `i` have happened.
  [[nodiscard]] bool have_losses_happened(std::size_t i) const { return lost >= losses_before[i]; }

  /// Whether the replay has reached settlement `i`: all losses before it have happened, and so has
  /// settlement i - 1. Settlement `i`, and blocks that were handed out after settlement i - 1, wait
  /// for this.
  [[nodiscard]] bool is_reached(std::size_t i) const {
    return have_losses_happened(i) && (i == 0 || has_ended[settlements[i - 1].block] != 0);
  }

  /// The block that has to be reported lost now, or null.
  [[nodiscard]] const Issue* loss_that_is_due() {
    while (next_loss < settlements.size() && !is_to_be_lost(next_loss)) ++next_loss;
    if (has_diverged) return any_loss();
    if (next_loss == settlements.size() || !is_reached(next_loss)) return nullptr;
    const std::uint64_t block = settlements[next_loss].block;
    return block < cut ? &issues[block] : nullptr;  // it may be cut later in this same instant
  }

 private:
  [[nodiscard]] bool is_to_be_lost(std::size_t i) const {
    return settlements[i].is_lost && has_ended[settlements[i].block] == 0;
  }

  /// Returns a block that still has to be lost. No unit works on it, so it must not stay
  /// outstanding.
  [[nodiscard]] const Issue* any_loss() const {
    for (std::size_t i = next_loss; i < settlements.size(); ++i) {
      if (is_to_be_lost(i) && settlements[i].block < cut) return &issues[settlements[i].block];
    }
    return nullptr;
  }
};

namespace {

using Issue = ReplayedDecisions::Issue;
using BlockEnd = ReplayedDecisions::BlockEnd;

/// Asks for the blocks in their recorded order, as far as lost blocks allow.
class RecordedPolicy final : public Policy {
 public:
  explicit RecordedPolicy(std::shared_ptr<const ReplayedDecisions> replayed)
      : replayed_(std::move(replayed)) {}

  void decide(const View& view, const Event& event, Decisions& decisions) override {
    // Before the iteration starts, the pool still belongs to the iteration before.
    if (std::holds_alternative<RunStarted>(event.what) ||
        std::holds_alternative<PhaseStarted>(event.what)) {
      return;
    }
    const std::vector<Issue>& issues = replayed_->issues;
    for (; issued_ < issues.size() && !replayed_->has_diverged; ++issued_) {
      const Issue& issue = issues[issued_];
      const bool is_of_now =
          issue.block.phase == view.phase() && issue.block.iteration == view.iteration();
      if (!is_of_now || !replayed_->have_losses_happened(issue.after)) return;
      decisions.assign(issue.unit, issue.block.items, issue.block.tag, issue.block.group);
    }
  }

 private:
  std::shared_ptr<const ReplayedDecisions> replayed_;
  std::size_t issued_ = 0;
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
    const Issue& issue = expect_next(block, unit);
    if (issue.is_lost) return next_.now();
    held_[unit.index].push_back({block, issue.after});
    begin_what_is_due();
    return next_.now();
  }

  Seconds occupy(std::optional<UnitId> unit, Seconds span) override {
    return next_.occupy(unit, span);
  }

  std::optional<Event> next(Seconds deadline) override {
    const Seconds now = next_.now();
    if (const Issue* const lost = now <= deadline ? replayed_->loss_that_is_due() : nullptr) {
      ++replayed_->lost;
      end_block(lost->block.id);
      return Event{now, BlockLost{lost->unit, lost->block, lost->cap_items}};
    }
    std::optional<Event> event = next_.next(deadline);
    if (!event) return event;
    if (const auto* finished = std::get_if<BlockFinished>(&event->what)) {
      end_block(finished->block.id);
    } else if (!std::holds_alternative<UnitJoined>(event->what)) {
      replayed_->has_diverged = true;
      if (const auto* gone = std::get_if<UnitLost>(&event->what)) held_[gone->unit.index].clear();
      begin_what_is_due();
    }
    return event;
  }

 private:
  struct Held {
    Block block;
    std::size_t after;
  };

  /// The next recorded block. Throws InputError if the block that is now cut differs from it.
  const Issue& expect_next(const Block& block, UnitId unit) {
    ReplayedDecisions& r = *replayed_;
    const Issue* const issue = r.cut < r.issues.size() ? &r.issues[r.cut] : nullptr;
    if (issue != nullptr && issue->block.id == block.id && issue->unit == unit &&
        issue->block.items == block.items &&
        (issue->is_lost || issue->block.first == block.first)) {
      ++r.cut;
      return *issue;
    }
    throw InputError(r.where,
                     fmt::format("block {} cannot be handed out as recorded: it would have "
                                 "{} items from item {} on; use units with the same "
                                 "memory as in the recorded run",
                                 block.id, block.items, block.first));
  }

  void end_block(std::uint64_t block) {
    if (block < replayed_->has_ended.size()) replayed_->has_ended[block] = 1;
    begin_what_is_due();
  }

  /// Starts every held block whose predecessors have happened. The blocks of one unit start in
  /// their order.
  void begin_what_is_due() {
    for (std::uint32_t unit = 0; unit < held_.size(); ++unit) {
      std::deque<Held>& queue = held_[unit];
      while (!queue.empty() &&
             (replayed_->has_diverged || replayed_->is_reached(queue.front().after))) {
        static_cast<void>(next_.start(queue.front().block, UnitId{unit}));
        queue.pop_front();
      }
    }
  }

  Executor& next_;
  std::shared_ptr<ReplayedDecisions> replayed_;
  std::vector<std::deque<Held>> held_;  ///< (units)
};

/// Fills `replayed.issues` and `replayed.settlements` in the order of the journal.
void read_lines(const RecordedRun& run, ReplayedDecisions& replayed) {
  std::vector<std::size_t> settled_after = {0};  // [number of events]: number of settlements
  for (const RecordedLine& line : run.lines) {
    if (const auto* b = std::get_if<BlockRecord>(&line.what)) {
      replayed.issues.push_back({b->unit, b->block, false, b->after_events, 0});
      replayed.settlements.push_back({b->block.id, false});
      settled_after.push_back(replayed.settlements.size());
    } else if (const auto* e = std::get_if<EventRecord>(&line.what); e && is_counted(e->what)) {
      if (const auto* lost = std::get_if<LostBlock>(&e->what)) {
        replayed.issues.push_back(
            {lost->unit, lost->block, true, lost->after_events, 0, lost->cap_items});
        replayed.settlements.push_back({lost->block.id, true});
      }
      settled_after.push_back(replayed.settlements.size());
    }
  }
  std::ranges::sort(replayed.issues, {}, [](const Issue& issue) { return issue.block.id; });
  for (std::size_t i = 0; i < replayed.issues.size(); ++i) {
    Issue& issue = replayed.issues[i];
    if (issue.block.id != i || issue.after_events >= settled_after.size()) {
      throw InputError(replayed.where,
                       fmt::format("block {} is not in it; give a run file as it was written", i));
    }
    issue.after = settled_after[issue.after_events];
  }
  replayed.losses_before = {0};
  for (const BlockEnd& settlement : replayed.settlements) {
    replayed.losses_before.push_back(replayed.losses_before.back() + (settlement.is_lost ? 1 : 0));
  }
  replayed.has_ended.assign(replayed.issues.size(), 0);
}

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
  for (const Issue& issue : replayed.issues) {
    if (!found[issue.unit.index]) lacking.insert(run.units[issue.unit.index].name);
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
                                     const std::vector<Workload>& phases, std::string where)
    : replayed_(std::make_shared<ReplayedDecisions>()), units_(units.size()) {
  replayed_->where = std::move(where);
  expect_all_work_done(run, replayed_->where);
  expect_phases(run, phases, replayed_->where);
  read_lines(run, *replayed_);
  const auto found = find_units(run, units, *replayed_);
  for (Issue& issue : replayed_->issues) {
    issue.unit = *found[issue.unit.index];
    const Unit& unit = units[issue.unit.index];
    const Items most = largest_block(unit, phases[static_cast<std::size_t>(issue.block.phase)]);
    if (issue.block.items <= most) continue;
    throw InputError(replayed_->where,
                     fmt::format("block {} has {} items, and {} holds {} at most; give it more "
                                 "memory",
                                 issue.block.id, issue.block.items, unit.name, most));
  }
}

RecordedDecisions::~RecordedDecisions() = default;

std::unique_ptr<Policy> RecordedDecisions::make_policy() const {
  return std::make_unique<RecordedPolicy>(replayed_);
}

std::unique_ptr<Executor> RecordedDecisions::make_executor(Executor& executor) const {
  return std::make_unique<ReplayingExecutor>(executor, units_, replayed_);
}

}  // namespace equipoise
