// A process that drives the units of one node for the master of a run.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "real/kernels/kernel.hpp"
#include "real/nodes/communicator.hpp"
#include "real/nodes/node_messages.hpp"
#include "real/unit_spec.hpp"
#include "shared_policies/machine/scenario.hpp"
#include "shared_policies/model/workload.hpp"
#include "shared_policies/run/two_levels.hpp"

namespace equipoise {

/// What the program does for its node besides driving units.
class NodeService {
 public:
  NodeService() = default;
  NodeService(const NodeService&) = delete;
  NodeService& operator=(const NodeService&) = delete;
  virtual ~NodeService() = default;

  /// Answers a question of the program that is the master.
  [[nodiscard]] virtual std::string answer(const std::string& question) = 0;
  /// The units of the node, as questions have chosen them.
  [[nodiscard]] virtual const std::vector<UnitSpec>& units() const = 0;
  /// (phases)
  [[nodiscard]] virtual const std::vector<Workload>& phases() const = 0;
  /// (phases), whose programs are prepared; null if no unit of the node computes.
  [[nodiscard]] virtual std::vector<Kernel*> kernels() const = 0;
  /// What divides the blocks of this node in a run of two levels among its units under `scenario`.
  /// Its records go to `journal`. Throws InputError if its policy cannot be made.
  [[nodiscard]] virtual DivideBlocks make_agent(const NodeAgentSetup& agent,
                                                const Scenario& scenario,
                                                std::shared_ptr<Journal> journal) = 0;
};

/// Does what the master says until it says that it is over, or is gone. The calling thread brings
/// units up and down; the communicator's thread hands blocks to their workers. Returns what the
/// master said to end with; 1 if it is gone.
[[nodiscard]] int serve_node(Communicator& communicator, NodeService& service);

}  // namespace equipoise
