// Combines the events of a scenario to the rates of a unit.
#include "real/unit_rates.hpp"

#include <vector>

#include <fmt/format.h>

#include "real/competing_load.hpp"
#include "shared_policies/model/failure.hpp"

namespace equipoise {
namespace {

/// Rates up to this count as 1: rounding may leave a rate slightly above 1.
constexpr double rate_max = 1.0 + 1e-9;

void check_rate(const StepFunction& rate, const std::string& what, const std::string& remedy,
                const Scenario& scenario) {
  std::vector<Seconds> times = rate.changes();
  times.push_back(Seconds{});
  for (const Seconds at : times) {
    if (rate.at(at) <= rate_max) continue;
    throw InputError(scenario.name,
                     fmt::format("makes {} {:.3g} times as fast as it is from {} s on, which is "
                                 "impossible for real units; {}",
                                 what, rate.at(at), at.value, remedy));
  }
}

void check_loads(const std::string& unit, const Scenario& scenario) {
  for (const Disturbance& event : scenario.events) {
    if (event.kind != DisturbanceKind::compete || event.target != unit) continue;
    if (event.amount <= competing_share_max) continue;
    throw InputError(scenario.name,
                     fmt::format("lets a load compete for {} of unit {} from {} s on, and on real "
                                 "units none can have more than {}; give a smaller share",
                                 event.amount, unit, event.at.value, competing_share_max));
  }
}

Scenario without_loads(Scenario scenario) {
  std::erase_if(scenario.events,
                [](const Disturbance& event) { return event.kind == DisturbanceKind::compete; });
  return scenario;
}

}  // namespace

std::string in_link_of(const Unit& unit) {
  return "RAM-" + (unit.device.empty() ? unit.name : unit.device);
}
std::string out_link_of(const Unit& unit) {
  return (unit.device.empty() ? unit.name : unit.device) + "-RAM";
}

UnitRates modelled_rates(const Unit& unit, double slowdown, const Scenario& scenario) {
  UnitRates rates;
  rates.compute = scenario.speed_of(unit.name);
  rates.compute.multiply(Seconds{}, Seconds::infinity(), 1.0 / slowdown);
  rates.in = scenario.bandwidth_of(in_link_of(unit));
  rates.out = scenario.bandwidth_of(out_link_of(unit));
  if (unit.copy_engines > 0) return rates;
  rates.in = product(rates.in, rates.compute);
  rates.out = product(rates.out, rates.compute);
  return rates;
}

UnitRates rates_beside_loads(const Unit& unit, double slowdown, const Scenario& scenario) {
  check_loads(unit.name, scenario);
  UnitRates rates = modelled_rates(unit, slowdown, without_loads(scenario));
  const std::string remedy = "remove the event";
  check_rate(rates.compute, "unit " + unit.name,
             remedy + ", or give the unit a slowdown= of at least that factor", scenario);
  check_rate(rates.in, "link " + in_link_of(unit), remedy, scenario);
  check_rate(rates.out, "link " + out_link_of(unit), remedy, scenario);
  return rates;
}

}  // namespace equipoise
