// What people see while they wait, and how warnings and files are written.
#pragma once

#include <functional>
#include <string>

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

/// Writes `text` beside `path` and renames it there. Throws std::runtime_error when that cannot be
/// done, as on a full disk; a path that cannot be written at all is found by `check_writable` or
/// `make_folder` before there is anything to write.
void write_whole_file(const std::string& path, const std::string& text);

/// Throws InputError unless a file can be made at `path` (its folder exists and can be written, and
/// it is no folder itself). Makes nothing. `option` is named in the message.
void check_writable(const std::string& path, const std::string& option);

/// Makes the folder `path` and those above it. Throws InputError naming `option`.
void make_folder(const std::string& path, const std::string& option);

/// Ctrl-C and SIGTERM from here on only set a flag.
void catch_stop_signals();
/// Ctrl-C and SIGTERM from here on end the program at once, saying so, with 130 or 143: for work
/// that cannot be asked to stop, and has written nothing yet that could be torn.
void end_on_stop_signals();
/// Whether one of them has come, and which (SIGINT, SIGTERM; 0: none).
[[nodiscard]] int stop_signal();

}  // namespace equipoise
