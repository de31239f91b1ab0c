// A recorded run as a replay of its decisions needs it, and how far the replay has come.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "shared_policies/model/block.hpp"
#include "shared_policies/model/event.hpp"
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
  struct Issue {
    UnitId unit;
    Block block;  ///< without its first item unless it was accepted
    End end = End::accepted;
    std::uint64_t after_events = 0;
    std::size_t after = 0;                  ///< number of settlements before it was handed out
    std::optional<Items> cap_items{};       ///< of a lost block, see BlockLost
    std::optional<std::uint64_t> id_now{};  ///< of the block now; none: not handed out, or left out
  };

  /// A probe as it was asked for in the recorded run.
  struct ProbeIssue {
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
  std::vector<Issue> issues;       ///< by recorded block id
  std::vector<ProbeIssue> probes;  ///< by recorded id
  std::vector<Settlement> settlements;
  /// By the number of a block that was given twice: it and its copies, ascending.
  std::map<std::uint64_t, std::vector<std::uint64_t>> copies;

  // The progress of the replay.
  std::vector<char> has_ended;  ///< (issues)
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
  [[nodiscard]] Issue* due(End end) {
    if (has_diverged) return end == End::lost ? any_loss() : nullptr;
    if (next_loss == settlements.size() || !is_reached(next_loss)) return nullptr;
    Issue& next = issues[settlements[next_loss].block];
    // It may be cut later in this same instant.
    return next.id_now && next.end == end ? &next : nullptr;
  }

  /// The block that is handed out now as `id`, or null.
  [[nodiscard]] Issue* issued_as(std::uint64_t id) {
    // No more than the copies that were left out are between the two.
    for (std::size_t i = id; i < cut; ++i) {
      if (issues[i].id_now == id) return &issues[i];
    }
    return nullptr;
  }

  /// `issue` was lost or taken back.
  void lose(const Issue& issue) {
    has_ended[issue.block.id] = 1;
    find_next_loss();
  }

  /// `issue` was accepted, so its copies have ended, too. If none of them was accepted in the
  /// recorded run, their items were handed out again there, and that cannot be followed.
  void accept(const Issue& issue) {
    const auto group = copies.find(issue.block.original());
    bool is_as_recorded = issue.end == End::accepted;
    const auto settle = [&](std::uint64_t id) {
      is_as_recorded = is_as_recorded || issues[id].end == End::accepted;
      has_ended[id] = 1;
    };
    settle(issue.block.id);
    if (group != copies.end()) std::ranges::for_each(group->second, settle);
    has_diverged = has_diverged || !is_as_recorded;
    find_next_loss();
  }

  /// The probe that has the number `id` now has ended.
  void end_probe(std::uint64_t id) {
    const auto found = std::ranges::find(probes, std::optional(id), &ProbeIssue::id_now);
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
  [[nodiscard]] Issue* any_loss() {
    for (std::size_t i = next_loss; i < settlements.size(); ++i) {
      if (!is_to_be_lost(i)) continue;
      Issue& issue = issues[settlements[i].block];
      if (issue.end == End::lost && issue.block.id < cut) return &issue;
    }
    return nullptr;
  }
};

/// Fills the issues, probes and settlements of `replayed`, in the order of the journal. Throws
/// InputError at `replayed.where` if a block is missing.
void read_lines(const RecordedRun& run, ReplayedDecisions& replayed);

}  // namespace equipoise
