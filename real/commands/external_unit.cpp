// Units that commands of the user's reach by themselves: a GPU of any maker, another machine, a
// container.
#include <span>
#include <utility>

#include "real/host_driver.hpp"
#include "real/unit_spec.hpp"

namespace equipoise {
namespace {

class ExternalFactory final : public UnitFactory {
 public:
  explicit ExternalFactory(int index) : index_(index) {}

  int cores() const override { return 0; }
  bool has_program(const Kernel& kernel) const override {
    return kernel.program_source() == ProgramSource::command;
  }
  double host_bytes(const Unit& unit, const Workload& workload) const override {
    return host_worker_bytes(unit, workload);
  }
  UnitRates rates(const Unit& unit, double slowdown, const Scenario& scenario) const override {
    return modelled_rates(unit, slowdown, scenario);
  }
  std::unique_ptr<Worker> make_worker(WorkerSetup setup) const override {
    return make_host_worker(std::move(setup), index_);
  }
  /// Such loads are part of its rates: what competes with it is not here.
  std::unique_ptr<CompetingLoad> make_load(const Clock& /*clock*/, const Disturbance& /*event*/,
                                           const std::vector<int>& /*cores*/) const override {
    return nullptr;
  }

 private:
  int index_;
};

}  // namespace

UnitKindInfo external_kind() {
  return {"external",
          "reached by the commands of a work file themselves: a GPU, another machine, a container",
          with_common_parameters(
              {{"kind", "gpu", "", "what it is for policies and in platforms: cpu, gpu or mic"}},
              "1", "no limit"),
          [] { return std::string(); },
          [](std::span<UnitRequest> requests) {
            UnitFactories factories;
            for (UnitRequest& request : requests) {
              request.unit.kind = request.read.choice<UnitKind>("kind", {"cpu", "gpu", "mic"});
              request.unit.model = "external";
              request.unit.copy_engines = 0;
              factories.push_back(
                  std::make_shared<ExternalFactory>(static_cast<int>(factories.size())));
            }
            return factories;
          }};
}

}  // namespace equipoise
