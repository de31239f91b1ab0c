// A run that was journaled, as its file tells it: what can be checked and issued again.
#pragma once

#include <cstddef>
#include <variant>
#include <vector>

#include "shared_policies/machine/scenario.hpp"
#include "shared_policies/model/unit.hpp"
#include "shared_policies/model/workload.hpp"
#include "shared_policies/run/journal.hpp"

namespace equipoise {

/// One record and where it stands.
struct RecordedLine {
  std::size_t line = 0;  ///< of the file, from 1
  /// In events, `disturbance` is null; first_item of a block that was not accepted is not known.
  std::variant<BlockRecord, DecisionRecord, EventRecord, Disturbance> what;
};

/// What a journal holds of a run.
struct RecordedRun {
  std::vector<Unit> units;
  std::vector<UnitId> absent_at_start;
  std::vector<Workload> phases;
  std::vector<RecordedLine> lines;  ///< in the order of the journal
  bool is_whole = false;            ///< it came to its summary; else it was interrupted
};

}  // namespace equipoise
