// Tests of CoreWatch: the share of the units' cores that other programs used.
#include "real/core_watch.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "real/threads/clock.hpp"
#include "real/threads/this_thread.hpp"

namespace equipoise::core_watch_test {
namespace {

// The columns of /proc/stat: user nice system idle iowait irq softirq steal guest guest_nice.
const std::string proc_stat =
    "cpu  111 0 0 0 0 0 0 0 0 0\n"
    "cpu0 100 20 30 4000 500 6 7 8 9 10\n"
    "cpu1 1 2 3 4 5 6 7 8 0 0\n"
    "cpu10 50 0 0 0 0 0 0 0 0 0\n"
    "intr 1 2 3\n";

TEST(CoreWatch, AddsUpWhatKeepsACoreBusy) {
  // 100 + 20 + 30 + 6 + 7 + 8 ticks. `user` already includes `guest`, and iowait is idle time.
  EXPECT_DOUBLE_EQ(busy_seconds(proc_stat, {0}, 100.0).value(), 1.71);
  EXPECT_DOUBLE_EQ(busy_seconds(proc_stat, {0, 1}, 100.0).value(), 1.98);
  EXPECT_DOUBLE_EQ(busy_seconds(proc_stat, {10}, 10.0).value(), 5.0);
}

TEST(CoreWatch, KnowsNothingOfCoresThatTheSystemDoesNotTellOf) {
  EXPECT_FALSE(busy_seconds(proc_stat, {0, 2}, 100.0));
  EXPECT_FALSE(busy_seconds("", {0}, 100.0));
  EXPECT_FALSE(busy_seconds("cpu0 1 2 3\n", {0}, 100.0));
}

TEST(CoreWatch, CountsACoreThatTwoUnitsShareOnce) {
  Placement placement;
  placement.cores = {{0}, {}, {0}};
  const CoreWatch once(placement);
  placement.cores = {{0}};
  const CoreWatch same(placement);
  const CoreUse second = same.since();
  const CoreUse first = once.since();
  EXPECT_LE(second.cores_s, first.cores_s)
      << "it began later and ended earlier, and both watch one core";
  EXPECT_GE(first.other_programs_s, 0.0);
}

TEST(CoreWatch, HasNothingToWatchWhereNoUnitComputes) {
  Placement placement;
  placement.cores = {{}, {}};
  const CoreUse use = CoreWatch(placement).since();
  EXPECT_EQ(use.cores_s, 0.0);
  EXPECT_EQ(use.other_programs_s, 0.0);
}

/// Another program that keeps a core busy.
class BusyProgram {
 public:
  explicit BusyProgram(int core) : child_(::fork()) {
    if (child_ != 0) return;
    pin_this_thread({core});
    for (volatile bool forever = true; forever;) continue;
  }
  BusyProgram(const BusyProgram&) = delete;
  BusyProgram& operator=(const BusyProgram&) = delete;
  ~BusyProgram() {
    ::kill(child_, SIGKILL);
    ::waitpid(child_, nullptr, 0);
  }

 private:
  pid_t child_;
};

TEST(CoreWatch, DoesNotTakeTheControllersTimeElsewhereForUseOfTheUnitsCores) {
  const std::vector<int> cores = cores_of_this_thread();
  if (cores.size() < 2) GTEST_SKIP() << "needs two cores";
  Placement placement;
  placement.cores = {{cores[0]}};
  placement.waiting = {cores[1]};
  const BusyProgram other(cores[0]);
  pin_this_thread(placement.waiting);
  const CoreWatch watch(placement);
  const double begin_s = seconds_of(CLOCK_THREAD_CPUTIME_ID);
  while (seconds_of(CLOCK_THREAD_CPUTIME_ID) - begin_s < 0.5) continue;
  const CoreUse use = watch.since();
  pin_this_thread(cores);
  EXPECT_GT(use.other_programs_s, 0.8 * use.cores_s);
}

TEST(CoreWatch, TellsOfOtherProgramsThatHadMoreThanATenth) {
  EXPECT_EQ(disturbance_text({.cores_s = 10.0, .other_programs_s = 1.0}), "");
  EXPECT_EQ(disturbance_text({.cores_s = 0.1, .other_programs_s = 0.1}), "")
      << "watched too briefly";
  EXPECT_EQ(disturbance_text({.cores_s = 10.0, .other_programs_s = 3.4}),
            "other programs had 34 % of the units' cores meanwhile: the times are those of a busy "
            "machine");
}

}  // namespace
}  // namespace equipoise::core_watch_test
