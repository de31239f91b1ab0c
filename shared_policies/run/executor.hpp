// The interface of everything that makes blocks happen: simulated, real, paced, or from a table.
#pragma once

#include <functional>
#include <optional>

#include "shared_policies/model/block.hpp"
#include "shared_policies/model/event.hpp"
#include "shared_policies/model/measures.hpp"
#include "shared_policies/model/unit.hpp"

namespace equipoise {

/// Makes blocks happen: in virtual time (sim/), on units (real/), paced, or from a table (tests/).
/// It reports and never chooses.
class Executor {
 public:
  Executor() = default;
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;
  virtual ~Executor() = default;

  /// Brings the units up, runs `body` once, takes the units down. All other members are called from
  /// inside `body` only. Throws BackendError when a unit does not come up; what `body` throws comes
  /// through after the units are down.
  virtual void run(const std::function<void()>& body) = 0;

  /// The time since `body` began; never goes back.
  [[nodiscard]] virtual Seconds now() const = 0;

  /// Begins `block` on `unit`, or queues it behind the blocks that the unit has, and returns when
  /// it was handed out: the `assigned` that its BlockFinished will say. Where the unit can, it
  /// copies one block while it computes another. The first block of a unit in a phase, or since it
  /// joined, brings the phase's resident bytes with it; every block costs the dispatch time before
  /// its stages begin. A block for a unit that is gone never happens.
  virtual Seconds start(const Block& block, UnitId unit) = 0;

  /// Lets `span` pass in which the master (no unit) or `unit` only thinks: the master reacts to
  /// nothing meanwhile, the unit starts no block. Only tells the time where time passes by itself.
  /// Returns `now()` behind it.
  virtual Seconds occupy(std::optional<UnitId> unit, Seconds span) = 0;

  /// The earliest BlockFinished, BlockLost, UnitLost or UnitJoined that was not reported yet and
  /// happens at or before `deadline`; waits for it. Events of one time come ordered: finishes,
  /// losses, joins, then by unit. Nothing: `deadline` has come first (`now()` >= deadline), or a
  /// stop was requested, or nothing can happen any more. A deadline in the past only looks.
  virtual std::optional<Event> next(Seconds deadline) = 0;
};

}  // namespace equipoise
