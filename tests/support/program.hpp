// Runs the built program as a user would.
#pragma once

#include <cstdint>
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

/// Where stdout goes: into a file that is read afterwards; a full disk; a pipe that nobody reads;
/// nowhere, for it is closed.
enum class Stdout : std::uint8_t { file, full, unread, closed };

/// Runs `equipoise` with `arguments` in the repository's root and waits for it.
[[nodiscard]] ProgramRun run_equipoise(const std::vector<std::string>& arguments,
                                       Stdout to = Stdout::file);

/// The same with a copy of the program.
[[nodiscard]] ProgramRun run_copy(const std::string& program,
                                  const std::vector<std::string>& arguments,
                                  Stdout to = Stdout::file);

/// The file that is run.
[[nodiscard]] std::string program_file();

/// Runs `equipoise`, sends it `signal` as soon as `when` holds, and waits for it; lets it end by
/// itself when it does so before.
[[nodiscard]] ProgramRun signal_equipoise(const std::vector<std::string>& arguments, int signal,
                                          const std::function<bool()>& when);

[[nodiscard]] std::string read_text(const std::string& path);
[[nodiscard]] std::vector<std::string> lines_of(const std::string& text);

}  // namespace equipoise
