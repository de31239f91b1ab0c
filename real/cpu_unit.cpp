// Units of CPU cores of this machine, each computing with one pinned thread on each of its cores.
#include <span>
#include <utility>

#include "real/host_driver.hpp"
#include "real/machine.hpp"
#include "real/unit_spec.hpp"

namespace equipoise {
namespace {

class CpuFactory final : public CoresFactory {
 public:
  CpuFactory(int threads, int index) : CoresFactory(threads), index_(index) {}

  bool has_program(const Kernel& kernel) const override {
    return kernel.has_cpu_program() || kernel.has_block_program();
  }
  double host_bytes(const Unit& unit, const Workload& workload) const override {
    return host_worker_bytes(unit, workload);
  }

  std::unique_ptr<Worker> make_worker(WorkerSetup setup) const override {
    return make_host_worker(std::move(setup), index_);
  }

 private:
  int index_;
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
              factories.push_back(std::make_shared<CpuFactory>(
                  static_cast<int>(request.read.items("threads", 1, 1024)),
                  static_cast<int>(factories.size())));
            }
            return factories;
          }};
}

}  // namespace equipoise
