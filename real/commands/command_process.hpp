// A process of the user's: started with its own process group, waited for while its output is read,
// and ended with all that it has started in its group.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace equipoise {

/// What is to be started.
struct ProcessStart {
  std::vector<std::string> words;  ///< the program and its arguments; searched for in PATH if the
                                   ///< program has no slash
  std::map<std::string, std::string> environment{};  ///< in addition to that of this program
  std::string folder = ".";    ///< where it starts; relative programs are there
  std::vector<int> cores{};    ///< that it may use; empty: those of the calling thread
  const char* member = "run";  ///< of the work file that names it, for messages
  bool is_spoken_to = false;   ///< its input is written by `say`, and its output is separate from
                               ///< what it says to the user (`errors`)
};

/// The end of what a process has written, and the log to which it goes.
class ProcessWords {
 public:
  /// Writes to the file at `log`, made at the first word; empty: to none. Of more than
  /// `log_bytes_max` only the beginning is written.
  explicit ProcessWords(std::string log = {}) : log_(std::move(log)) {}
  ProcessWords(const ProcessWords&) = delete;
  ProcessWords& operator=(const ProcessWords&) = delete;
  ~ProcessWords();

  void add(const char* text, std::size_t bytes);
  /// Starts again with no last words.
  void begin() { tail_.clear(); }
  /// The last lines, for a message, without control characters; at most 300 bytes. May be empty.
  [[nodiscard]] std::string last() const;

 private:
  std::string log_;
  int file_ = -1;
  std::size_t logged_ = 0;
  std::string tail_;
};

/// The CPU time (s) of all commands of this program so far: those that have ended, with what they
/// waited for, and the groups of those that run.
[[nodiscard]] double commands_cpu_seconds();

/// How a process has ended.
struct ProcessEnd {
  bool is_exit = false;  ///< else by a signal
  int number = 0;        ///< exit code, or signal; 0 for a signal: nobody knows how

  [[nodiscard]] bool is_success() const { return is_exit && number == 0; }
  /// "exit code 3", "signal 11 (Segmentation fault)".
  [[nodiscard]] std::string text() const;
};

/// Throws std::runtime_error if the program of `start` is not there: "cannot start PROGRAM: why;
/// what to do".
void expect_program(const ProcessStart& start);

/// A process that runs, or has ended and was not collected. One thread uses it.
class CommandProcess {
 public:
  using Clock = std::chrono::steady_clock;
  /// Why a wait has ended.
  enum class Waited {
    ended,    ///< the process has ended
    line,     ///< it has written a line of output (`is_spoken_to`)
    late,     ///< the deadline has come
    unwanted  ///< nobody wants its result any more
  };

  /// Starts it. Its words go to `words`, which outlives it. Throws std::runtime_error: "cannot
  /// start PROGRAM: why; what to do".
  CommandProcess(const ProcessStart& start, ProcessWords& words);
  CommandProcess(const CommandProcess&) = delete;
  CommandProcess& operator=(const CommandProcess&) = delete;
  /// Ends it, if it runs: asks (SIGTERM), and half a second later kills its group.
  ~CommandProcess();

  /// Waits for its end, and for a line of output if it is spoken to. `is_wanted` is asked every few
  /// milliseconds.
  [[nodiscard]] Waited wait(Clock::time_point deadline, const std::function<bool()>& is_wanted);
  /// The line that it has written, without its end. To be called once for each `Waited::line`.
  [[nodiscard]] std::string line();
  /// Writes `text` to its input. Returns false if it does not read any more.
  [[nodiscard]] bool say(const std::string& text);
  /// Closes its input, and gives it half a second to end of its own accord.
  void end_input();
  /// Ends what it has left behind in its group, and collects it. To be called after
  /// `Waited::ended`.
  [[nodiscard]] ProcessEnd collect();

 private:
  void spawn(const ProcessStart& start);
  void read_all();
  bool read_from(int& file, bool is_output);
  [[nodiscard]] bool has_line() const { return output_.find('\n') != std::string::npos; }
  [[nodiscard]] bool has_ended() const;
  void close_all();

  ProcessWords& words_;
  bool is_spoken_to_;
  pid_t process_ = 0;
  int notice_ = -1;  ///< becomes readable when it ends; -1: the system has no such thing
  int input_ = -1;
  int output_file_ = -1;
  int errors_file_ = -1;
  std::string output_;  ///< lines that were not taken
};

}  // namespace equipoise
