// The words by which events are told apart in journals and run files.
#pragma once

#include <string_view>

namespace equipoise {

/// Whether `word` names an event of the run loop or a disturbance of a scenario, so that no policy's
/// note may be spelled like it.
[[nodiscard]] bool is_word_of_an_event(std::string_view word);

}  // namespace equipoise
