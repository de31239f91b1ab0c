// Ranks that are threads of one process: a transport in memory, and nodes that serve a master
// there.
#pragma once

#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "real/nodes/communicator.hpp"
#include "real/nodes/node_agent.hpp"
#include "real/nodes/nodes.hpp"
#include "real/nodes/transport.hpp"
#include "real/unit_spec.hpp"

namespace equipoise {

/// Connects threads as MPI connects processes. A rank can be made to fall silent, or to be slow.
class ThreadRanks {
 public:
  explicit ThreadRanks(int ranks);
  /// The transport of a rank, for the thread that calls this.
  [[nodiscard]] std::unique_ptr<Transport> connect(int rank);
  /// Nothing leaves the rank, or comes to it, any more.
  void silence(int rank);

 private:
  class Line;
  class ThreadTransport;
  struct Ranks;
  std::shared_ptr<Ranks> ranks_;
};

/// The communicator of a rank of `ranks`.
[[nodiscard]] std::shared_ptr<Communicator> communicator_of(
    ThreadRanks& ranks, int rank, const std::string& build = "tests",
    std::chrono::milliseconds silence_max = std::chrono::seconds(20));

/// A master and its nodes, each with units of its own, for runs of `kernels`. Their agents divide
/// blocks into parts of five items.
class ThreadNodes {
 public:
  /// `units` (nodes): the texts of each node's units. Programs of nodes are those of `kernels`.
  ThreadNodes(const std::vector<std::vector<std::string>>& units,
              const std::vector<Kernel*>& kernels,
              std::chrono::milliseconds silence_max = std::chrono::seconds(20));
  ThreadNodes(const ThreadNodes&) = delete;
  ThreadNodes& operator=(const ThreadNodes&) = delete;
  ~ThreadNodes();

  [[nodiscard]] const std::shared_ptr<Nodes>& nodes() const { return nodes_; }
  /// The units of all nodes, as the master has them: "node1.cpu0".
  [[nodiscard]] const std::vector<UnitSpec>& specs() const { return specs_; }
  /// Node `rank` (from 1) is not heard any more.
  void silence(int rank) { ranks_.silence(rank); }

 private:
  class Service;
  ThreadRanks ranks_;
  std::vector<std::shared_ptr<Communicator>> communicators_;  ///< (ranks)
  std::vector<std::unique_ptr<Service>> services_;
  std::vector<std::jthread> threads_;
  std::shared_ptr<Nodes> nodes_;
  std::vector<UnitSpec> specs_;
};

}  // namespace equipoise
