// The interface of everything that executes blocks: simulated, real, paced, or from a list of given
// times.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "shared_policies/model/block.hpp"
#include "shared_policies/model/event.hpp"
#include "shared_policies/model/measures.hpp"
#include "shared_policies/model/unit.hpp"

namespace equipoise {

/// Executes blocks: in virtual time (sim/), on real or paced units (real/), or with given times
/// (the fake executor of tests). It only reports events and makes no choices.
class Executor {
 public:
  /// What became of a block that was to be taken back, and when.
  struct TakenBack {
    Fate fate;
    Seconds at;
  };

  Executor() = default;
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;
  virtual ~Executor() = default;

  /// Starts the units, runs `body` once, stops the units. All other members may be called only from
  /// inside `body`. Throws BackendError if a unit does not start. An exception from `body` is
  /// passed on after the units are stopped.
  virtual void run(const std::function<void()>& body) = 0;

  /// The time since `body` began. It never decreases.
  [[nodiscard]] virtual Seconds now() const = 0;

  /// Called before every iteration of every phase, in order, when nothing is outstanding (lost
  /// blocks may go on: no copy of theirs touches the kernel's data any more), and before its first
  /// block is started. Merges the results of the iteration before, if the phase has one. Returns
  /// the time when blocks of the iteration can be handed out. Units may be lost or join meanwhile;
  /// `next` reports it.
  virtual Seconds begin_iteration(int phase, int iteration) = 0;

  /// Starts `block` on `unit`, or queues it behind the unit's other blocks. Returns the time when
  /// it was handed out, which is the `assigned` of its BlockFinished. If the unit can, it copies
  /// one block while it computes another. The first block of a unit in a phase, or after the unit
  /// joined, has a setup: first use of the unit, and the transfer of the resident bytes that it
  /// lacks. The unit's first block of each further iteration has one, too: the transfer of the
  /// iteration bytes. Every block costs the dispatch time before its stages begin. A block for an
  /// absent unit is never executed or reported.
  ///
  /// Of a block and its copy (Block::copy_of), the first whose results begin to be copied is
  /// reported as finished; the other copies none, and a LateEnd is reported when it ends. If the
  /// unit of the first is lost before its results are there, the other may still be the first.
  virtual Seconds start(const Block& block, UnitId unit) = 0;

  /// Takes back `block`, which was started on `unit` and not reported. If it goes on, a LateEnd is
  /// reported when it ends, unless its unit is lost before.
  virtual TakenBack take_back(const Block& block, UnitId unit) = 0;

  /// Makes the copies of `probe` (Decisions::probe) on `unit`, which a Probed reports when they
  /// have ended. Returns when that was asked. Like a block, it waits behind what the unit has, and
  /// costs the dispatch time before its copies begin; it needs no memory for blocks. If no link
  /// leads to the unit, the answer is there at once. A probe on an absent unit, or on one that is
  /// lost before the end, is never reported.
  virtual Seconds probe(const Probe& probe, UnitId unit) = 0;

  /// Keeps the master (no unit) or `unit` busy with a decision for `span`: the master reacts to no
  /// event, the unit starts no block. In real time this only informs the executor, because the time
  /// has passed by itself. Returns `now()` afterwards.
  virtual Seconds occupy(std::optional<UnitId> unit, Seconds span) = 0;

  /// Waits for and returns the earliest BlockFinished, LateEnd, Probed, BlockLost, UnitLost or
  /// UnitJoined that was not reported yet and happens at or before `deadline`. Events of the same
  /// time are ordered: finishes, late ends, probes, losses, joins, then by unit. Returns nothing if
  /// `deadline` has come first (`now()` >= deadline), a stop was requested, or no event can happen
  /// any more. With a deadline in the past it does not wait.
  virtual std::optional<Event> next(Seconds deadline) = 0;
};

}  // namespace equipoise
