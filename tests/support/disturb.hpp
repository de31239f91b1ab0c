// Makes disturbances for tests.
#pragma once

#include <string>

#include "shared_policies/machine/scenario.hpp"

namespace equipoise {

/// One event of a scenario.
inline Disturbance disturb(DisturbanceKind kind, const std::string& target, double at_s,
                           double amount = 1.0, Seconds until = Seconds::infinity()) {
  return {Seconds{at_s}, until, kind, target, amount, {}};
}

}  // namespace equipoise
