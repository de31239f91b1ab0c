// A recorded run as read from its run file. It can be checked and issued again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <variant>
#include <vector>

#include "shared_policies/model/unit.hpp"
#include "shared_policies/model/workload.hpp"
#include "shared_policies/run/journal.hpp"

namespace equipoise {

/// One record and its line.
struct RecordedLine {
  std::size_t line = 0;  ///< line number in the file, from 1
  /// The first item of a block that was not accepted is unknown.
  std::variant<BlockRecord, DecisionRecord, EventRecord, Measured> what;
};

/// The event of this kind that `line` tells of, or null.
template <class Kind>
[[nodiscard]] const Kind* event_of(const RecordedLine& line) {
  const auto* const event = std::get_if<EventRecord>(&line.what);
  return event == nullptr ? nullptr : std::get_if<Kind>(&event->what);
}

/// Tells `journal` the record of `line`.
void tell(const RecordedLine& line, Journal& journal);

/// In a run of two levels, blocks of one run loop have numbers within so many of its first one.
inline constexpr std::uint64_t blocks_of_a_loop = 1'000'000'000;

/// The contents of a run's journal.
struct RecordedRun {
  std::vector<Unit> units;
  std::vector<UnitId> absent_at_start;
  std::vector<Workload> phases;
  std::vector<RecordedLine> lines;  ///< in the order of the journal
  std::uint64_t first_block = 0;    ///< RunSetup::first_block
  bool may_take_back = true;        ///< RunSetup::may_take_back
  bool is_of_agent = false;         ///< the lower one of two levels
  bool is_whole = false;            ///< the journal ends with its summary; otherwise the run was
                                    ///< interrupted
};

}  // namespace equipoise
