// Makes emulated accelerators.
#include "real/emulated/emulated_unit.hpp"

#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "real/device_worker.hpp"
#include "real/emulated/emulated_device.hpp"
#include "real/unit_memory.hpp"
#include "shared_policies/model/failure.hpp"
#include "shared_policies/model/workload.hpp"

namespace equipoise {
namespace {

/// An accelerator of which each unit is a part.
class EmulatedCard {
 public:
  explicit EmulatedCard(const EmulatedFigures& figures) : figures_(figures) {}

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
  EmulatedFactory(std::shared_ptr<EmulatedCard> card, int threads)
      : CoresFactory(threads), card_(std::move(card)) {}

  double host_bytes(const Unit& unit, const Workload& workload) const override {
    return staged_bytes(workload, room_items(unit, workload));
  }

  std::unique_ptr<Worker> make_worker(WorkerSetup setup) const override {
    return make_device_worker(std::move(setup), [card = card_](const WorkerSetup& of) {
      return open_emulated_device(card->engines(of), of.cores);
    });
  }

 private:
  std::shared_ptr<EmulatedCard> card_;
};

EmulatedFigures figures_of(const Parameters& read) {
  EmulatedFigures figures;
  figures.in_bytes_per_s = read.number("in_bytes_per_s", 1.0, 1e15);
  figures.out_bytes_per_s = read.number("out_bytes_per_s", 1.0, 1e15);
  figures.latency = Seconds{read.number("latency_s", 0.0, 1e3)};
  figures.copy_engines = static_cast<int>(read.items("copy_engines", 1, 2));
  return figures;
}

/// The cards that have a name, and the first unit of each.
class NamedCards {
 public:
  /// The card of `unit` with `figures`. Throws InputError at `where` if the card has others.
  std::shared_ptr<EmulatedCard> get(const Unit& unit, const EmulatedFigures& figures,
                                    const std::string& where) {
    const auto [found, is_new] = cards_.try_emplace(unit.device, unit, nullptr);
    auto& [first, card] = found->second;
    if (is_new) card = std::make_shared<EmulatedCard>(figures);
    check_device(unit, std::span(&first, 1), where);
    if (card->figures() == figures && first.node == unit.node) return card;
    throw InputError(where, fmt::format("shares its device with {}, so both must have the same "
                                        "in_bytes_per_s, out_bytes_per_s, latency_s, copy_engines "
                                        "and node",
                                        first.name));
  }

 private:
  std::map<std::string, std::pair<Unit, std::shared_ptr<EmulatedCard>>> cards_;
};

/// Completes the unit and makes its factory.
std::shared_ptr<const UnitFactory> complete(UnitRequest& request, NamedCards& cards) {
  const Parameters& read = request.read;
  const EmulatedFigures figures = figures_of(read);
  Unit& unit = request.unit;
  unit.kind = UnitKind::gpu;
  unit.model = "emulated";
  unit.copy_engines = figures.copy_engines;
  unit.memory_bytes = read.number("memory_bytes", 1.0, 1e18);
  if (read.is_given("device"))
    unit.device = "emulated:" + checked_name(read.text("device"), request.where);
  auto card = unit.device.empty() ? std::make_shared<EmulatedCard>(figures)
                                  : cards.get(unit, figures, request.where);
  return std::make_shared<EmulatedFactory>(std::move(card),
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
            NamedCards cards;
            for (UnitRequest& request : requests) factories.push_back(complete(request, cards));
            return factories;
          }};
}

}  // namespace equipoise
