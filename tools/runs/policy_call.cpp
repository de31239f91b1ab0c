// A timer that ticks only while a library's code runs, and handlers that know whose code it is.
#include "tools/runs/policy_call.hpp"

#include <fmt/format.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "real/threads/clock.hpp"
#include "shared_policies/text/printable_text.hpp"
#include "sim/child_process.hpp"
#include "tools/console/console.hpp"

namespace equipoise {
namespace {

constexpr double patience_after_stop_s = 1.0;
constexpr auto tick_ns = 100'000'000;

std::atomic<const WatchedLibrary*> current = nullptr;  ///< null: no library's code is running
std::atomic<std::uint64_t> calls = 0;                  ///< so far
std::atomic<std::uint64_t> current_call = 0;           ///< the number of the one that runs
std::atomic<double> current_since_s = 0.0;             ///< it would have begun then without pauses
std::atomic<bool> has_timer = false;
std::atomic<bool> is_ticking = false;
timer_t timer;
std::mutex one_at_a_time;
std::uint64_t entries = 0;  ///< with that lock

// Where a child tells what the policy did.
int told_to = -1;
bool (*child_is_to_stop)() = nullptr;

// What ticks have seen. There is one tick at a time.
std::uint64_t stopped_call = 0;
double stop_seen_at_s = 0.0;

/// Ends the process and says why; from a signal handler, too.
[[noreturn]] void end_because(const WatchedLibrary& library, std::string_view why, int exit_code) {
  if (told_to >= 0) {
    write_all(told_to, why);
    ::_exit(policy_fault_exit);
  }
  for (const std::string_view part :
       {std::string_view("equipoise: error: "), std::string_view(library.file),
        std::string_view(": "), why, std::string_view("\n")}) {
    write_all(STDERR_FILENO, part);
  }
  ::_exit(exit_code);
}

bool is_to_stop() { return told_to >= 0 ? child_is_to_stop() : stop_signal() != 0; }

void start_tick() {
  itimerspec once = {};
  once.it_value.tv_nsec = tick_ns;
  ::timer_settime(timer, 0, &once, nullptr);
}

/// Ends the process if the call has been running for too long.
void look_at(const WatchedLibrary& library) {
  const double now = seconds_of(CLOCK_MONOTONIC);
  if (now - current_since_s.load() >= library.limit_s) {
    end_because(library, library.timeout_message, 2);
  }
  if (!is_to_stop()) return;
  if (const std::uint64_t call = current_call.load(); call != stopped_call) {
    stopped_call = call;
    stop_seen_at_s = now;
  }
  if (now - stop_seen_at_s < patience_after_stop_s) return;
  end_because(library, "interrupted before it answered", 128 + stop_signal());
}

void tick(int /*signal*/) {
  const int error = errno;
  is_ticking.exchange(false);
  if (const WatchedLibrary* const library = current.load()) {
    look_at(*library);
    if (!is_ticking.exchange(true)) start_tick();
  }
  errno = error;
}

/// exit() calls it.
void ended() {
  const WatchedLibrary* const library = current.load();
  if (library == nullptr) return;
  end_because(*library, "ended the program instead of answering; correct the policy", 2);
}

/// A forked process has no timer.
void forget_timer() {
  has_timer.store(false);
  is_ticking.store(false);
}

/// What a process and those that it forks need once. False if the system refuses it; then no call
/// is watched.
bool prepare(int signal) {
  struct sigaction action = {};
  action.sa_handler = tick;
  action.sa_flags = SA_RESTART;
  return ::pthread_atfork(nullptr, nullptr, forget_timer) == 0 && std::atexit(ended) == 0 &&
         std::at_quick_exit(ended) == 0 && ::sigaction(signal, &action, nullptr) == 0;
}

void make_timer() {
  const int signal = SIGRTMAX - 1;
  static const bool is_prepared = prepare(signal);
  sigevent event = {};
  event.sigev_notify = SIGEV_SIGNAL;
  event.sigev_signo = signal;
  has_timer.store(is_prepared && ::timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
}

}  // namespace

WatchedLibrary::WatchedLibrary(const std::string& path, double seconds)
    : file(printable(path)),
      limit_s(seconds),
      timeout_message(fmt::format(
          "has not answered for {} s; correct the policy, or let it ask for more (answer_limit_s)",
          limit_s)) {}

PolicyCall::PolicyCall(const WatchedLibrary& library)
    : library_(library), number_(calls.fetch_add(1) + 1), lock_(one_at_a_time, std::defer_lock) {
  enter();
}

PolicyCall::~PolicyCall() { leave(); }

void PolicyCall::enter() {
  lock_.lock();
  if (!has_timer.load()) make_timer();
  entered_s_ = seconds_of(CLOCK_MONOTONIC);
  const std::uint64_t before = entries++;
  const bool goes_on = entry_ > 0;
  if (goes_on && before == entry_) ran_s_ += entered_s_ - left_s_;
  entry_ = before + 1;
  current_call.store(number_);
  current_since_s.store(entered_s_ - ran_s_);
  current.store(&library_);
  if (goes_on) look_at(library_);  // ticks may always come in pauses
  if (has_timer.load() && !is_ticking.exchange(true)) start_tick();
}

void PolicyCall::leave() {
  current.store(nullptr);
  left_s_ = seconds_of(CLOCK_MONOTONIC);
  ran_s_ += left_s_ - entered_s_;
  lock_.unlock();
}

bool notice_exit_first() { return std::atexit(ended) == 0; }

void tell_policy_faults_to(int fd, bool (*is_to_stop)()) {
  told_to = fd;
  child_is_to_stop = is_to_stop;
}

}  // namespace equipoise
