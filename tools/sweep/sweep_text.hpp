// All JSON output of a sweep.
#pragma once

#include <string>
#include <variant>

#include "tools/sweep/point_store.hpp"
#include "tools/sweep/sweep_results.hpp"

namespace equipoise {

/// Lines of a points file, without line ends.
[[nodiscard]] std::string point_text(const PointRecord& record);
[[nodiscard]] std::string search_text(const SearchRecord& record);

/// A record from a line of a points file.
using StoredLine = std::variant<PointRecord, SearchRecord>;
/// Parses each kind. Throws InputError (without a place) for anything else.
[[nodiscard]] StoredLine stored_line_from(const std::string& line);

/// summary.json, `equipoise.sweep/1`.
[[nodiscard]] std::string sweep_text(const SweepResults& results);

}  // namespace equipoise
