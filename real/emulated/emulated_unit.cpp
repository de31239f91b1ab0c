// Makes emulated accelerators.
#include "real/emulated/emulated_unit.hpp"

#include <span>
#include <utility>

#include "real/device_worker.hpp"
#include "real/unit_memory.hpp"
#include "shared_policies/model/workload.hpp"

namespace equipoise {
namespace {

class EmulatedFactory final : public CoresFactory {
 public:
  EmulatedFactory(const EmulatedFigures& figures, int threads)
      : CoresFactory(threads), figures_(figures) {}

  double host_bytes(const Unit& unit, const Workload& workload) const override {
    return staged_bytes(workload, room_items(unit, workload));
  }

  std::unique_ptr<Worker> make_worker(WorkerSetup setup) const override {
    return make_device_worker(std::move(setup), [figures = figures_](const WorkerSetup& of) {
      return open_emulated_device(figures, of.cores, of.waiting, of.clock);
    });
  }

 private:
  EmulatedFigures figures_;
};

/// Completes the unit and makes its factory.
std::shared_ptr<const UnitFactory> complete(UnitRequest& request) {
  const Parameters& read = request.read;
  Unit& unit = request.unit;
  unit.kind = UnitKind::gpu;
  unit.model = "emulated";
  unit.copy_engines = static_cast<int>(read.items("copy_engines", 1, 2));
  unit.memory_bytes = read.number("memory_bytes", 1.0, 1e18);
  EmulatedFigures figures;
  figures.in_bytes_per_s = read.number("in_bytes_per_s", 1.0, 1e15);
  figures.out_bytes_per_s = read.number("out_bytes_per_s", 1.0, 1e15);
  figures.latency = Seconds{read.number("latency_s", 0.0, 1e3)};
  figures.copy_engines = unit.copy_engines;
  return make_emulated_factory(figures, static_cast<int>(read.items("threads", 1, 1024)));
}

}  // namespace

UnitKindInfo emulated_kind() {
  return {"emulated",
          "an accelerator imitated by CPU cores: memory and copies of its own, which overlap",
          with_common_parameters(
              {{"threads", "1", "", "how many cores compute"},
               {"in_bytes_per_s", "2e9", "bytes/s", "bandwidth of copies to the unit"},
               {"out_bytes_per_s", "2e9", "bytes/s", "bandwidth of copies back"},
               {"latency_s", "1e-5", "s", "latency of every copy"},
               {"copy_engines", "2", "",
                "1: one copy at a time; 2: a copy in and a copy out go on together"}},
              "3", "1Gi"),
          [] { return std::string(); },
          [](std::span<UnitRequest> requests) {
            UnitFactories factories;
            for (UnitRequest& request : requests) factories.push_back(complete(request));
            return factories;
          }};
}

std::shared_ptr<const UnitFactory> make_emulated_factory(const EmulatedFigures& figures,
                                                         int threads) {
  return std::make_shared<EmulatedFactory>(figures, threads);
}

}  // namespace equipoise
