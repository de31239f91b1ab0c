// The marks of report pages, and a sentence for each.
#pragma once

#include <string_view>

namespace equipoise {

/// The sentence that explains the mark `word`; empty if there is none.
[[nodiscard]] std::string_view page_word(std::string_view word);

}  // namespace equipoise
