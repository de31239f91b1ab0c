// Issues the blocks of a recorded run again in the same order, so that differences between the runs
// are due to the machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "shared_policies/run/executor.hpp"
#include "shared_policies/run/policy.hpp"
#include "shared_policies/run/recorded_run.hpp"

namespace equipoise {

/// The progress of one replay of decisions, shared by its policy and its executor.
struct ReplayedDecisions;

/// The decisions of one recorded run, to be issued again in one other run.
class RecordedDecisions {
 public:
  /// Finds the units of the run in `units` by their names; other units get no work. Throws
  /// InputError at `where` if the run did not do all of its work, if `phases` have other sizes than
  /// those of the run, or, naming them, if units are missing or cannot hold a block that they had.
  /// Of a run of two levels, `run` is the master's or an agent's, and `first_block` the
  /// RunSetup::first_block of the new one. O(n) in time and memory.
  RecordedDecisions(const RecordedRun& run, const std::vector<Unit>& units,
                    const std::vector<Workload>& phases, std::string where,
                    std::uint64_t first_block = 0);
  RecordedDecisions(const RecordedDecisions&) = delete;
  RecordedDecisions& operator=(const RecordedDecisions&) = delete;
  ~RecordedDecisions();

  /// A policy that asks for the blocks in their recorded order, so that each block has the same
  /// items as before. Use it with `make_executor`. If a unit is lost in the new run, the policy
  /// asks for nothing more: the run loop finishes the work and reports that the policy stalled.
  [[nodiscard]] std::unique_ptr<Policy> make_policy() const;

  /// Wraps `executor` and holds each block back until the events that preceded it have happened
  /// again: the last block that had finished or was lost before it was handed out, and all losses
  /// before it. So a block waits for the same blocks as in the recorded run, but for no recorded
  /// time. Units whose blocks did not wait for one another do not wait now, so their blocks may run
  /// in another order. `executor` must outlive the result. `assigned` of a finished block is the
  /// time when it was given to `executor`.
  ///
  /// Blocks that were lost with a unit, or because that could not do them, are lost again: they are
  /// never started and are reported lost after their recorded predecessors, so that the same items
  /// return to the pool. Blocks that were taken back are started, and taken back after their
  /// predecessors; if that is too late now, the recorded run is not followed any more. Copies are
  /// given again, unless the other block has ended before; the first counts, whichever it was.
  /// Probes are sent again, and count as what a later block waits for, unless they had no answer.
  /// Recorded losses and joins of units are not repeated. `start` throws InputError at `where` if a
  /// block is not cut as recorded.
  [[nodiscard]] std::unique_ptr<Executor> make_executor(Executor& executor) const;

  /// Whether the recorded run has been followed so far: no unit was lost now, and no block ended
  /// that was taken back then.
  [[nodiscard]] bool were_kept_to() const;

 private:
  std::shared_ptr<ReplayedDecisions> replayed_;
  std::size_t units_ = 0;
};

}  // namespace equipoise
