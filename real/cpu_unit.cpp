// Makes units of CPU cores.
#include "real/cpu_unit.hpp"

#include <span>
#include <utility>

#include "real/cpu_worker.hpp"
#include "real/machine.hpp"
#include "real/unit_memory.hpp"
#include "shared_policies/model/workload.hpp"

namespace equipoise {
namespace {

class CpuFactory final : public CoresFactory {
 public:
  using CoresFactory::CoresFactory;

  double host_bytes(const Unit& unit, const Workload& workload) const override {
    return staged_bytes(workload, largest_block(unit, workload));
  }

  std::unique_ptr<Worker> make_worker(WorkerSetup setup) const override {
    return make_cpu_worker(std::move(setup));
  }
};

}  // namespace

UnitKindInfo cpu_kind() {
  return {"cpu", "CPU cores of this machine, one thread on each",
          with_common_parameters(
              {{"threads", "1", "", "how many cores; a block is computed by all of them together"}},
              "1", "no limit"),
          [] { return std::string(); },
          [](std::span<UnitRequest> requests) {
            UnitFactories factories;
            for (UnitRequest& request : requests) {
              request.unit.kind = UnitKind::cpu;
              request.unit.model = this_machine().cpu_model;
              request.unit.copy_engines = 0;
              factories.push_back(
                  make_cpu_factory(static_cast<int>(request.read.items("threads", 1, 1024))));
            }
            return factories;
          }};
}

std::shared_ptr<const UnitFactory> make_cpu_factory(int threads) {
  return std::make_shared<CpuFactory>(threads);
}

}  // namespace equipoise
