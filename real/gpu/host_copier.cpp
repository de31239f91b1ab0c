// The thread sleeps while there is nothing to copy.
#include "real/gpu/host_copier.hpp"

#include <optional>
#include <utility>

#include "real/threads/this_thread.hpp"

namespace equipoise {

HostCopier::HostCopier(const std::vector<int>& cores, bool comes_first) {
  thread_ = start_thread("copies", [this, cores, comes_first](const std::stop_token& stop) {
    pin_this_thread(cores);
    wake_this_thread_on_time();
    std::optional<PromptThread> prompt;
    if (comes_first) prompt.emplace();
    live(stop);
  });
}

void HostCopier::put(std::function<void()> copy) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    copies_.push_back(std::move(copy));
  }
  changed_.notify_all();
}

void HostCopier::live(const std::stop_token& stop) {
  std::unique_lock<std::mutex> lock(mutex_);
  while (changed_.wait(lock, stop, [this] { return !copies_.empty(); }) && !stop.stop_requested()) {
    const std::function<void()> copy = std::move(copies_.front());
    copies_.pop_front();
    lock.unlock();
    copy();
    lock.lock();
  }
}

}  // namespace equipoise
