// Runs the built program as a user would.
#pragma once

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

/// A folder for one test, empty at first, gone at the end.
class ScratchFolder {
 public:
  ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder();

  /// The path of `name` in it.
  [[nodiscard]] std::string path(const std::string& name) const { return path_ + "/" + name; }
  /// Writes a file and gives its path.
  [[nodiscard]] std::string write(const std::string& name, const std::string& text) const;

 private:
  std::string path_;
};

[[nodiscard]] std::string read_text(const std::string& path);
[[nodiscard]] std::vector<std::string> lines_of(const std::string& text);

}  // namespace equipoise
