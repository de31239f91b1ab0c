// Runs the built program as a user would.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace equipoise {

/// The exit code and the output of a run of the program.
struct ProgramRun {
  int exit_code = 0;
  std::string out;  ///< stdout
  std::string err;  ///< stderr
};

/// Where stdout goes: into a file that is read afterwards, to a full disk, into a pipe that nobody
/// reads, or nowhere because it is closed.
enum class Stdout : std::uint8_t { file, full, unread, closed };

/// Runs `equipoise` with `arguments` in the folder `repository()` and waits for its end.
[[nodiscard]] ProgramRun run_equipoise(const std::vector<std::string>& arguments,
                                       Stdout to = Stdout::file);

/// Runs the program at the path `program`, a copy of `equipoise`.
[[nodiscard]] ProgramRun run_copy(const std::string& program,
                                  const std::vector<std::string>& arguments,
                                  Stdout to = Stdout::file);

/// The path of the program that `run_equipoise` runs.
[[nodiscard]] std::string program_file();

/// The path of the module `name`, which the build leaves in `folder`.
[[nodiscard]] std::string module_file(const char* name, const char* folder);

/// Runs `equipoise`, sends it `signal` as soon as `when` returns true, and waits for its end. Sends
/// nothing if it ends by itself before.
[[nodiscard]] ProgramRun signal_equipoise(const std::vector<std::string>& arguments, int signal,
                                          const std::function<bool()>& when);

/// `words` followed by `more`: the arguments of a command, put together.
[[nodiscard]] std::vector<std::string> with(std::vector<std::string> words,
                                            const std::vector<std::string>& more);

[[nodiscard]] std::string read_text(const std::string& path);
[[nodiscard]] std::vector<std::string> lines_of(const std::string& text);

}  // namespace equipoise
