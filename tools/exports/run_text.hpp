// A recorded run on the terminal: a table of its units and a small Gantt chart.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "traces/run_file.hpp"

namespace equipoise {

/// How wide a text may be, and with which characters it may draw.
struct Screen {
  std::size_t columns = 80;
  bool is_unicode = true;  ///< otherwise ASCII
};

/// What stdout shows: as many columns as its terminal has, 80 if it is none; Unicode where the
/// locale says UTF-8.
[[nodiscard]] Screen screen_of_stdout();

/// What ran, its makespan, a table of units, a Gantt chart, and what went wrong. Units that are
/// alike share rows if there are more than 24.
[[nodiscard]] std::string run_text(const RunFile& file, const Screen& screen);

/// The numbers of it, as a JSON object: what ran, `makespan_s` (null if the run was interrupted),
/// `ended_s`, `lower_bound_s`, and each unit's `share`, `ideal_share` (with which all units would
/// have ended together, at the speed that they had while they computed or copied; null if it did no
/// block, or in several phases), `idle_fraction`, `items` and `blocks`; `events`: losses and
/// disturbances.
[[nodiscard]] nlohmann::ordered_json run_json(const RunFile& file);

}  // namespace equipoise
