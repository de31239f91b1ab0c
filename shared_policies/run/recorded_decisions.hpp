// The blocks of a recorded run, issued again in the same order: what differs is the machine's
// doing.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "shared_policies/run/executor.hpp"
#include "shared_policies/run/policy.hpp"
#include "shared_policies/run/recorded_run.hpp"

namespace equipoise {

/// How far one replay of decisions has come; shared by its policy and its executor.
struct ReplayedDecisions;

/// The decisions of one recorded run, to be issued again in one run.
class RecordedDecisions {
 public:
  /// Units are found in `units` by their names; others of them get nothing. Throws InputError at
  /// `where` for a run that did not do all of its work, for `phases` of other sizes than the run's,
  /// and, naming them, for units that are not there or cannot hold a block that they had. O(n) in
  /// time and memory.
  RecordedDecisions(const RecordedRun& run, const std::vector<Unit>& units,
                    const std::vector<Workload>& phases, std::string where);
  RecordedDecisions(const RecordedDecisions&) = delete;
  RecordedDecisions& operator=(const RecordedDecisions&) = delete;
  ~RecordedDecisions();

  /// A policy that has the blocks cut in their recorded order, so that each holds the items that it
  /// held, to be used with `make_executor`. When a unit is lost now, it says nothing more: the run
  /// loop finishes the work and says that the policy stalled.
  [[nodiscard]] std::unique_ptr<Policy> make_policy() const;

  /// `executor`, behind one that keeps a block back until what came before it
  /// has happened again: the last block that had come back or was lost before it was handed out,
  /// and all that had been lost. So it waits for what the recorded policy waited for, but not until
  /// a time, and units whose blocks do not wait for one another do not wait now: they may meet in
  /// another order. `executor` outlives it. `assigned` of a finished block is when it was given to
  /// `executor`.
  ///
  /// Blocks that were lost are lost again: they are never begun, and reported lost behind what came
  /// before it, so that the same items come back to the pool. Units neither go nor come. `start`
  /// throws InputError at `where` when a block is not cut as it was.
  [[nodiscard]] std::unique_ptr<Executor> make_executor(Executor& executor) const;

 private:
  std::shared_ptr<ReplayedDecisions> replayed_;
  std::size_t units_ = 0;
};

}  // namespace equipoise
