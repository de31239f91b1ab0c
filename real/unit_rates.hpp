// How fast a unit works under a scenario.
#pragma once

#include <string>

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

/// The rates of a unit on which work of t seconds takes `slowdown` * t: its slowdown, the
/// scenario's events for it, and for copies those of its links. Whatever slows its computation also
/// slows its copies if it has no copy engine, because it copies by itself.
[[nodiscard]] UnitRates modelled_rates(const Unit& unit, double slowdown, const Scenario& scenario);

/// The same for a unit that computes for real, without the loads that compete with it, because
/// these are real, too. Throws InputError with the scenario's name if the unit would have to be
/// faster than it is, or if a load takes more than `competing_share_max`.
[[nodiscard]] UnitRates rates_beside_loads(const Unit& unit, double slowdown,
                                           const Scenario& scenario);

}  // namespace equipoise
