// The entry point of the command line.
#pragma once

namespace equipoise {

/// Parses the command line and runs the command. Returns the exit code: 0 success; 1 the work
/// failed or a check did not hold; 2 unusable arguments or input; 130 or 143 after Ctrl-C or
/// SIGTERM.
[[nodiscard]] int run_program(int argc, char** argv);

}  // namespace equipoise
