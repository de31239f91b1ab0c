// A scenario applied to real units: how fast each may work, and when units leave and come back.
#pragma once

#include <span>
#include <vector>

#include "real/unit_rates.hpp"
#include "real/unit_spec.hpp"
#include "shared_policies/machine/scenario.hpp"
#include "shared_policies/model/unit.hpp"

namespace equipoise {

/// The rates of a unit under `scenario`. Throws InputError with the scenario's name if the unit
/// cannot follow it.
[[nodiscard]] UnitRates rates_of(const UnitSpec& spec, const Scenario& scenario);

/// A unit leaves or comes back.
struct UnitChange {
  Seconds at;
  UnitId unit;
  bool present = true;
};

/// All changes after the start, in order of time. At equal times, units that leave come first; then
/// in order of the units.
[[nodiscard]] std::vector<UnitChange> unit_changes(std::span<const UnitSpec> units,
                                                   const Scenario& scenario);

}  // namespace equipoise
