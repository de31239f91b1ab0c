// Runs a policy again offline on the events of a recorded run and finds the first decision that
// differs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "shared_policies/run/policy.hpp"
#include "shared_policies/run/recorded_run.hpp"

namespace equipoise {

/// The first place where a policy decides differently from its journal.
struct JournalDifference {
  std::size_t line = 0;  ///< line number in the journal; 0: after its last line
  std::string recorded;  ///< what the journal has, as text
  std::string now;       ///< what the policy decides now on the same events
};

/// The result of a check.
struct JournalCheck {
  std::uint64_t blocks = 0;  ///< blocks handed out as recorded, copies included
  std::uint64_t copies = 0;  ///< how many of these were copies (Decisions::give_twice)
  std::uint64_t other = 0;   ///< decisions, probes, notes and timers that were as recorded
  std::optional<JournalDifference> difference;
  /// For a run that was killed: the first block that was handed out and is not in the journal. The
  /// journal does not say what the policy saw of this block, so a later difference proves nothing
  /// and is not reported.
  std::optional<std::uint64_t> first_unknown_block;
};

/// Gives `policy` the events of `run` in their recorded order, through the ordinary run loop, and
/// compares every block that it asks for and every decision, probe, note and timer with the
/// recorded ones. It waits for nothing and reads no clock: a policy that is a function of its
/// events decides the same again. Of an interrupted run everything in the journal is compared.
/// `policy` must be new, made with the parameters of the run. Takes O(n) in the number of lines,
/// plus the time of the policy.
[[nodiscard]] JournalCheck check_journal(const RecordedRun& run, Policy& policy);

}  // namespace equipoise
