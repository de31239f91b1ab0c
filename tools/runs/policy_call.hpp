// Watches calls into policy libraries: a library that never answers, or ends the program, is named
// in the error.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>

namespace equipoise {

/// A policy library whose code is watched. Its texts are made before calls, because a signal
/// handler writes them.
struct WatchedLibrary {
  WatchedLibrary(const std::string& path, double seconds);

  std::string file;             ///< its path as messages show it
  double limit_s;               ///< how long a call of its code may take
  std::string timeout_message;  ///< about a call that took longer
};

/// Exists while the calling thread runs the code of a library. Ends the process with a message if
/// that takes longer than its limit or calls exit(), and a second after Ctrl-C or SIGTERM. The code
/// of one library runs at a time: other threads wait. Costs no system call as long as calls are
/// short.
class PolicyCall {
 public:
  /// `library` must live as long as the process.
  explicit PolicyCall(const WatchedLibrary& library);
  PolicyCall(const PolicyCall&) = delete;
  PolicyCall& operator=(const PolicyCall&) = delete;
  ~PolicyCall();

  /// Exists while the library waits for code of ours that it has called. That may let others call
  /// libraries, such as the agents of other nodes, which in simulations have the same thread.
  class Pause {
   public:
    explicit Pause(PolicyCall& call) : call_(call) { call_.leave(); }
    Pause(const Pause&) = delete;
    Pause& operator=(const Pause&) = delete;
    ~Pause() { call_.enter(); }

   private:
    PolicyCall& call_;
  };

 private:
  void enter();
  void leave();

  const WatchedLibrary& library_;
  std::uint64_t number_;
  std::uint64_t entry_ = 0;  ///< the number of the latest `enter`
  double entered_s_ = 0.0;   ///< when the library's code began to run, or went on
  double left_s_ = 0.0;      ///< when it last paused
  double ran_s_ = 0.0;       ///< how long it ran before, with pauses in which no other call ran
  std::unique_lock<std::mutex> lock_;
};

/// Lets exit() in a library be noticed before anything is done that was registered for the end of
/// the process so far: SimGrid 4 would print something. Returns whether that could be registered.
bool notice_exit_first();

/// The exit code of a child process that ended because of its policy, see `tell_policy_faults_to`.
inline constexpr int policy_fault_exit = 71;

/// For a child process: from now on what the policy did is written to `fd`, without the library's
/// name, and the process ends with `policy_fault_exit`. `is_to_stop`, which a signal handler calls,
/// says whether a stop is requested. Other processes print an error and end with 2, or with 130 or
/// 143 after Ctrl-C or SIGTERM.
void tell_policy_faults_to(int fd, bool (*is_to_stop)());

}  // namespace equipoise
