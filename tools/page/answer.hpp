// The answer of a comparison, from results.json alone.
#pragma once

#include <string>
#include <vector>

#include "tools/page/page_html.hpp"

namespace equipoise {

/// Which policy is fastest, how sure that is, how far it is from the bound, what was assumed, and
/// what is to be doubted: HTML. `results` are the contents of a results.json.
[[nodiscard]] std::string answer_html(const JsonValue& results);

/// The headings of `short_answer`: HTML.
[[nodiscard]] std::vector<std::string> headings_of_short_answers();

/// The answer as cells of a table of several comparisons: the lower bound, the fastest policy that
/// knows nothing beforehand (see `answer_html`), its makespan and its distance from the bound.
[[nodiscard]] std::vector<PageCell> short_answer(const JsonValue& results);

}  // namespace equipoise
