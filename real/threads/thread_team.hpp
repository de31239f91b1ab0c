// The threads of one CPU unit, each on its own core, which compute a block together.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "shared_policies/model/measures.hpp"

namespace equipoise {

/// A team of k threads: the thread that calls `run`, and k - 1 threads that wait for work.
class ThreadTeam {
 public:
  /// A function that works on items [first, first + items) of a block, counted from the block's
  /// start.
  using Part = std::function<void(Items first, Items items)>;

  /// Pins the calling thread to the first of `cores` (as the operating system numbers them; at
  /// least one) and starts one pinned thread for each other core. Throws BackendError if a thread
  /// cannot be started.
  explicit ThreadTeam(const std::vector<int>& cores);
  ThreadTeam(const ThreadTeam&) = delete;
  ThreadTeam& operator=(const ThreadTeam&) = delete;
  ~ThreadTeam();

  [[nodiscard]] int threads() const { return static_cast<int>(members_.size()) + 1; }

  /// Divides `items` among the threads in equal contiguous parts, runs `part` on all threads and
  /// returns when all have ended. If parts throw, then throws the exception of the first of them.
  void run(Items items, const Part& part);

 private:
  class Member;
  std::vector<std::unique_ptr<Member>> members_;
};

}  // namespace equipoise
