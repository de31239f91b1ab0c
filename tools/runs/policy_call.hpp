// Calls of code in policy libraries: one that never answers, or ends the program, is told by its
// name.
#pragma once

#include <string>

namespace equipoise {

/// A library as messages name it, and how long a call of its code may take.
class LibraryCalls {
 public:
  LibraryCalls(const std::string& file, double limit_s);

  [[nodiscard]] const std::string& file() const { return file_; }
  [[nodiscard]] double limit_s() const { return limit_s_; }
  /// What to say of a call that took longer. All messages are ready before the call, because a
  /// signal handler writes them.
  [[nodiscard]] const std::string& silence() const { return silence_; }

 private:
  std::string file_;
  double limit_s_;
  std::string silence_;
};

/// While it lives, the calling thread is in the code of a library. Ends the process with a message
/// if that takes longer than its limit or calls exit(), and a second after a stop request. There is
/// one at a time. Costs no system call as long as calls are short.
class PolicyCall {
 public:
  /// `library` must live as long as the process.
  explicit PolicyCall(const LibraryCalls& library);
  PolicyCall(const PolicyCall&) = delete;
  PolicyCall& operator=(const PolicyCall&) = delete;
  ~PolicyCall();
};

/// With what a child process ends because of a policy, after `tell_policy_faults_to`.
inline constexpr int policy_fault_exit = 71;

/// For a child process: from now on what the policy did is written to `fd`, without the library's
/// name, and the process ends with `policy_fault_exit`. `is_to_stop`, which a signal handler calls,
/// says whether a stop is requested. Other processes print an error and end with 2, or with 130 or
/// 143 after Ctrl-C or SIGTERM.
void tell_policy_faults_to(int fd, bool (*is_to_stop)());

}  // namespace equipoise
