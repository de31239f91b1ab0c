// Makes a unit of each node of a run of two levels.
#include "real/two_levels/node_units.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "real/nodes/remote_unit.hpp"
#include "real/two_levels/node_worker.hpp"
#include "shared_policies/run/two_levels.hpp"

namespace equipoise {
namespace {

/// The factory of a node of this process. Disturbances are those of its units.
class NodeFactory final : public UnitFactory {
 public:
  explicit NodeFactory(NodePart part) : part_(std::move(part)) {}

  int cores() const override { return 0; }
  bool has_program(const Kernel& /*kernel*/) const override { return true; }
  double host_bytes(const Unit& /*unit*/, const Workload& /*workload*/) const override {
    return 0.0;
  }
  UnitRates rates(const Unit& /*unit*/, double /*slowdown*/,
                  const Scenario& /*scenario*/) const override {
    return {};
  }
  std::unique_ptr<Worker> make_worker(WorkerSetup setup) const override {
    return make_node_worker(std::move(setup), part_);
  }
  std::unique_ptr<CompetingLoad> make_load(const Clock& /*clock*/, const Disturbance& /*event*/,
                                           const std::vector<int>& /*cores*/) const override {
    return nullptr;
  }

 private:
  NodePart part_;
};

std::vector<Unit> units_of(const std::vector<UnitSpec>& specs) {
  std::vector<Unit> units;
  for (const UnitSpec& spec : specs) units.push_back(spec.unit);
  return units;
}

/// Those of `all` that are units of `node`.
DrivenUnits units_of(const NodeOfRun& node, const DrivenUnits& all) {
  DrivenUnits own = all;
  own.units.clear();
  own.placement.cores.clear();
  own.patience = std::chrono::microseconds(0);  // the master may wait on the same core
  for (const UnitId id : node.units) {
    own.units.push_back(all.units[id.index]);
    own.placement.cores.push_back(all.placement.cores[id.index]);
  }
  return own;
}

/// The rank of `node`; 0: it is of this process.
int rank_of(const NodeOfRun& node, const RealSetup& setup) {
  for (int rank = 1; setup.nodes && rank < setup.nodes->ranks(); ++rank) {
    if (node.unit.name == node_name(rank)) return rank;
  }
  return 0;
}

}  // namespace

DrivenUnits nodes_as_units(const RealSetup& setup, const DrivenUnits& all) {
  DrivenUnits driven = all;
  driven.units.clear();
  driven.timeout_factor = timeout_factor_of_nodes;
  const std::vector<NodeOfRun> nodes = nodes_of(units_of(all.units));
  driven.placement.cores.assign(nodes.size(), {});
  for (const NodeOfRun& node : nodes) {
    const std::size_t number = driven.units.size();
    UnitSpec& spec = driven.units.emplace_back(UnitSpec{node.unit, 1.0, nullptr});
    if (const int rank = rank_of(node, setup); rank > 0) {
      const bool computes = std::ranges::any_of(
          node.units, [&](UnitId unit) { return all.units[unit.index].computes(); });
      spec.factory = make_remote_factory(setup.nodes, {rank, 0, computes, true}, {});
      continue;
    }
    spec.factory = std::make_shared<NodeFactory>(NodePart{
        units_of(node, all), [number, agents = setup.agents](Executor& units, NodeBlocks& blocks) {
          return agents->run(number, units, blocks);
        }});
  }
  return driven;
}

RemoteAgents remote_agents(const RealSetup& setup) {
  RemoteAgents remote{.block_timeout = setup.block_timeout, .agents = setup.agents};
  const std::vector<NodeOfRun> nodes = nodes_of(units_of(setup.units));
  for (int rank = 1; rank < setup.nodes->ranks(); ++rank) {
    const auto found = std::ranges::find(nodes, node_name(rank),
                                         [](const NodeOfRun& node) { return node.unit.name; });
    remote.numbers.emplace_back();
    if (found == nodes.end()) continue;
    remote.numbers.back() = static_cast<std::uint64_t>(found - nodes.begin());
  }
  return remote;
}

}  // namespace equipoise
