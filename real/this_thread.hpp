// Where the calling thread runs, and how soon the operating system lets it run.
#pragma once

#include <cstdint>
#include <vector>

namespace equipoise {

/// Keeps the calling thread on these cores (numbers of the operating system). A machine that does
/// not allow it leaves the thread where it is: slower, never wrong.
void pin_this_thread(const std::vector<int>& cores);

/// The cores that the calling thread may use now.
[[nodiscard]] std::vector<int> cores_of_this_thread();

/// Sleeps of the calling thread end when asked for, not up to 50 us later.
void wake_this_thread_on_time();

/// While this lives, the calling thread, once woken, runs ahead of threads that compute on its
/// core: by a real-time priority where the process may have one (root, or a limit `ulimit -r` above
/// 0), else by the shortest slice that the scheduler grants (Linux 6.12 and later; before, nothing
/// changes). A thread that somebody gave a real-time priority keeps it. Without this, a wake-up
/// beside a thread that computes waits for up to that thread's slice, some milliseconds. For
/// threads that sleep nearly all of the time. To be destroyed by the thread that made it.
class PromptThread {
 public:
  PromptThread();
  PromptThread(const PromptThread&) = delete;
  PromptThread& operator=(const PromptThread&) = delete;
  ~PromptThread();

  /// Whether it runs at a real-time priority.
  [[nodiscard]] bool is_real_time() const { return is_real_time_; }

 private:
  int policy_before_;
  int priority_before_ = 0;
  std::uint64_t slice_before_ns_ = 0;
  bool is_real_time_ = false;
};

}  // namespace equipoise
