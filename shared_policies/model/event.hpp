// What happened: the half of the protocol that goes from the executor to the policy.
#pragma once

#include <variant>

#include "shared_policies/model/block.hpp"
#include "shared_policies/model/measures.hpp"
#include "shared_policies/model/unit.hpp"

namespace equipoise {

struct RunStarted {};
/// The workload `phase` begins; its kernel may be another one than before.
struct PhaseStarted {
  int phase = 0;
};
/// The pool is full again: every item of the phase is to be done once more.
struct IterationStarted {
  int iteration = 0;
};
/// A block came back, all its items are done.
struct BlockFinished {
  UnitId unit;
  Block block;
  Seconds assigned;  ///< when it was handed out
  StageTimes times;
};
/// A block will not come back; its items are in the pool again.
struct BlockLost {
  UnitId unit;
  Block block;
};
/// A unit failed; its outstanding blocks were lost before this event.
struct UnitLost {
  UnitId unit;
};
/// A unit is there (again).
struct UnitJoined {
  UnitId unit;
};
/// A unit has fewer blocks queued than its slots, and work remains. Said once each time that the
/// unit gets into this state, finishes a block in it, or is assigned one that leaves it there; and
/// again when an iteration starts or lost work returns to the pool.
struct UnitIdle {
  UnitId unit;
};
/// The time that a policy asked for with SetTimer has come.
struct TimerFired {
  std::uint64_t timer = 0;  ///< SetTimer's own `timer`
};

/// Something that happened at one point in time.
struct Event {
  Seconds at;  ///< when it happened, since the start of the run
  std::variant<RunStarted, PhaseStarted, IterationStarted, BlockFinished, BlockLost, UnitLost,
               UnitJoined, UnitIdle, TimerFired>
      what;
};

}  // namespace equipoise
