// The threads of a team; each waits for work at its own WakeSignal.
#include "real/threads/thread_team.hpp"

#include <atomic>
#include <cstdint>
#include <exception>
#include <thread>

#include "real/threads/this_thread.hpp"
#include "real/threads/wake_signal.hpp"
#include "shared_policies/model/failure.hpp"

namespace equipoise {
namespace {

/// How long a member polls for work before it sleeps; it may poll because its core is its own.
constexpr std::chrono::microseconds team_patience{300};

}  // namespace

/// An additional thread of a team.
class ThreadTeam::Member {
 public:
  explicit Member(int core)
      : thread_(start_thread("a core of a unit", [this, core] { live(core); })) {}
  ~Member() {
    stops_.store(true, std::memory_order_seq_cst);
    begin_.notify();
  }

  void begin(const Part& part, Items first, Items items) {
    part_ = &part;
    first_ = first;
    items_ = items;
    failure_ = nullptr;
    asked_.store(asked_.load(std::memory_order_relaxed) + 1, std::memory_order_seq_cst);
    begin_.notify();
  }

  /// Waits until the work begun last has ended. Returns the exception that it threw, or nullptr.
  std::exception_ptr await() {
    end_.wait([&] { return done_.load(std::memory_order_seq_cst) == asked_.load(); },
              WakeSignal::TimePoint::max());
    return failure_;
  }

 private:
  void live(int core) {
    pin_this_thread({core});
    const auto is_due = [&] {
      return stops_.load(std::memory_order_seq_cst) ||
             asked_.load(std::memory_order_seq_cst) != done_.load(std::memory_order_relaxed);
    };
    while (begin_.wait(is_due, WakeSignal::TimePoint::max()) && !stops_.load()) {
      try {
        if (items_ > 0) (*part_)(first_, items_);
      } catch (...) {
        failure_ = std::current_exception();
      }
      done_.store(asked_.load(std::memory_order_relaxed), std::memory_order_seq_cst);
      end_.notify();
    }
  }

  const Part* part_ = nullptr;
  Items first_ = 0;
  Items items_ = 0;
  std::exception_ptr failure_;
  std::atomic<std::uint64_t> asked_ = 0;
  std::atomic<std::uint64_t> done_ = 0;
  std::atomic<bool> stops_ = false;
  WakeSignal begin_{team_patience};
  WakeSignal end_{team_patience};
  std::jthread thread_;  // last, because the thread uses all other members
};

ThreadTeam::ThreadTeam(const std::vector<int>& cores) {
  EQ_CHECK(!cores.empty(), "a team has a core");
  pin_this_thread({cores.front()});
  wake_this_thread_on_time();
  for (std::size_t i = 1; i < cores.size(); ++i) {
    members_.push_back(std::make_unique<Member>(cores[i]));
  }
}

ThreadTeam::~ThreadTeam() = default;

void ThreadTeam::run(Items items, const Part& part) {
  const Items count = threads();
  const auto begin_of = [&](Items i) { return items / count * i + items % count * i / count; };
  for (Items i = 1; i < count; ++i) {
    members_[static_cast<std::size_t>(i - 1)]->begin(part, begin_of(i),
                                                     begin_of(i + 1) - begin_of(i));
  }
  std::exception_ptr failure;
  try {
    if (begin_of(1) > 0) part(0, begin_of(1));
  } catch (...) {
    failure = std::current_exception();
  }
  for (const auto& member : members_) {
    const std::exception_ptr theirs = member->await();
    if (!failure) failure = theirs;
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace equipoise
