// What is printed, warnings and errors on the terminal, words for a shell, and the writing of
// files.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace equipoise {

/// Prints to stdout what fmt::format makes. `finish_printing` tells whether that failed. Returns 0,
/// the exit code of a command that ends so.
template <class... Args>
int print_out(fmt::format_string<Args...> format, Args&&... args) {
  std::fputs(fmt::format(format, std::forward<Args>(args)...).c_str(), stdout);
  return 0;
}

/// Prints `json` to stdout as one line. Returns 0, as `print_out` does.
int print_json(const nlohmann::ordered_json& json);

/// Prints "equipoise: warning: ..." on stderr; each message only once.
void warn(const std::string& message);

/// Prints "equipoise: note: ..." on stderr, for what needs no attention; each message only once.
void note(const std::string& message);

/// Prints "equipoise: error: ..." on stderr.
void say_error(const std::string& message);

/// A file to be written: its path and its text.
struct WholeFile {
  std::string path;
  std::string text;
};

/// The paths of `files`, in their order.
[[nodiscard]] std::vector<std::string> paths_of(const std::vector<WholeFile>& files);

/// Writes all files under temporary names beside their paths, then renames them. So no file is
/// incomplete, and no file is replaced if another one cannot be written. Each temporary name
/// belongs to one writer alone. A device or a pipe is written directly. Throws std::runtime_error
/// on failure, such as a full disk; `check_writable` or `make_folder` find paths that cannot be
/// written at all before the work starts.
void write_whole_files(const std::vector<WholeFile>& files);
void write_whole_file(const std::string& path, const std::string& text);

/// Throws InputError if one of `paths` is an existing file that was read as input. To be called
/// when all inputs are known and nothing has been written; the message names `option`.
void expect_no_inputs(const std::vector<std::string>& paths, const std::string& option);

/// Throws InputError, which names `option`, unless a file can be written at `path`: it is no folder
/// and was not read as an input, and its folder exists and is writable. Creates nothing.
void check_writable(const std::string& path, const std::string& option);

/// Whether both paths lead to the same place, where a file may be or not.
[[nodiscard]] bool is_same_path(const std::string& a, const std::string& b);

/// Throws InputError if two options would write to the same place. `outputs`: options and their
/// paths; an empty path is none.
void expect_different(const std::vector<std::pair<const char*, std::string>>& outputs);

/// Creates the folder `path` and its parent folders. On failure, throws InputError with the name of
/// `option`.
void make_folder(const std::string& path, const std::string& option);

/// Opens the null device in place of stdin, stdout or stderr if it is closed. Otherwise the next
/// opened file would get its number and receive printed output. To be called before any file is
/// opened.
void open_standard_files();

/// Flushes the printed output and returns the exit code. It is `exit_code`, unless the command
/// succeeded and its output could not be printed completely: then 1, after an error message. If the
/// reader closed the pipe, it is 128 + SIGPIPE without a message.
[[nodiscard]] int finish_printing(int exit_code);

/// From now on, Ctrl-C and SIGTERM only set a flag.
void catch_stop_signals();
/// From now on, Ctrl-C and SIGTERM end the program at once, with a message and exit code 130 or
/// 143. For work that cannot be asked to stop and has no partly written output. Every command
/// begins like this.
void end_on_stop_signals();
/// The signal that has come (SIGINT or SIGTERM), or 0 if none.
[[nodiscard]] int stop_signal();

/// Saves what SIGINT and SIGTERM do, and restores it at its end; no signal has come then. For a
/// library, which has no signals of its own. One at a time.
class StopSignals {
 public:
  StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;
  ~StopSignals();

 private:
  struct Before;
  std::unique_ptr<Before> before_;
};

/// A stop was requested (Ctrl-C, SIGTERM) before the work was finished.
class Interrupted : public std::runtime_error {
 public:
  explicit Interrupted(int signal) : std::runtime_error("interrupted"), signal_(signal) {}
  [[nodiscard]] int signal() const { return signal_; }

 private:
  int signal_;
};

/// `word`, in quotes where a shell would read it otherwise.
[[nodiscard]] std::string shell_word(const std::string& word);

}  // namespace equipoise
