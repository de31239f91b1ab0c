// Starts threads, and sets the cores and the scheduling of the calling one.
#pragma once

#include <cstdint>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "shared_policies/model/failure.hpp"

namespace equipoise {

/// Starts a thread that calls `function`, with a std::stop_token if it takes one. Throws
/// BackendError if it cannot be started: "no thread for PURPOSE" and why.
template <class Function>
[[nodiscard]] std::jthread start_thread(const std::string& purpose, Function function) {
  try {
    return std::jthread(std::move(function));
  } catch (const std::system_error& error) {
    throw BackendError("no thread for " + purpose + ": " + error.what());
  }
}

/// Pins the calling thread to these cores (as the operating system numbers them). If the machine
/// does not allow that, the thread stays where it is, which only costs time.
void pin_this_thread(const std::vector<int>& cores);

/// The cores that the calling thread may use now.
[[nodiscard]] std::vector<int> cores_of_this_thread();

/// Makes sleeps of the calling thread end at the requested time instead of up to 50 us later.
void wake_this_thread_on_time();

/// During the lifetime of this object, the calling thread runs at once when it is woken, before
/// threads that compute on its core. It gets a real-time priority if the process may have one
/// (root, or a limit `ulimit -r` above 0), otherwise the shortest slice that the scheduler grants
/// (Linux 6.12 and later; no effect on older kernels). A thread that already has a real-time
/// priority keeps it. Without this, a thread waits up to the slice of a computing thread, some
/// milliseconds, after a wake-up. Meant for threads that sleep nearly all of the time. Must be
/// destroyed by the thread that made it.
class PromptThread {
 public:
  PromptThread();
  PromptThread(const PromptThread&) = delete;
  PromptThread& operator=(const PromptThread&) = delete;
  ~PromptThread();

 private:
  int policy_before_;
  int priority_before_ = 0;
  std::uint64_t slice_before_ns_ = 0;
  bool is_real_time_ = false;
};

}  // namespace equipoise
