// Decides a recorded run again offline and finds the first decision that differs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "shared_policies/run/policy.hpp"
#include "shared_policies/run/recorded_run.hpp"

namespace equipoise {

/// Where a policy decides otherwise than its journal says.
struct JournalDifference {
  std::size_t line = 0;  ///< of the journal; 0: behind its last line
  std::string recorded;  ///< what the journal says, in words
  std::string now;       ///< what the policy says to the same events
};

/// What a check found.
struct JournalCheck {
  std::uint64_t blocks = 0;  ///< handed out as recorded
  std::uint64_t other = 0;   ///< decisions, notes and timers as recorded
  std::optional<JournalDifference> difference;
  /// The first block that was handed out and is not in the journal, of a run that was killed: what
  /// its policy saw of it is not known, so a difference behind it says nothing and is none.
  std::optional<std::uint64_t> first_unknown_block;
};

/// Gives `policy` the events of `run` in their recorded order, by the ordinary run loop, and
/// compares every block that it asks for, every decision, note and timer with what was recorded.
/// Nothing is waited for, no clock is read: a policy that is a function of its events decides the
/// same. Of an interrupted run all is compared that stands in the journal. `policy` is new, made
/// with the parameters of the run. O(n) in the number of lines, beside what the policy takes.
[[nodiscard]] JournalCheck check_journal(const RecordedRun& run, Policy& policy);

}  // namespace equipoise
