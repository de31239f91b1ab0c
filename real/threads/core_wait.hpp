// How long, and how often, a thread waits for its core.
#pragma once

#include <sys/resource.h>

#include <cstdint>
#include <ctime>

#include "real/threads/clock.hpp"
#include "shared_policies/model/measures.hpp"

namespace equipoise {

/// Measures for how long the calling thread did not run since this was made: the time that has
/// passed less the CPU time of the thread. Of a thread that does not sleep of its own accord, this
/// is what other threads on its core, and other machines on the same hardware, took from it.
class CoreWait {
 public:
  CoreWait() : at_s_(seconds_of(CLOCK_MONOTONIC)), ran_s_(seconds_of(CLOCK_THREAD_CPUTIME_ID)) {}

  [[nodiscard]] Seconds so_far() const {
    const double ran_s = seconds_of(CLOCK_THREAD_CPUTIME_ID) - ran_s_;
    const double passed_s = seconds_of(CLOCK_MONOTONIC) - at_s_;
    return {passed_s > ran_s ? passed_s - ran_s : 0.0};
  }

 private:
  double at_s_;
  double ran_s_;
};

/// How often other threads have taken its core from the calling thread since it began.
[[nodiscard]] inline std::int64_t times_preempted() {
  rusage use{};
  return getrusage(RUSAGE_THREAD, &use) == 0 ? use.ru_nivcsw : 0;
}

/// How often the calling thread has given up its core of its own accord, to wait for something.
[[nodiscard]] inline std::int64_t times_slept() {
  rusage use{};
  return getrusage(RUSAGE_THREAD, &use) == 0 ? use.ru_nvcsw : 0;
}

}  // namespace equipoise
