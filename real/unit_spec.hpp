// The units that a user asks for on the command line: `--unit cpu,threads=2,slowdown=3`.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "shared_policies/model/parameters.hpp"
#include "shared_policies/model/unit.hpp"

namespace equipoise {

/// A unit as it was asked for.
struct UnitSpec {
  Unit unit;               ///< what policies may know
  int threads = 1;         ///< each on a core of its own; 0 of a paced unit
  std::string trace_unit;  ///< of a paced unit: which unit of the traces times it; else empty
  double slowdown = 1.0;   ///< a unit that is really busy t seconds stays taken this many times t

  /// Whether it computes for real; else it is paced.
  [[nodiscard]] bool computes() const { return trace_unit.empty(); }
};

/// One row of the catalog.
struct UnitKindInfo {
  std::string name;
  std::string line;  ///< what it is, one line
  std::vector<ParameterInfo> parameters;
};

/// All kinds of units that this build has, in the order in which they are listed.
[[nodiscard]] std::span<const UnitKindInfo> unit_catalog();

/// Reads `KIND[,k=v,...]` texts, one a unit. Units are named by kind and order (`cpu0`, `cpu1`)
/// unless `id=` says otherwise; their node is this machine unless `node=` says otherwise. Throws
/// InputError (where = `--unit TEXT`) for an unknown kind or parameter, naming the nearest, for
/// values that cannot be read or are out of range, and for two units of one name.
[[nodiscard]] std::vector<UnitSpec> parse_units(const std::vector<std::string>& texts);

}  // namespace equipoise
