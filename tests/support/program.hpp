// Runs the built program as a user would.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace equipoise {

/// What a run of the program left.
struct ProgramRun {
  int exit_code = 0;
  std::string out;  ///< stdout
  std::string err;  ///< stderr
};

/// Runs `equipoise` with `arguments` in the repository's root and waits for it. With `signal` it
/// gets that signal after `signal_after_s` seconds.
[[nodiscard]] ProgramRun run_equipoise(const std::vector<std::string>& arguments, int signal = 0,
                                       double signal_after_s = 0.0);

/// Runs `equipoise` and kills it (SIGKILL) as soon as `when` holds; lets it end by itself when it
/// does so before.
[[nodiscard]] ProgramRun kill_equipoise(const std::vector<std::string>& arguments,
                                        const std::function<bool()>& when);

[[nodiscard]] std::string read_text(const std::string& path);
[[nodiscard]] std::vector<std::string> lines_of(const std::string& text);

}  // namespace equipoise
