// Sets affinity, timer slack and scheduling by system calls.
#include "real/threads/this_thread.hpp"

#include <pthread.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace equipoise {
namespace {

constexpr std::uint64_t shortest_slice_ns = 100'000;

/// The argument of sched_setattr(2), which the C library declares only since version 2.41.
struct Scheduling {
  std::uint32_t size = sizeof(Scheduling);
  std::uint32_t policy = 0;
  std::uint64_t flags = 0;
  std::int32_t nice = 0;
  std::uint32_t priority = 0;
  std::uint64_t runtime_ns = 0;
  std::uint64_t deadline_ns = 0;
  std::uint64_t period_ns = 0;
};

/// The scheduler's slice for the calling thread, or 0 if unknown.
std::uint64_t slice_ns() {
  Scheduling now;
  if (syscall(SYS_sched_getattr, 0, &now, sizeof now, 0) != 0) return 0;
  return now.runtime_ns;
}

/// Requests a slice under the thread's current policy. Kernels without slices ignore the request.
void ask_for_slice(std::uint64_t ns) {
  Scheduling wanted;
  if (syscall(SYS_sched_getattr, 0, &wanted, sizeof wanted, 0) != 0) return;
  wanted.runtime_ns = ns;
  syscall(SYS_sched_setattr, 0, &wanted, 0);
}

}  // namespace

void pin_this_thread(const std::vector<int>& cores) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int core : cores) CPU_SET(static_cast<std::size_t>(core), &set);
  pthread_setaffinity_np(pthread_self(), sizeof set, &set);
}

std::vector<int> cores_of_this_thread() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<int> cores;
  if (pthread_getaffinity_np(pthread_self(), sizeof set, &set) != 0) return cores;
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (CPU_ISSET(static_cast<std::size_t>(core), &set)) cores.push_back(core);
  }
  return cores;
}

void wake_this_thread_on_time() { prctl(PR_SET_TIMERSLACK, 1); }

PromptThread::PromptThread() : policy_before_(sched_getscheduler(0)) {
  const int policy = policy_before_ & ~SCHED_RESET_ON_FORK;
  if (policy == SCHED_FIFO || policy == SCHED_RR) return;  // keep a policy set from outside
  sched_param parameter{};
  sched_getparam(0, &parameter);
  priority_before_ = parameter.sched_priority;
  slice_before_ns_ = slice_ns();
  parameter.sched_priority = sched_get_priority_min(SCHED_FIFO);
  // SCHED_RESET_ON_FORK: threads and processes that this thread starts keep normal scheduling.
  is_real_time_ = sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &parameter) == 0;
  if (!is_real_time_ && slice_before_ns_ > 0) ask_for_slice(shortest_slice_ns);
}

PromptThread::~PromptThread() {
  if (is_real_time_) {
    sched_param parameter{};
    parameter.sched_priority = priority_before_;
    // Without the right to raise priorities, the flag stays set; it has no effect on a normal
    // thread.
    if (sched_setscheduler(0, policy_before_, &parameter) != 0) {
      sched_setscheduler(0, policy_before_ | SCHED_RESET_ON_FORK, &parameter);
    }
  } else if (slice_before_ns_ > 0) {
    ask_for_slice(slice_before_ns_);
  }
}

}  // namespace equipoise
