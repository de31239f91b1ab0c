// The tables of a comparison, from results.json alone, and how to repeat it.
#pragma once

#include <string>

#include "tools/page/page_html.hpp"
#include "traces/json_document.hpp"

namespace equipoise {

/// All results with their numbers, the fastest first: HTML. `results` are the contents of a
/// results.json.
[[nodiscard]] std::string numbers_html(const JsonValue& results);

/// Predictions beside measurements with their errors, and how much repetitions of the same real run
/// differ; empty unless policies were both simulated and really run.
[[nodiscard]] std::string predictions_html(const JsonValue& results);

/// The losses over the lower bound by cause; empty where none is known.
[[nodiscard]] std::string losses_html(const JsonValue& results);

/// The energy of every unit; empty where none is known.
[[nodiscard]] std::string energy_html(const JsonValue& results);

/// The command that made results or a run; empty if it is not known.
[[nodiscard]] std::string command_html(const std::string& command);

/// What was run, where, when and with what: HTML.
[[nodiscard]] std::string repeat_html(const JsonValue& results);

}  // namespace equipoise
