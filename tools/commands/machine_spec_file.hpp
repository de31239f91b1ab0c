// Files of machine figures, schema equipoise.machines/1 (platforms/README.md has the fields).
#pragma once

#include <string>

#include "platforms/machine_spec.hpp"

namespace equipoise {

/// Reads the file at `path`. Throws InputError with FILE:LINE for what is not JSON; for fields that
/// are missing, unknown (the nearest known one is named), of a wrong type or out of range; for
/// names that are used twice or are nobody's; for a unit without a speed for a trace's kernel.
[[nodiscard]] MachineSpec read_machine_spec(const std::string& path);

}  // namespace equipoise
