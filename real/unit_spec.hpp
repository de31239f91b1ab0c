// The units that a user requests on the command line: `--unit cpu,threads=2,slowdown=3`.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "shared_policies/model/parameters.hpp"
#include "shared_policies/model/unit.hpp"

namespace equipoise {

/// A unit as the user requested it.
struct UnitSpec {
  Unit unit;               ///< the part that policies may know
  int threads = 1;         ///< each on its own core; 0 for a paced unit
  std::string trace_unit;  ///< for a paced unit, the unit of the traces that gives its times;
                           ///< otherwise empty
  double slowdown = 1.0;   ///< work of t seconds keeps the unit busy for slowdown * t

  /// Whether the unit computes for real; otherwise it is paced.
  [[nodiscard]] bool computes() const { return trace_unit.empty(); }
};

/// One entry of the catalog.
struct UnitKindInfo {
  std::string name;
  std::string line;  ///< a description in one line
  std::vector<ParameterInfo> parameters;
};

/// All kinds of units of this build, in the order in which they are listed.
[[nodiscard]] std::span<const UnitKindInfo> unit_catalog();

/// Parses texts `KIND[,k=v,...]`, one per unit. Units are named by kind and order (`cpu0`, `cpu1`)
/// unless `id=` is given; their node is this machine unless `node=` is given. Throws InputError
/// (where = `--unit TEXT`) if a kind or parameter is unknown (with the most similar known one), if
/// a value cannot be read or is out of range, and if two units have the same name.
[[nodiscard]] std::vector<UnitSpec> parse_units(const std::vector<std::string>& texts);

}  // namespace equipoise
