// Makes units of CPU cores.
#include "real/cpu_unit.hpp"

#include <utility>

#include "real/cpu_worker.hpp"
#include "real/machine.hpp"
#include "real/unit_memory.hpp"
#include "shared_policies/model/workload.hpp"

namespace equipoise {
namespace {

class CpuFactory final : public UnitFactory {
 public:
  explicit CpuFactory(int threads) : threads_(threads) {}

  int cores() const override { return threads_; }
  bool has_program(const std::string& /*kernel*/) const override { return true; }

  double host_bytes(const Unit& unit, const Workload& workload) const override {
    return staged_bytes(workload, largest_block(unit, workload));
  }

  UnitRates rates(const Unit& unit, double slowdown, const Scenario& scenario) const override {
    return rates_beside_loads(unit, slowdown, scenario);
  }

  std::unique_ptr<Worker> make_worker(WorkerSetup setup) const override {
    return make_cpu_worker(std::move(setup));
  }

  std::unique_ptr<CompetingLoad> make_load(const Clock& clock, const Disturbance& event,
                                           const std::vector<int>& cores) const override {
    return start_competing_load(clock, event.at, event.until, event.amount, cores);
  }

 private:
  int threads_;
};

}  // namespace

UnitKindInfo cpu_kind() {
  return {"cpu", "CPU cores of this machine, one thread on each",
          with_common_parameters(
              {{"threads", "1", "", "how many cores; a block is computed by all of them together"}},
              "1", "no limit"),
          [] { return std::string(); },
          [](const Parameters& read, Unit& unit, const std::string& /*where*/) {
            unit.kind = UnitKind::cpu;
            unit.model = this_machine().cpu_model;
            unit.copy_engines = 0;
            return make_cpu_factory(static_cast<int>(read.items("threads", 1, 1024)));
          }};
}

std::shared_ptr<const UnitFactory> make_cpu_factory(int threads) {
  return std::make_shared<CpuFactory>(threads);
}

}  // namespace equipoise
