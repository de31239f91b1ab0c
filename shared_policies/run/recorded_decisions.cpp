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
#include <vector>

#include "shared_policies/model/failure.hpp"
#include "shared_policies/run/replayed_decisions.hpp"

namespace equipoise {
namespace {

using Issue = ReplayedDecisions::Issue;
using ProbeIssue = ReplayedDecisions::ProbeIssue;
using End = ReplayedDecisions::End;

/// Asks for the blocks and probes in their recorded order, as far as lost blocks allow, takes back
/// what was taken back, and gives copies again.
class RecordedPolicy final : public Policy {
 public:
  explicit RecordedPolicy(std::shared_ptr<ReplayedDecisions> replayed)
      : replayed_(std::move(replayed)) {}

  void decide(const View& view, const Event& event, Decisions& decisions) override {
    // Before the iteration starts, the pool still belongs to the iteration before.
    if (std::holds_alternative<RunStarted>(event.what) ||
        std::holds_alternative<PhaseStarted>(event.what)) {
      return;
    }
    do {
      issue_all(view, decisions);
    } while (take_back_next(decisions));
  }

 private:
  void issue_all(const View& view, Decisions& decisions) {
    ReplayedDecisions& r = *replayed_;
    for (send_probes(decisions); r.cut < r.issues.size() && !r.has_diverged;
         send_probes(decisions)) {
      const Issue& issue = r.issues[r.cut];
      const auto now = std::pair(view.phase(), view.iteration());
      const auto then = std::pair(issue.block.phase, issue.block.iteration);
      if (then < now) {  // a copy of what is done
        ++r.cut;
        continue;
      }
      if (then > now || !r.have_losses_happened(issue.after)) return;
      if (issue.block.copy_of) {
        if (!give_copy(issue, view, decisions)) return;
      } else if (decisions.assign(issue.unit, issue.block.items, issue.block.tag,
                                  issue.block.group) == 0) {
        r.has_diverged = true;
      }
    }
  }

  /// Sends the probes that were sent before the next block.
  void send_probes(Decisions& decisions) {
    ReplayedDecisions& r = *replayed_;
    while (r.probed < r.probes.size() && !r.has_diverged) {
      ProbeIssue& next = r.probes[r.probed];
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
  bool give_copy(const Issue& copy, const View& view, Decisions& decisions) {
    std::vector<const Issue*> others;
    for (const std::uint64_t id : replayed_->copies.at(copy.block.original())) {
      const Issue& other = replayed_->issues[id];
      if (id < copy.block.id && is_outstanding(other, view)) others.push_back(&other);
    }
    if (others.size() > 1) return false;
    if (others.empty()) {
      ++replayed_->cut;
      return true;
    }
    const Issue& other = *others.front();
    const Items given = decisions.give_twice(other.id_now.value(), other.unit, copy.unit);
    replayed_->has_diverged = replayed_->has_diverged || given == 0;
    return true;
  }

  [[nodiscard]] static bool is_outstanding(const Issue& issue, const View& view) {
    return std::ranges::any_of(view.unit(issue.unit).outstanding, [&](const OutstandingBlock& b) {
      return b.block.id == issue.id_now;
    });
  }

  /// Takes back the block whose turn it is. Returns false if there is none.
  bool take_back_next(Decisions& decisions) {
    const Issue* const issue = replayed_->due(End::taken_back);
    if (issue == nullptr) return false;
    if (decisions.take_back(issue->unit, issue->id_now.value())) {
      replayed_->lose(*issue);
    } else {
      replayed_->has_diverged = true;
    }
    return !replayed_->has_diverged;
  }

  std::shared_ptr<ReplayedDecisions> replayed_;
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
    if (issue.end == End::lost) return next_.now();
    held_[unit.index].push_back({block, issue.after});
    begin_what_is_due();
    return next_.now();
  }

  Seconds probe(const Probe& probe, UnitId unit) override {
    if (replayed_->has_diverged) return next_.probe(probe, unit);
    ProbeIssue& issue = replayed_->probes[replayed_->probed];
    issue.id_now = probe.id;
    held_[unit.index].push_back({{.id = no_block}, issue.after, probe});
    begin_what_is_due();
    return next_.now();
  }

  TakenBack take_back(const Block& block, UnitId unit) override {
    std::deque<Held>& queue = held_[unit.index];
    const auto found =
        std::ranges::find(queue, block.id, [](const Held& held) { return held.block.id; });
    const Issue* const issue = replayed_->issued_as(block.id);
    const bool was_started = issue == nullptr || issue->end != End::lost;
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
    if (const Issue* const lost = now <= deadline ? replayed_->due(End::lost) : nullptr) {
      replayed_->lose(*lost);
      begin_what_is_due();
      Block block = lost->block;
      block.id = lost->id_now.value();
      return Event{now, BlockLost{lost->unit, block, lost->cap_items}};
    }
    std::optional<Event> event = next_.next(deadline);
    if (!event) return event;
    if (const auto* finished = std::get_if<BlockFinished>(&event->what)) {
      const Issue* const issue = replayed_->issued_as(finished->block.id);
      if (issue != nullptr) replayed_->accept(*issue);
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
  const Issue& expect_next(const Block& block, UnitId unit) {
    ReplayedDecisions& r = *replayed_;
    Issue* const issue = r.cut < r.issues.size() ? &r.issues[r.cut] : nullptr;
    if (issue != nullptr && issue->unit == unit && issue->block.items == block.items &&
        (issue->end != End::accepted || issue->block.first == block.first)) {
      issue->id_now = block.id;
      ++r.cut;
      return *issue;
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
  for (ProbeIssue& probe : replayed_->probes) {
    const std::optional<UnitId> unit = found[probe.unit.index];
    probe.is_left_out = probe.is_left_out || !unit;
    if (unit) probe.unit = *unit;
  }
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

bool RecordedDecisions::were_kept_to() const { return !replayed_->has_diverged; }

std::unique_ptr<Executor> RecordedDecisions::make_executor(Executor& executor) const {
  return std::make_unique<ReplayingExecutor>(executor, units_, replayed_);
}

}  // namespace equipoise
