// Contradictions between the events of a scenario.
#pragma once

#include "traces/scenario_file.hpp"

namespace equipoise {

/// Throws InputError at the line of an event that contradicts another one of its target: the same
/// event twice, a `fail` of an absent unit or a `join` of a present one, or events whose combined
/// factor of a speed or bandwidth is below 1e-12 or above 1e12.
void check_contradictions(const ScenarioFile& file);

}  // namespace equipoise
