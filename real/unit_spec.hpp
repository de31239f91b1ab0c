// Units that a user requests on the command line, `--unit cpu,threads=2,slowdown=3`: how the units
// of a kind are made, the catalog of kinds, and what is checked of units and kernels before a run.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "real/competing_load.hpp"
#include "real/devices/link_rates.hpp"
#include "real/gpu/gpu.hpp"
#include "real/kernels/kernel.hpp"
#include "real/threads/clock.hpp"
#include "real/unit_rates.hpp"
#include "real/worker.hpp"
#include "shared_policies/machine/scenario.hpp"
#include "shared_policies/model/unit.hpp"
#include "shared_policies/model/workload.hpp"
#include "shared_policies/specs/parameters.hpp"

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
  /// Whether it has a program for `kernel`, or `kernel` one for such units.
  [[nodiscard]] virtual bool has_program(const Kernel& kernel) const = 0;
  /// The host's memory that the unit takes for the blocks of `workload`, in bytes.
  [[nodiscard]] virtual double host_bytes(const Unit& unit, const Workload& workload) const = 0;

  /// The factory for runs of phase `phase` alone. Null: this one serves any phase.
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
  bool has_program(const Kernel& kernel) const override { return kernel.has_cpu_program(); }
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

/// A unit as the user requested it.
struct UnitSpec {
  Unit unit;              ///< the part that policies may know
  double slowdown = 1.0;  ///< work of t seconds keeps the unit busy for slowdown * t
  std::shared_ptr<const UnitFactory> factory;

  /// Its speed under `scenario`, as UnitFactory::rates.
  [[nodiscard]] UnitRates rates(const Scenario& scenario) const {
    return factory->rates(unit, slowdown, scenario);
  }
  /// Whether it computes blocks; otherwise it takes its times from a trace.
  [[nodiscard]] bool computes() const { return factory->computes(); }
  /// The name of the unit whose times the traces hold for it.
  [[nodiscard]] std::string name_in_traces() const {
    const std::string paced_by = factory->trace_unit();
    return paced_by.empty() ? unit.name : paced_by;
  }
};

/// A unit as the user typed it, before its kind has completed it.
struct UnitRequest {
  Parameters read;    ///< as the user typed them
  std::string where;  ///< `--unit TEXT`
  Unit unit;          ///< has the parameters of all kinds
  double slowdown = 1.0;
};

/// What drives each of some units.
using UnitFactories = std::vector<std::shared_ptr<const UnitFactory>>;

/// One kind of units: an entry of the catalog.
struct UnitKindInfo {
  std::string name;
  std::string line;  ///< a description in one line
  std::vector<ParameterInfo> parameters;
  /// Why there are no such units on this build or machine; empty if there are.
  std::string (*why_absent)();
  /// Completes all units of this kind that a user requests together, of which some may share a
  /// device, and makes their factories, in the same order. Throws InputError at the `where` of a
  /// request. Is not called if there are no such units.
  UnitFactories (*make)(std::span<UnitRequest> requests);
  /// The GPUs of this machine on which such units compute; null if they compute on none.
  std::vector<Gpu> (*gpus)() = nullptr;
  /// Throws InputError if the user typed a value that no machine could have. Null: there is nothing
  /// to find before `make`. Is also called if there are no such units.
  void (*check)(const UnitRequest& request) = nullptr;
  /// For each library that some kernels need, a line that says whether it is here. Null: none is
  /// needed. Is not called if there are no such units.
  std::vector<std::string> (*libraries)() = nullptr;

  [[nodiscard]] bool is_absent() const { return !why_absent().empty(); }
};

/// Checks a name. It becomes a host name in platform files and a word in tables, so it may contain
/// letters, digits, `_`, `-` and `.`. Throws InputError at `where`.
[[nodiscard]] std::string checked_name(const std::string& name, const std::string& where);

/// `own` parameters of a kind and those that all kinds have, with the kind's defaults.
[[nodiscard]] std::vector<ParameterInfo> with_common_parameters(std::vector<ParameterInfo> own,
                                                                const std::string& slots,
                                                                const std::string& memory_bytes);

// The kinds, each of which is defined in the source file of its units.
[[nodiscard]] UnitKindInfo cpu_kind();
[[nodiscard]] UnitKindInfo cuda_kind();
[[nodiscard]] UnitKindInfo emulated_kind();
[[nodiscard]] UnitKindInfo external_kind();
[[nodiscard]] UnitKindInfo paced_kind();

/// All kinds of units, in the order in which they are listed; also those that are absent here.
[[nodiscard]] std::span<const UnitKindInfo> unit_catalog();

/// All GPUs of this machine that units can use.
[[nodiscard]] std::vector<Gpu> usable_gpus();

/// The GPUs that `units` use, each one once, with what its first unit has of it.
[[nodiscard]] std::vector<Gpu> gpus_of(std::span<const UnitSpec> units);

/// Parses texts `KIND[,k=v,...]`, one per unit. Units are named by kind and order (`cpu0`, `cpu1`)
/// unless `id=` is given; their node is this machine unless `node=` is given. Throws InputError
/// (where = `--unit TEXT`) if a kind or parameter is unknown (with the most similar known one, and
/// what there is), if a value cannot be read or is out of range, if the kind is absent here (with
/// the reason), and if two units have the same name.
[[nodiscard]] std::vector<UnitSpec> parse_units(const std::vector<std::string>& texts);

/// Throws InputError at `--unit` if a unit cannot do one of the kernels. In both functions, the
/// kernel of a phase is null if no unit computes.
void check_programs(std::span<const std::unique_ptr<Kernel>> phases,
                    std::span<const UnitSpec> units);

/// Throws InputError at `where`, with the memory needed, if the host data of `phases` and the
/// buffers of the units take more than `available_bytes`. To be called before the kernels allocate.
void check_memory(std::span<const std::unique_ptr<Kernel>> phases, std::span<const UnitSpec> units,
                  double available_bytes, const std::string& where);

}  // namespace equipoise
