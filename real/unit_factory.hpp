// How the units of one kind are made: what a unit needs of the host, and what drives it.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "real/competing_load.hpp"
#include "real/devices/link_rates.hpp"
#include "real/gpu/gpu.hpp"
#include "real/threads/clock.hpp"
#include "real/unit_rates.hpp"
#include "real/worker.hpp"
#include "shared_policies/machine/scenario.hpp"
#include "shared_policies/model/unit.hpp"
#include "shared_policies/model/workload.hpp"

namespace equipoise {

/// Makes what drives one unit, and says what the unit needs of the host. Every unit that a user
/// asks for has one; it does not change.
class UnitFactory {
 public:
  UnitFactory() = default;
  UnitFactory(const UnitFactory&) = delete;
  UnitFactory& operator=(const UnitFactory&) = delete;
  virtual ~UnitFactory() = default;

  /// The cores of this machine on which the unit computes, each with a thread of its own. 0: none,
  /// as for a GPU or a paced unit.
  [[nodiscard]] virtual int cores() const = 0;
  /// The unit of the traces from which it takes its times; empty if it computes blocks.
  [[nodiscard]] virtual std::string trace_unit() const { return {}; }
  /// Whether the unit computes blocks, so that kernels have results to verify.
  [[nodiscard]] bool computes() const { return trace_unit().empty(); }
  /// What the unit has of the GPU on which it computes; none if it computes on no real one.
  [[nodiscard]] virtual std::optional<Gpu> gpu() const { return std::nullopt; }
  /// Measures how fast its device copies, while no unit works there; takes a fraction of a second.
  /// None if it has no device whose copies other units could delay. Throws BackendError,
  /// BlockFailure or std::bad_alloc if that fails.
  [[nodiscard]] virtual std::optional<LinkRates> measure_link(CopyPath /*path*/) const {
    return std::nullopt;
  }
  /// Whether it has a program for `kernel`.
  [[nodiscard]] virtual bool has_program(const std::string& kernel) const = 0;
  /// The host's memory that the unit takes for the blocks of `workload`, in bytes.
  [[nodiscard]] virtual double host_bytes(const Unit& unit, const Workload& workload) const = 0;

  /// The factory for runs that have phase `phase` of a run as their only one. Null: this one.
  [[nodiscard]] virtual std::shared_ptr<const UnitFactory> for_phase(std::size_t /*phase*/) const {
    return nullptr;
  }

  /// The speed of each stage under `scenario` when work of t seconds keeps the unit busy for
  /// `slowdown` * t. Throws InputError with the scenario's name if the unit cannot follow it.
  [[nodiscard]] virtual UnitRates rates(const Unit& unit, double slowdown,
                                        const Scenario& scenario) const = 0;
  /// Starts the unit's worker.
  [[nodiscard]] virtual std::unique_ptr<Worker> make_worker(WorkerSetup setup) const = 0;
  /// Starts a load that competes with the unit, whose worker is up and has the same clock, on
  /// `cores`, those of the unit. Null if such loads are part of `rates`, or if the unit has failed
  /// for good.
  [[nodiscard]] virtual std::unique_ptr<CompetingLoad> make_load(
      const Clock& clock, const Disturbance& event, const std::vector<int>& cores) const = 0;
};

/// A factory of units that compute on cores of this machine with the kernels' CPU programs.
class CoresFactory : public UnitFactory {
 public:
  explicit CoresFactory(int threads) : threads_(threads) {}

  int cores() const override { return threads_; }
  bool has_program(const std::string& /*kernel*/) const override { return true; }
  UnitRates rates(const Unit& unit, double slowdown, const Scenario& scenario) const override {
    return rates_beside_loads(unit, slowdown, scenario);
  }
  std::unique_ptr<CompetingLoad> make_load(const Clock& clock, const Disturbance& event,
                                           const std::vector<int>& cores) const override {
    return start_competing_load(clock, event.at, event.until, event.amount, cores);
  }

 private:
  int threads_;
};

}  // namespace equipoise
