// A scenario on real units: how fast each may go, who comes and goes, which loads compete.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "real/unit_spec.hpp"
#include "shared_policies/machine/scenario.hpp"
#include "shared_policies/machine/step_function.hpp"
#include "shared_policies/model/unit.hpp"

namespace equipoise {

/// How fast a unit is kept to, as a factor of what it can do, over the time of a run.
struct UnitRates {
  StepFunction compute;
  StepFunction in;
  StepFunction out;
};

/// The link over which a unit gets its input, and that over which it gives its results: what a
/// scenario's link events name. `record` calls the links of its platforms so.
[[nodiscard]] std::string in_link_of(const Unit& unit);
[[nodiscard]] std::string out_link_of(const Unit& unit);

/// The rates of a unit: its slow-down (`UnitSpec::slowdown`), the scenario's `slow` and `profile`
/// events, and for copies its link events. A unit that computes copies with its own cores, as one
/// without a copy engine does: what slows it slows its copies too. Loads that compete with a unit
/// that computes are real ones; with a paced unit they compete by taking their share of its rate.
///
/// Throws InputError, naming the scenario, where that would make a unit that computes faster than
/// it is, or a load that competes with it takes more than `competing_share_max`.
[[nodiscard]] UnitRates rates_of(const UnitSpec& spec, const Scenario& scenario);

/// A unit comes or goes.
struct UnitChange {
  Seconds at;
  UnitId unit;
  bool present = true;
};

/// All changes after the start, in the order of time; at one time, those that go first, then by
/// unit.
[[nodiscard]] std::vector<UnitChange> unit_changes(std::span<const UnitSpec> units,
                                                   const Scenario& scenario);

}  // namespace equipoise
