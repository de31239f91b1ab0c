// Reads what a replay of decisions needs from a recorded run.
#include "shared_policies/run/replayed_decisions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <variant>
#include <vector>

#include "shared_policies/model/failure.hpp"

namespace equipoise {
namespace {

using Issue = ReplayedDecisions::Issue;
using End = ReplayedDecisions::End;

/// The blocks that were accepted, or of which a copy was.
std::set<std::uint64_t> accepted_originals(const RecordedRun& run) {
  std::set<std::uint64_t> originals;
  for (const RecordedLine& line : run.lines) {
    if (const auto* b = std::get_if<BlockRecord>(&line.what)) originals.insert(b->block.original());
  }
  return originals;
}

/// The event of this kind that `line` tells of, or null.
template <class Kind>
const Kind* event_of(const RecordedLine& line) {
  const auto* const event = std::get_if<EventRecord>(&line.what);
  return event == nullptr ? nullptr : std::get_if<Kind>(&event->what);
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

}  // namespace

void read_lines(const RecordedRun& run, ReplayedDecisions& replayed) {
  const std::set<std::uint64_t> accepted = accepted_originals(run);
  const std::set<std::uint64_t> unanswered = unanswered_probes(run);
  std::vector<std::size_t> settled_after = {0};  // [number of events]: number of settlements
  for (const RecordedLine& line : run.lines) {
    if (const auto* b = std::get_if<BlockRecord>(&line.what)) {
      replayed.issues.push_back({b->unit, b->block, End::accepted, b->after_events, 0});
      replayed.settlements.push_back({b->block.id});
      settled_after.push_back(replayed.settlements.size());
    } else if (const ProbeBegin* const begin = event_of<ProbeBegin>(line)) {
      replayed.probes.push_back({begin->unit, begin->probe, begin->after_blocks,
                                 replayed.settlements.size(),
                                 unanswered.contains(begin->probe.id)});
    } else if (const auto* e = std::get_if<EventRecord>(&line.what); e && is_counted(e->what)) {
      if (const auto* lost = std::get_if<LostBlock>(&e->what)) {
        replayed.issues.push_back({lost->unit, lost->block, end_of(*lost, accepted),
                                   lost->after_events, 0, lost->cap_items});
        if (replayed.issues.back().end != End::of_copies) {
          replayed.settlements.push_back({lost->block.id, true});
        }
      } else if (const auto* probed = std::get_if<Probed>(&e->what); probed && probed->times) {
        replayed.settlements.push_back({no_block, false, probed->probe.id});
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
    if (issue.block.copy_of) {
      std::vector<std::uint64_t>& copies = replayed.copies[*issue.block.copy_of];
      if (copies.empty()) copies.push_back(*issue.block.copy_of);
      copies.push_back(i);
    }
  }
  replayed.has_ended.assign(replayed.issues.size(), 0);
  replayed.find_next_loss();
}

}  // namespace equipoise
