// Records the disturbances of a scenario in the journal of the run that they disturb.
#pragma once

#include <memory>

#include "shared_policies/machine/scenario.hpp"
#include "shared_policies/run/journal.hpp"

namespace equipoise {

/// A journal that passes all records on to `next`. Before each record it inserts, in order of time,
/// one event for every disturbance of `scenario` that has begun, so that the run file shows what
/// was injected and when. Policies do not see these events. A disturbance that begins after the
/// last record of the run is left out. `next` and `scenario` must outlive it.
[[nodiscard]] std::unique_ptr<Journal> make_scenario_journal(const Scenario& scenario,
                                                             Journal& next);

}  // namespace equipoise
