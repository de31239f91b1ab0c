// What ends a command early, as text and exit code.
#pragma once

#include <string>

namespace equipoise {

/// Why a command ended, and its exit code.
struct CommandFailure {
  std::string text;
  int exit_code = 1;
};

/// The exception that is being handled: 2 for unusable input, 130 or 143 after a stop, else 1.
[[nodiscard]] CommandFailure command_failure();

}  // namespace equipoise
