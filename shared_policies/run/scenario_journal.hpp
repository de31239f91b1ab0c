// Writes into a journal what a scenario does to the run that the journal is of.
#pragma once

#include <memory>

#include "shared_policies/machine/scenario.hpp"
#include "shared_policies/run/journal.hpp"

namespace equipoise {

/// A journal that passes everything on to `next`, and before it, in the order of time, one event
/// for every disturbance of `scenario` that has begun: so a run file says what was injected, and
/// when. Policies do not see it. What begins after the last record of the run is left out. `next`
/// and `scenario` outlive it.
[[nodiscard]] std::unique_ptr<Journal> make_scenario_journal(const Scenario& scenario,
                                                             Journal& next);

}  // namespace equipoise
