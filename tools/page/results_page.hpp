// What a report page says of a comparison, from results.json alone: the answer, the tables, and how to
// repeat it.
#pragma once

#include <string>

#include "traces/json_document.hpp"

namespace equipoise {

/// Which policy is fastest, how sure that is, how far it is from the bound, what was assumed, and what
/// is to be doubted: HTML. `results` are the contents of a results.json.
[[nodiscard]] std::string answer_html(const JsonValue& results);

/// All results with their numbers, the fastest first.
[[nodiscard]] std::string numbers_html(const JsonValue& results);

/// Predictions beside measurements with their errors, and how much repetitions of the same real run
/// differ; empty unless policies were both simulated and really run.
[[nodiscard]] std::string predictions_html(const JsonValue& results);

/// The losses over the lower bound by cause; empty where none is known.
[[nodiscard]] std::string losses_html(const JsonValue& results);

/// The energy of every unit; empty where none is known.
[[nodiscard]] std::string energy_html(const JsonValue& results);

/// What was run, where, when and with what: HTML.
[[nodiscard]] std::string repeat_html(const JsonValue& results);

}  // namespace equipoise
