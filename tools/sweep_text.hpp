// Everything that a sweep writes in JSON.
#pragma once

#include <string>

#include "tools/point_store.hpp"
#include "tools/sweep_results.hpp"

namespace equipoise {

/// A line of a points file, without its end.
[[nodiscard]] std::string point_text(const PointRecord& record);
/// Reads `point_text`. Throws InputError (without a place) for anything else.
[[nodiscard]] PointRecord point_from(const std::string& line);

/// summary.json, `equipoise.sweep/1`.
[[nodiscard]] std::string sweep_text(const SweepResults& results);

}  // namespace equipoise
