// The units that a user requests on the command line, `--unit cpu,threads=2,slowdown=3`, and what is
// checked of them and of kernels before a run.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "real/kernels/kernel.hpp"
#include "real/unit_factory.hpp"
#include "shared_policies/model/unit.hpp"
#include "shared_policies/specs/parameters.hpp"

namespace equipoise {

/// A unit as the user requested it.
struct UnitSpec {
  Unit unit;              ///< the part that policies may know
  double slowdown = 1.0;  ///< work of t seconds keeps the unit busy for slowdown * t
  std::shared_ptr<const UnitFactory> factory;

  /// Whether it computes blocks; otherwise it takes its times from a trace.
  [[nodiscard]] bool computes() const { return factory->computes(); }
  /// The name of the unit whose times the traces hold for it.
  [[nodiscard]] std::string name_in_traces() const {
    const std::string paced_by = factory->trace_unit();
    return paced_by.empty() ? unit.name : paced_by;
  }
};

/// A unit of one kind, before it is complete.
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
  /// Throws InputError if a value that the user typed fits no machine; null: `make` finds that.
  /// Is also called if there are no such units.
  void (*check)(const UnitRequest& request) = nullptr;
  /// Which libraries that some kernels need there are here, a line each; null: none is needed.
  /// Is not called if there are no such units.
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

/// Throws InputError at `--unit` if a unit has no program for one of the kernels. In both
/// functions, the kernel of a phase is null if no unit computes.
void check_programs(std::span<const std::unique_ptr<Kernel>> phases,
                    std::span<const UnitSpec> units);

/// Throws InputError at `where`, with the memory needed, if the host data of `phases` and the
/// buffers of the units take more than `available_bytes`. To be called before the kernels allocate.
void check_memory(std::span<const std::unique_ptr<Kernel>> phases, std::span<const UnitSpec> units,
                  double available_bytes, const std::string& where);

}  // namespace equipoise
