// A part of the program that runs in a process of its own: simulations (SimGrid has one engine and
// one clock a process) and whatever may crash on what a user gave us.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <utility>

namespace equipoise {

/// A forked child that runs one function and writes what it found into a pipe.
///
/// The child never returns into the code of its parent: it leaves with the function's result, runs
/// no atexit handler and no destructor of the parent's objects, and dies when the thread that made
/// it dies. A ChildProcess that is destroyed before `wait()` kills its child. Not to be made while
/// other threads of the process hold locks that the function needs.
class ChildProcess {
 public:
  /// How a child ended.
  struct Outcome {
    int exit_code = 0;   ///< of a child that left by itself
    int signal = 0;      ///< that killed it; 0: none
    std::string output;  ///< all that it wrote into the pipe and nobody took before

    [[nodiscard]] bool succeeded() const { return exit_code == 0 && signal == 0; }
  };

  /// Forks; the child runs `body` with the pipe's end to write to and leaves with what it returns,
  /// or with 70 when an exception comes out. Throws BackendError when the system has no room for
  /// it.
  explicit ChildProcess(const std::function<int(int write_fd)>& body);
  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&& other) noexcept;
  ~ChildProcess();

  [[nodiscard]] pid_t pid() const { return pid_; }
  /// The pipe's end to read from: readable for poll() when `receive()` has something to do.
  [[nodiscard]] int read_fd() const { return read_fd_; }

  /// Takes what the child has written, without waiting. False: the child has ended or closed its
  /// end, and `wait()` returns soon.
  bool receive();
  /// What was received and not taken yet; `wait()` gives only what comes after it.
  [[nodiscard]] std::string take_received() { return std::exchange(output_, {}); }

  /// Takes the rest of the output, waits for the child's end, and tells both. Once only.
  [[nodiscard]] Outcome wait();

 private:
  void kill_and_reap();

  pid_t pid_ = -1;
  int read_fd_ = -1;
  std::string output_;
};

/// Writes all of `text` into `fd`; false when the reader has gone.
bool write_all(int fd, const std::string& text);

}  // namespace equipoise
