// Arguments in, exit code out.
#pragma once

namespace equipoise {

/// Reads the command line and runs the command. Gives the exit code: 0 done; 1 the work failed or a
/// check did not hold; 2 unusable arguments or input; 130 or 143 after Ctrl-C or SIGTERM.
[[nodiscard]] int run_program(int argc, char** argv);

}  // namespace equipoise
