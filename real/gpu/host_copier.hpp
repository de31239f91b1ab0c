// A thread that copies in the host's memory for one queue of a GPU.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace equipoise {

/// Makes copies one after another. CUDA calls all functions of the host from one thread, where a
/// large copy would keep the other direction and all other units of the GPU waiting. Its end drops
/// copies that have not begun.
class HostCopier {
 public:
  /// The thread runs on `cores`, before what else runs there if it `comes_first`. Throws
  /// BackendError if it cannot be started.
  HostCopier(const std::vector<int>& cores, bool comes_first);

  /// Calls `copy`, which does not throw, when the copies before it have ended. Any thread may call
  /// it.
  void put(std::function<void()> copy);

 private:
  void live(const std::stop_token& stop);

  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<std::function<void()>> copies_;
  std::jthread thread_;
};

}  // namespace equipoise
