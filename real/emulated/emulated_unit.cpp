// Makes emulated accelerators.
#include "real/unit_spec.hpp"

#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "real/devices/device_worker.hpp"
#include "real/emulated/emulated_device.hpp"
#include "real/unit_memory.hpp"
#include "shared_policies/model/failure.hpp"
#include "shared_policies/model/workload.hpp"

namespace equipoise {
namespace {

/// An accelerator of which each unit is a part.
class EmulatedAccelerator {
 public:
  explicit EmulatedAccelerator(const EmulatedFigures& figures) : figures_(figures) {}

  /// The copy engines for the run with the clock of `setup`, the same for all units. They end with
  /// the last device that uses them.
  std::shared_ptr<EmulatedEngines> engines(const WorkerSetup& setup) {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::shared_ptr<EmulatedEngines> present = engines_.lock();
    // A unit that was left behind may still use those of an earlier run.
    if (!present || present->clock() != setup.clock) {
      present = std::make_shared<EmulatedEngines>(figures_, setup.waiting, setup.clock);
      engines_ = present;
    }
    return present;
  }
  [[nodiscard]] const EmulatedFigures& figures() const { return figures_; }

 private:
  EmulatedFigures figures_;
  std::mutex mutex_;
  std::weak_ptr<EmulatedEngines> engines_;  ///< of the present run
};

class EmulatedFactory final : public CoresFactory {
 public:
  EmulatedFactory(std::shared_ptr<EmulatedAccelerator> accelerator, int threads)
      : CoresFactory(threads), accelerator_(std::move(accelerator)) {}

  double host_bytes(const Unit& unit, const Workload& workload) const override {
    return staged_bytes(workload, room_items(unit, workload));
  }

  std::unique_ptr<Worker> make_worker(WorkerSetup setup) const override {
    return make_device_worker(std::move(setup),
                              [accelerator = accelerator_](const WorkerSetup& of) {
                                return open_emulated_device(accelerator->engines(of), of.cores);
                              });
  }

 private:
  std::shared_ptr<EmulatedAccelerator> accelerator_;
};

EmulatedFigures figures_of(const Parameters& read) {
  EmulatedFigures figures;
  figures.in_bytes_per_s = read.number("in_bytes_per_s", 1.0, 1e15);
  figures.out_bytes_per_s = read.number("out_bytes_per_s", 1.0, 1e15);
  figures.latency = Seconds{read.number("latency_s", 0.0, 1e3)};
  figures.copy_engines = static_cast<int>(read.items("copy_engines", 1, 2));
  return figures;
}

/// The accelerators that have a name, and the first unit of each.
class NamedAccelerators {
 public:
  /// The accelerator of `unit` with `figures`. Throws InputError at `where` if it has others.
  std::shared_ptr<EmulatedAccelerator> get(const Unit& unit, const EmulatedFigures& figures,
                                           const std::string& where) {
    const auto [found, is_new] = named_.try_emplace(unit.device, unit, nullptr);
    auto& [first, accelerator] = found->second;
    if (is_new) accelerator = std::make_shared<EmulatedAccelerator>(figures);
    check_device(unit, std::span(&first, 1), where);
    if (accelerator->figures() == figures && first.node == unit.node) return accelerator;
    throw InputError(where, fmt::format("shares its device with {}, so both must have the same "
                                        "in_bytes_per_s, out_bytes_per_s, latency_s, copy_engines "
                                        "and node",
                                        first.name));
  }

 private:
  std::map<std::string, std::pair<Unit, std::shared_ptr<EmulatedAccelerator>>> named_;
};

/// Completes the unit and makes its factory.
std::shared_ptr<const UnitFactory> complete(UnitRequest& request, NamedAccelerators& accelerators) {
  const Parameters& read = request.read;
  const EmulatedFigures figures = figures_of(read);
  Unit& unit = request.unit;
  unit.kind = UnitKind::gpu;
  unit.model = "emulated";
  unit.copy_engines = figures.copy_engines;
  unit.memory_bytes = read.number("memory_bytes", 1.0, 1e18);
  if (read.is_given("device"))
    unit.device = "emulated:" + checked_name(read.text("device"), request.where);
  auto accelerator = unit.device.empty() ? std::make_shared<EmulatedAccelerator>(figures)
                                         : accelerators.get(unit, figures, request.where);
  return std::make_shared<EmulatedFactory>(std::move(accelerator),
                                           static_cast<int>(read.items("threads", 1, 1024)));
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
                "1: one copy at a time; 2: a copy in and a copy out go on together"},
               {"device", "its own", "",
                "a name; units with the same one share copy engines and bandwidth, not memory"}},
              "3", "1Gi"),
          [] { return std::string(); },
          [](std::span<UnitRequest> requests) {
            UnitFactories factories;
            NamedAccelerators accelerators;
            for (UnitRequest& request : requests)
              factories.push_back(complete(request, accelerators));
            return factories;
          }};
}

}  // namespace equipoise
