// The run loop: runs a policy through an executor, simulated or real.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "shared_policies/model/unit.hpp"
#include "shared_policies/model/workload.hpp"
#include "shared_policies/run/executor.hpp"
#include "shared_policies/run/journal.hpp"
#include "shared_policies/run/policy.hpp"

namespace equipoise {

/// Determines the time that a policy's thinking costs (--decision-cost).
class CostMeter {
 public:
  CostMeter() = default;
  CostMeter(const CostMeter&) = delete;
  CostMeter& operator=(const CostMeter&) = delete;
  virtual ~CostMeter() = default;

  /// A policy is about to be called in the phase with this number, from 0; its time counts from
  /// now.
  virtual void begin(int /*phase*/) {}
  /// A request of the policy is being carried out, or the call is over; time does not count until
  /// `resume`.
  virtual void pause() {}
  virtual void resume() {}
  /// The time that it took to reach `decision`, a solved model: since `begin`, or since the last
  /// price. Called while paused.
  virtual Seconds price(const Decision& decision) = 0;
  /// The time of the call since `begin`, or since the last price. Called while paused: before each
  /// block that the policy hands out, and when the call is over (`is_over`).
  virtual Seconds price_answer(bool /*is_over*/) { return {}; }
};

/// What to run.
struct RunSetup {
  /// The units that take part. Each must be able to hold at least one grain of every phase;
  /// otherwise it is a bug (see `largest_block`).
  std::vector<Unit> units;
  std::vector<Workload> phases;     ///< one after another; at least one
  CostMeter* cost_meter = nullptr;  ///< null: thinking costs nothing
  /// Called between events; returning true ends the run early (Ctrl-C). May be empty.
  std::function<bool()> stop_requested;
  /// Units that are absent when the run starts. The View shows them as absent, they get no work,
  /// and the executor reports a UnitJoined when they come.
  std::vector<UnitId> absent_at_start{};
  std::uint64_t first_block = 0;  ///< the id of the first block that is handed out
  /// Whether blocks may be taken back and given twice: those of nodes may not, because parts of
  /// them are done already.
  bool may_take_back = true;
};

/// How a run ended.
struct RunOutcome {
  bool complete = false;        ///< every item of every iteration was accepted exactly once
  bool interrupted = false;     ///< a stop was requested
  bool policy_stalled = false;  ///< the policy left work undone; the loop finished it greedily
};

/// Runs `policy` over the workloads of `setup` on `executor` and records the run in `journal`.
///
/// The loop owns the items. It cuts blocks from the pool when they are handed out and limits each
/// request to whole grains, the remaining items and the unit's memory. It leaves no rest smaller
/// than a grain if the rest fits into the block. It puts lost blocks back, and proves from the
/// accepted blocks alone that every item was done exactly once. If work is left, nothing is
/// outstanding, no timer is set and the policy asks for nothing, the loop finishes the work
/// greedily and sets `policy_stalled`.
///
/// What the meter charges passes on the executor before the policy's request takes effect, whatever
/// the policy: models for the unit or master that solved them, everything else for the master. Time
/// that no decision's record contains is journaled when the run ends, as `answers_s` of the domain
/// `policy`.
///
/// While all units are absent, it waits for one to join. If none ever does, the run ends
/// incomplete. Memory grows with units and slots, not with blocks. Exceptions of the executor are
/// passed on.
[[nodiscard]] RunOutcome run_policy(Executor& executor, Policy& policy, const RunSetup& setup,
                                    Journal& journal);

/// The blocks of a node, which its agent divides among the node's units.
class NodeBlocks {
 public:
  NodeBlocks() = default;
  NodeBlocks(const NodeBlocks&) = delete;
  NodeBlocks& operator=(const NodeBlocks&) = delete;
  virtual ~NodeBlocks() = default;

  /// Waits for the next block of the node. Nothing: the run is over.
  [[nodiscard]] virtual std::optional<Block> next() = 0;
  /// All items of `block`, the latest one, are done.
  virtual void done(const Block& block) = 0;
  /// Whether the run is over, so that the rest of the latest block need not be done.
  [[nodiscard]] virtual bool is_over() const = 0;
};

/// The lower one of two levels: the same loop, over the blocks of a node one after another. To
/// `policy`, each of them is a phase of its own with the workload's kernel (PhaseStarted,
/// IterationStarted), and it goes on with what it has learned; View::phase and View::iteration are
/// those of the node's block. It begins a block when all parts of the one before are done. Parts
/// have Block::node_block. An agent whose units are all lost, and of which none joins again, ends.
[[nodiscard]] RunOutcome run_node(Executor& executor, NodeBlocks& blocks, Policy& policy,
                                  const RunSetup& setup, Journal& journal);

}  // namespace equipoise
