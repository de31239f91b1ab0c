// Measured times of a unit of a machine spec, from a trace or from a CSV file.
#pragma once

#include <string>

#include "platforms/machine_spec.hpp"
#include "traces/json_document.hpp"

namespace equipoise {

/// Reads the times of `kernel` that `value` names in the machine spec at `path`: the path of a
/// trace, or an object with `file`, a trace (and its `unit`, unless it has one unit only) or a CSV
/// file (and its columns, as in `trace import csv`), and perhaps `max_block_items`. Paths are
/// relative to the spec. Warns if the trace's unit has another model than `model`, where both have
/// one. Throws InputError with FILE:LINE.
[[nodiscard]] UnitTimings read_unit_timings(const JsonValue& value, const std::string& path,
                                            const std::string& kernel, const std::string& model);

}  // namespace equipoise
