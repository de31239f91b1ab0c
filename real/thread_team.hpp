// The threads of one CPU unit, each on a core of its own, which compute a block together.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "shared_policies/model/measures.hpp"

namespace equipoise {

/// k threads: the one that calls `run`, and k - 1 that wait for it.
class ThreadTeam {
 public:
  /// Work on items [first, first + items) of a block, counted from the block's own beginning.
  using Part = std::function<void(Items first, Items items)>;

  /// Pins the calling thread to the first of `cores` (numbers of the operating system; at least
  /// one) and starts one pinned thread for each other. Throws BackendError when a thread cannot be
  /// started.
  explicit ThreadTeam(const std::vector<int>& cores);
  ThreadTeam(const ThreadTeam&) = delete;
  ThreadTeam& operator=(const ThreadTeam&) = delete;
  ~ThreadTeam();

  [[nodiscard]] int threads() const { return static_cast<int>(members_.size()) + 1; }

  /// Divides `items` among the threads in equal contiguous parts, runs `part` on all of them and
  /// returns when all are done. Throws what the first failing part threw, after all have ended.
  void run(Items items, const Part& part);

 private:
  class Member;
  std::vector<std::unique_ptr<Member>> members_;
};

}  // namespace equipoise
