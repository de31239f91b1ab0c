// The one loop that runs a policy through an executor, for every world.
#pragma once

#include <functional>
#include <vector>

#include "shared_policies/model/unit.hpp"
#include "shared_policies/model/workload.hpp"
#include "shared_policies/run/executor.hpp"
#include "shared_policies/run/journal.hpp"
#include "shared_policies/run/policy.hpp"

namespace equipoise {

/// Says what a decision costs (--decision-cost).
class CostMeter {
 public:
  CostMeter() = default;
  CostMeter(const CostMeter&) = delete;
  CostMeter& operator=(const CostMeter&) = delete;
  virtual ~CostMeter() = default;

  /// A policy is about to be asked: its time counts from here.
  virtual void begin() {}
  /// What the policy asked for is being done: its time does not count until `resume`.
  virtual void pause() {}
  virtual void resume() {}
  /// What it took to come to `decision`, since `begin` or the decision before it. Asked between
  /// `pause` and `resume`.
  virtual Seconds price(const Decision& decision) = 0;
};

/// What is to be run.
struct RunSetup {
  /// The units that take part: each holds at least one grain of every phase (a bug otherwise; see
  /// `largest_block`).
  std::vector<Unit> units;
  std::vector<Workload> phases;     ///< one after another; at least one
  CostMeter* cost_meter = nullptr;  ///< none: decisions cost nothing
  /// Asked between events: true ends the run early (Ctrl-C). None: never.
  std::function<bool()> stop_requested;
  /// Units that are not there when the run starts: the View says so, nothing is handed to them, and
  /// the executor reports a UnitJoined when they come.
  std::vector<UnitId> absent_at_start{};
};

/// How a run ended.
struct RunOutcome {
  bool complete = false;        ///< every item of every iteration was accepted exactly once
  bool interrupted = false;     ///< a stop was requested
  bool policy_stalled = false;  ///< the policy left work undone; the loop finished it greedily
};

/// Runs `policy` over the workloads of `setup` on `executor` and tells `journal` what happens.
///
/// The loop owns the items: it cuts blocks from the pool when they are handed out, clamps what a
/// policy asks for to grain, remaining items and unit memory, leaves no crumb smaller than a grain
/// behind where it fits, puts lost blocks back, and proves from the accepted blocks alone that
/// every item was done exactly once. When work is left, nothing is outstanding, no timer is set and
/// the policy says nothing, it finishes the work greedily and says `policy_stalled`.
///
/// While no unit is there, it waits for one. A run whose units are all lost and never come back
/// ends incomplete. Memory grows with units and slots, not with blocks. Throws what the executor
/// throws.
[[nodiscard]] RunOutcome run_policy(Executor& executor, Policy& policy, const RunSetup& setup,
                                    Journal& journal);

}  // namespace equipoise
