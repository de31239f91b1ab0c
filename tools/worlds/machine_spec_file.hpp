// Files of machine figures, schema equipoise.machines/1 (platforms/README.md describes the fields).
#pragma once

#include <string>

#include "platforms/machine_spec.hpp"

namespace equipoise {

/// Reads the file at `path`. Throws InputError with FILE:LINE if the file is not JSON; if a field
/// is missing, unknown (with the most similar known one), of a wrong type or out of range; if a
/// name is used twice or refers to nothing; and if a unit has no speed for a trace's kernel.
[[nodiscard]] MachineSpec read_machine_spec(const std::string& path);

}  // namespace equipoise
