// The units of machine specs: their figures, from the spec and from data sheets.
#pragma once

#include <string>

#include "platforms/machine_spec.hpp"
#include "traces/json_document.hpp"

namespace equipoise {

/// The fields of a unit in the machine spec at `path`. A unit with a `data_sheet` has that device's
/// figures, except for those that are given. Throws InputError with FILE:LINE, also for its files
/// of measured times.
[[nodiscard]] UnitFigures read_unit_figures(const JsonValue& value, const std::string& path);

}  // namespace equipoise
