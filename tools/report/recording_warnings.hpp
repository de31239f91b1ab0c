// What is doubtful in a recording, in a few lines.
#pragma once

#include <string>

#include "real/recording/recorder.hpp"

namespace equipoise {

/// One warning each for sizes whose mean is not known well, for all doubts, and for watts that were
/// not measured; none where there is nothing to say.
void warn_of(const Recording& recording);

/// "23 of 60 mean times are uncertain by more than 2 %; ...", what that means for predictions, and
/// what to do; empty if none is.
[[nodiscard]] std::string imprecision_text(const Recording& recording);

}  // namespace equipoise
