// Runs a function in a child process: simulations (SimGrid has one engine and one clock in each
// process), and code that may crash on a user's input.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace equipoise {

/// A forked child that runs one function and writes its results into a pipe.
///
/// The child never returns into the code of its parent. It exits with the function's result, runs
/// no atexit handler and no destructor of the parent's objects, and is killed when the thread that
/// created it ends. A ChildProcess that is destroyed before `wait()` kills its child. Do not create
/// one while other threads of the process hold locks that the function needs.
class ChildProcess {
 public:
  /// The end of a child.
  struct Outcome {
    int exit_code = 0;   ///< of a child that exited by itself
    int signal = 0;      ///< the signal that killed it; 0: none
    std::string output;  ///< what it wrote into the pipe, except what was taken before

    [[nodiscard]] bool succeeded() const { return exit_code == 0 && signal == 0; }
  };

  /// Forks. The child calls `body` with the write end of the pipe and exits with its result, or
  /// with 70 if `body` throws. Throws BackendError if the pipe or the child process cannot be
  /// created.
  explicit ChildProcess(const std::function<int(int write_fd)>& body);
  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&& other) noexcept;
  ~ChildProcess();

  [[nodiscard]] pid_t pid() const { return pid_; }
  /// The read end of the pipe. poll() reports it readable when `receive()` has something to do.
  [[nodiscard]] int read_fd() const { return read_fd_; }

  /// The most bytes that one `receive()` reads: as many as a pipe holds.
  static constexpr std::size_t most_received = std::size_t{64} << 10;

  /// Reads what the child has written, without waiting, and at most `most_received` bytes, so that
  /// a child that never stops writing does not occupy its parent. Returns false if the child has
  /// ended or closed the pipe; then `wait()` returns soon.
  bool receive();
  /// Returns what was received and not yet taken. `wait()` then returns only the rest.
  [[nodiscard]] std::string take_received() { return std::exchange(output_, {}); }

  /// Reads the rest of the output, waits for the end of the child and returns both. May be called
  /// only once.
  [[nodiscard]] Outcome wait();

 private:
  void kill_and_reap();

  pid_t pid_ = -1;
  int read_fd_ = -1;
  std::string output_;
};

/// Writes all of `text` into `fd`; a signal handler may call it. Returns false if the reader has
/// closed the pipe.
bool write_all(int fd, std::string_view text);

}  // namespace equipoise
