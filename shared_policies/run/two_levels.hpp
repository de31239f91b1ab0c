// Two levels: the master divides among nodes, and the agent of each node among its units. Both run
// the same loop (run_loop.hpp); their records go into one journal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "shared_policies/model/failure.hpp"
#include "shared_policies/model/unit.hpp"
#include "shared_policies/run/executor.hpp"
#include "shared_policies/run/journal.hpp"
#include "shared_policies/run/recorded_run.hpp"
#include "shared_policies/run/run_loop.hpp"

namespace equipoise {

/// A node of a run of two levels.
struct NodeOfRun {
  /// What the master's policy knows of it: its name, that it is a processor, and that it has two
  /// slots, so that the bytes of one block travel while another one is computed.
  Unit unit;
  std::vector<UnitId> units;  ///< of the run, ascending

  /// Those of `all` that are its units, each of which works where its agent is.
  [[nodiscard]] std::vector<Unit> units_of(std::span<const Unit> all) const;
};

/// How the master's run loop runs on `nodes`: RunSetup, without what all levels have.
[[nodiscard]] RunSetup setup_of_master(std::span<const NodeOfRun> nodes,
                                       std::vector<Workload> phases);

/// How the run loop of the agent of node number `node` runs on `units`, those of the
/// node.
[[nodiscard]] RunSetup setup_of_agent(std::size_t node, std::vector<Unit> units,
                                      std::vector<Workload> phases);

/// The nodes of `units`, those with the same Unit::node, in the order of their first units. Units
/// that name none are of the node "master".
[[nodiscard]] std::vector<NodeOfRun> nodes_of(std::span<const Unit> units);

/// In journals, node number k of a run with n units is unit number n + k.
[[nodiscard]] inline UnitId id_of_node(std::size_t units, std::size_t node) {
  return UnitId{static_cast<std::uint32_t>(units + node)};
}

/// By how much longer a node may keep its blocks than a unit (BlockWatch), so that its agent finds
/// first that a unit is late.
inline constexpr double timeout_factor_of_nodes = 2.0;

/// Blocks are numbered from 0 by the master and from k * 10^9 by the agent of node number k - 1, so
/// that a number is used once in a run.
[[nodiscard]] inline std::uint64_t first_block_of(std::size_t node) {
  return (node + 1) * blocks_of_a_loop;
}

/// Divides the blocks of a node on `units`, whose units are the node's.
using DivideBlocks = std::function<RunOutcome(Executor& units, NodeBlocks& blocks)>;

/// The decisions of an agent in a recorded run, which are to be issued again.
struct RecordedAgent {
  std::shared_ptr<const RecordedRun> run;  ///< null: there are none, its policy decides
  std::string file;                        ///< that of the recorded run
};

/// What the agents of nodes do. An executor of two levels, whose units are the nodes, calls it.
struct NodeAgents {
  /// Divides the blocks of node number `node`. Called at most once for each node whose agent works
  /// in this process, each on a thread (or simulated actor) of its own.
  std::function<RunOutcome(std::size_t node, Executor& units, NodeBlocks& blocks)> run;
  /// Takes a record of the agent of node number `node`, which works in another process. Its units
  /// are numbered as the node has them. Any thread may call it.
  std::function<void(std::size_t node, const RecordedLine& record)> record;
  /// Hears of an InputError of such an agent, which ends the run. Any thread may call it.
  std::function<void(const InputError& refusal)> refuse;
  std::vector<RecordedAgent> recorded;  ///< (nodes) empty unless decisions are issued again
};

/// Passes the records of the master or of an agent on to the journal of the whole run.
class LevelJournal final : public Journal {
 public:
  /// `ids`: what the units of the level are in the run; `node`: whose agent it is, none for the
  /// master. `next` must outlive it.
  LevelJournal(std::vector<UnitId> ids, std::optional<UnitId> node, Journal& next)
      : ids_(std::move(ids)), node_(node), next_(next) {}

  void block(const BlockRecord& record) override;
  void decision(const DecisionRecord& record) override;
  void event(const EventRecord& record) override;
  void measured(const Measured& record) override;

 private:
  std::vector<UnitId> ids_;
  std::optional<UnitId> node_;
  Journal& next_;
};

/// Of the journal of a run with `units` units, passes on what is of these: everything in a run of
/// one level; in one of two, neither blocks of nodes and what became of them nor the beginning of
/// their division, and of the master's decisions that they were made. What an agent recorded while
/// it divided a block of its node is passed on when that has ended: if the node was lost meanwhile,
/// its parts that were done are lost, too. Keeps about 200 bytes for each part until then.
class UnitRecords final : public Journal {
 public:
  /// Calls `node_ended` with the end of each block of a node, when its results were at the master.
  UnitRecords(std::size_t units, Journal& next, std::function<void(Seconds)> node_ended)
      : units_(units), next_(next), node_ended_(std::move(node_ended)) {}

  void block(const BlockRecord& record) override;
  void decision(const DecisionRecord& record) override;
  void event(const EventRecord& record) override;
  void measured(const Measured& record) override;
  /// The run is over: passes on what is left.
  void finish();

 private:
  [[nodiscard]] bool is_node(UnitId unit) const { return unit.index >= units_; }
  void event_of_node(UnitId node, const RunEvent& what);
  /// `record` of the agent of a node, or of the master.
  template <class Record>
  void take(const Record& record);
  void release(UnitId node);
  void release_lost(UnitId node);
  void lose(const BlockRecord& part);

  std::size_t units_;
  Journal& next_;
  std::function<void(Seconds)> node_ended_;
  std::map<UnitId, std::vector<RecordedLine>> held_;  ///< by node
  std::set<UnitId> lost_;                             ///< nodes
};

}  // namespace equipoise
