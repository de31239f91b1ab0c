// The other processes of a run, as the master sees them: each drives the units of a node, and
// blocks travel there and back.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "real/machine.hpp"
#include "real/nodes/communicator.hpp"
#include "real/nodes/held_links.hpp"
#include "real/nodes/link_probes.hpp"
#include "real/nodes/node_messages.hpp"
#include "real/worker.hpp"
#include "shared_policies/machine/scenario.hpp"
#include "shared_policies/model/block_timeout.hpp"
#include "shared_policies/model/measures.hpp"
#include "shared_policies/run/two_levels.hpp"

namespace equipoise {

/// The name of a rank's node: "node1".
[[nodiscard]] std::string node_name(int rank);

/// A unit of a node; or a whole node, in a run of two levels.
struct NodeUnit {
  int rank = 0;
  std::uint32_t number = 0;       ///< among the units of the node; 0: the node
  bool computes = true;           ///< otherwise its results are no results
  bool copies_by_itself = false;  ///< as a CPU: its copies on the node count as computing
};

/// The agents of a run of two levels that divide the blocks of other ranks there.
struct RemoteAgents {
  /// (ranks - 1) The numbers of their nodes in the run; none: the rank has no units.
  std::vector<std::optional<std::uint64_t>> numbers{};
  BlockTimeout block_timeout{};                ///< of the nodes' units
  std::shared_ptr<const NodeAgents> agents{};  ///< hears of what they record
};

/// A run as nodes need it.
struct NodesRun {
  std::vector<WorkerPhase> phases;
  Scenario scenario;
  RunDraws draws;
  double time_scale = 1.0;
  bool measures_waits = false;
  /// None: the master divides among the units of the nodes.
  std::optional<RemoteAgents> agents{};
};

/// What the nodes told when a run had ended.
struct NodesRunEnd {
  std::vector<std::pair<std::uint32_t, double>> loads;  ///< events of the scenario, with shares
  PacingReport pacing;
  std::vector<std::string> warnings;
};

/// How long the end of a run waits for nodes.
struct NodesPatience {
  bool is_stopped = false;
  std::chrono::milliseconds most{120'000};
};

/// The nodes of a run: all ranks but 0, which this process is. All members may be called by one
/// thread at a time, the controller's.
class Nodes {
 public:
  explicit Nodes(std::shared_ptr<Communicator> communicator);
  Nodes(const Nodes&) = delete;
  Nodes& operator=(const Nodes&) = delete;
  /// Ends the nodes as `end(1)`, unless they were ended.
  ~Nodes();

  /// All processes, this one too.
  [[nodiscard]] int ranks() const;
  /// Asks the program on each node, all at once; `questions` (ranks - 1). Throws BackendError if a
  /// node is lost, which it names.
  [[nodiscard]] std::vector<std::string> ask(const std::vector<std::string>& questions);
  /// The name of a rank's node in messages: "node1 (host)".
  [[nodiscard]] std::string title_of(int rank) const;
  /// (ranks) Where their units compute.
  void place(std::vector<Placement> places);
  /// (ranks) Holds links to these rates.
  void hold(std::vector<HeldLink> links);

  /// Makes these probes all at once, while no run goes on. Throws BackendError if a node is lost.
  [[nodiscard]] std::vector<LinkProbeTimes> probe_links(const std::vector<LinkProbe>& probes);

  // A run.

  /// Brings the units of all nodes up; those of nodes that are lost count as up, and fail at once.
  /// Throws BackendError if one does not come up.
  void begin_run(const NodesRun& run);
  /// Makes the worker of a unit, in a run that has begun.
  [[nodiscard]] std::unique_ptr<Worker> make_worker(const NodeUnit& unit, const WorkerSetup& setup);
  /// The clock of the run has started, from which the nodes take theirs.
  void start_clock(const Clock& clock);
  /// Ends the run on all nodes. Workers of the run must be gone.
  NodesRunEnd end_run(const NodesPatience& patience);

  /// How the clocks of the nodes differ from this one's, (ranks - 1): nothing is known of those
  /// that are lost.
  [[nodiscard]] std::vector<std::optional<ClockOffset::Estimate>> clocks() const;

  /// Tells all nodes that it is over, and what to end with. Nothing else may be called afterwards.
  void end(int exit_code);

 private:
  class Master;
  std::unique_ptr<Master> master_;
};

}  // namespace equipoise
