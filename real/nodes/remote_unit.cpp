// The factory of remote units, which needs nothing of this host.
#include "real/nodes/remote_unit.hpp"

#include <utility>

namespace equipoise {
namespace {

class RemoteFactory final : public UnitFactory {
 public:
  RemoteFactory(std::shared_ptr<Nodes> nodes, const NodeUnit& unit, std::string trace_unit)
      : nodes_(std::move(nodes)), unit_(unit), trace_unit_(std::move(trace_unit)) {}

  int cores() const override { return 0; }
  std::string trace_unit() const override { return trace_unit_; }
  /// Its node has checked that.
  bool has_program(const Kernel& /*kernel*/) const override { return true; }
  double host_bytes(const Unit& /*unit*/, const Workload& /*workload*/) const override {
    return 0.0;
  }
  UnitRates rates(const Unit& unit, double slowdown, const Scenario& scenario) const override {
    return modelled_rates(unit, slowdown, scenario);
  }
  std::unique_ptr<Worker> make_worker(WorkerSetup setup) const override {
    return nodes_->make_worker(unit_, setup);
  }
  /// Loads are started on the node.
  std::unique_ptr<CompetingLoad> make_load(const Clock& /*clock*/, const Disturbance& /*event*/,
                                           const std::vector<int>& /*cores*/) const override {
    return nullptr;
  }

 private:
  std::shared_ptr<Nodes> nodes_;
  NodeUnit unit_;
  std::string trace_unit_;
};

}  // namespace

std::shared_ptr<const UnitFactory> make_remote_factory(std::shared_ptr<Nodes> nodes,
                                                       const NodeUnit& unit,
                                                       std::string trace_unit) {
  return std::make_shared<RemoteFactory>(std::move(nodes), unit, std::move(trace_unit));
}

}  // namespace equipoise
