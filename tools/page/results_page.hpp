// What a report page says of a comparison, from the contents of its results.json alone: the answer,
// tables, and how to repeat it.
#pragma once

#include <string>
#include <vector>

#include "tools/page/page_html.hpp"

namespace equipoise {

/// Which policy is fastest, how sure that is, how far it is from the bound, what was assumed, and
/// what is to be doubted: HTML.
[[nodiscard]] std::string answer_html(const JsonValue& results);

/// The headings of `short_answer`: HTML.
[[nodiscard]] std::vector<std::string> headings_of_short_answers();

/// The answer as cells of a table of several comparisons: the lower bound, the fastest policy that
/// knows nothing beforehand (see `answer_html`), its makespan and its distance from the bound.
[[nodiscard]] std::vector<PageCell> short_answer(const JsonValue& results);

/// All results with their numbers, the fastest first: HTML.
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
