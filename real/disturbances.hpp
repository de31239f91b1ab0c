// A scenario applied to real units: how fast each may work, and when units leave and come back.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "real/unit_spec.hpp"
#include "shared_policies/machine/scenario.hpp"
#include "shared_policies/machine/step_function.hpp"
#include "shared_policies/model/unit.hpp"

namespace equipoise {

/// The speed to which a unit is held over the time of a run, as a factor of its full speed.
struct UnitRates {
  StepFunction compute;
  StepFunction in;
  StepFunction out;
};

/// The link over which a unit gets its input, and the link over which it returns its results. Link
/// events of a scenario use these names, and so do the platforms that `record` writes.
[[nodiscard]] std::string in_link_of(const Unit& unit);
[[nodiscard]] std::string out_link_of(const Unit& unit);

/// The rates of a unit. They combine its slowdown (`UnitSpec::slowdown`), the scenario's `slow` and
/// `profile` events, and its link events for copies. Whatever slows the computation of a unit also
/// slows its copies if the unit computes for real, because it copies with its own cores, or if it
/// has no copy engine. For a unit that computes for real, competing loads are real threads; for a
/// paced unit, they take their share of its rate.
///
/// For a unit that computes for real, throws InputError with the scenario's name if the unit would
/// have to be faster than it is, or if a load that competes with it takes more than
/// `competing_share_max`.
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
