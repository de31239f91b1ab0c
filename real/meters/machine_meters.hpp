// The meters of this machine for runs on given units.
#pragma once

#include <span>

#include "real/meters/meter.hpp"
#include "real/unit_spec.hpp"

namespace equipoise {

/// Meters of all CPU packages of this machine, and of the GPUs that `units` use.
[[nodiscard]] Meters machine_meters(std::span<const UnitSpec> units);

}  // namespace equipoise
