// What people see while they wait, and how warnings and files are written.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace equipoise {

/// "equipoise: warning: ..." on stderr; the same message once only.
void warn(const std::string& message);

/// "equipoise: error: ..." on stderr.
void say_error(const std::string& message);

/// A line on a terminal that is written over; nothing in a pipe or when `quiet`.
class Progress {
 public:
  explicit Progress(bool quiet);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();
  /// Shows `text` in place of what was shown before.
  void show(const std::string& text);
  void clear();

 private:
  bool on_;
  bool shown_ = false;
};

/// A file to be written: where, and what.
struct WholeFile {
  std::string path;
  std::string text;
};

/// Where they are to be, in their order.
[[nodiscard]] std::vector<std::string> paths_of(const std::vector<WholeFile>& files);

/// Writes all of the files beside their paths, then renames them there: none is half written, and
/// none is replaced where another cannot be written. Throws std::runtime_error when that cannot be
/// done, as on a full disk; a path that cannot be written at all is found by `check_outputs` or
/// `make_folder` before there is anything to write. A device or a pipe is written to itself.
void write_whole_files(const std::vector<WholeFile>& files);
void write_whole_file(const std::string& path, const std::string& text);

/// Throws InputError where one of the files that are to be written at `paths` is there and was
/// read, or what is written beside it on the way. To be called when all inputs are known and
/// nothing is written yet; `option` is named in the message.
void expect_no_inputs(const std::vector<std::string>& paths, const std::string& option);

/// The same, and throws InputError unless a file can be made at `path` (its folder exists and can
/// be written, and it is no folder itself). Makes nothing.
void check_writable(const std::string& path, const std::string& option);

/// Makes the folder `path` and those above it. Throws InputError naming `option`.
void make_folder(const std::string& path, const std::string& option);

/// Opens the null device where stdin, stdout or stderr is closed: the next file that is opened would
/// take its place, and get what is printed. To be called before any file is opened.
void open_standard_files();

/// Writes out what was printed, and gives the exit code: `exit_code`, or where a command that
/// succeeded could not print all, 1 after saying why. Who stopped reading a pipe wants no message:
/// 128 + SIGPIPE.
[[nodiscard]] int finish_printing(int exit_code);

/// Ctrl-C and SIGTERM from here on only set a flag.
void catch_stop_signals();
/// Ctrl-C and SIGTERM from here on end the program at once, saying so, with 130 or 143: for work
/// that cannot be asked to stop, and has written nothing yet that could be torn.
void end_on_stop_signals();
/// Whether one of them has come, and which (SIGINT, SIGTERM; 0: none).
[[nodiscard]] int stop_signal();

}  // namespace equipoise
