// Tests of clocks, rings, wake signals and thread teams: how threads wait for time and for one
// another.
#include <gtest/gtest.h>
#include <sched.h>

#include <atomic>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "real/threads/clock.hpp"
#include "real/threads/ring.hpp"
#include "real/threads/this_thread.hpp"
#include "real/threads/thread_team.hpp"
#include "real/threads/wake_signal.hpp"
#include "tests/support/fake_clock.hpp"

namespace equipoise::waiting_test {
namespace {

StepFunction rate_of(double factor) {
  StepFunction rate;
  rate.multiply(Seconds{}, Seconds::infinity(), factor);
  return rate;
}

/// The time at which work ends that begins at 0 and takes `work` without slow-down.
double stretched_end_s(FakeClock& clock, const StepFunction& rate, Seconds work) {
  const GivesUp never = [] { return false; };
  return stretched(clock, Seconds{}, rate, never, [&] { clock.pass(work); }).value;
}

TEST(Stretched, KeepsAUnitOfAThirdOfItsSpeedThreeTimesAsLongAsItWasBusy) {
  FakeClock clock;
  EXPECT_DOUBLE_EQ(stretched_end_s(clock, rate_of(1.0 / 3.0), Seconds{0.5}), 1.5);
}

TEST(Stretched, WaitsNotAtAllAtFullSpeed) {
  FakeClock clock;
  EXPECT_DOUBLE_EQ(stretched_end_s(clock, rate_of(1.0), Seconds{0.5}), 0.5);
}

TEST(Stretched, CountsWhatPassedBetweenItsBeginningAndTheWork) {
  FakeClock clock;
  clock.pass(Seconds{0.25});
  EXPECT_DOUBLE_EQ(stretched_end_s(clock, rate_of(0.5), Seconds{0.5}), 1.5);
}

TEST(Stretched, TakesWhatIsLeftOfTheWorkAtTheRateOfItsTime) {
  FakeClock clock;
  StepFunction rate;
  rate.multiply(Seconds{1.0}, Seconds{3.0}, 0.25);
  // One second of work at full speed, half a second of work in the two slow seconds, half a second
  // of work after them.
  EXPECT_DOUBLE_EQ(stretched_end_s(clock, rate, Seconds{2.0}), 3.5);
}

TEST(Stretched, CannotUndoWhatIsDone) {
  FakeClock clock;
  EXPECT_DOUBLE_EQ(stretched_end_s(clock, rate_of(2.0), Seconds{0.5}), 0.5);
}

TEST(SteadyClock, ShowsTenSecondsForOneAtATenthOfTheScale) {
  const auto clock = make_steady_clock(0.1);
  const auto before = std::chrono::steady_clock::now();
  clock->start();
  clock->wait_until(Seconds{0.05}, [] { return false; });
  EXPECT_GE(clock->now().value, 0.05);
  const std::chrono::duration<double> past = std::chrono::steady_clock::now() - before;
  EXPECT_GE(past.count(), 0.005);
  const std::chrono::duration<double> ten = clock->moment(Seconds{10.0}) - clock->moment(Seconds{});
  EXPECT_NEAR(ten.count(), 1.0, 1e-8);
}

TEST(SteadyClock, NeverReturnsFromAWaitTooEarly) {
  const auto clock = make_steady_clock();
  for (const double span_s : {0.0, 1e-6, 50e-6, 3e-3}) {
    const Seconds at = clock->now() + Seconds{span_s};
    clock->wait_until(at, [] { return false; });
    EXPECT_GE(clock->now(), at);
  }
}

TEST(SteadyClock, GivesUpAWaitThatIsToStop) {
  const auto clock = make_steady_clock();
  std::atomic<bool> stopping = false;
  std::thread stopper([&] { stopping = true; });
  clock->wait_until(Seconds{1e6}, [&] {
    return stopping.load();
  });  // a failure would make this test last 11 days
  stopper.join();
  EXPECT_LT(clock->now(), Seconds{1e6});
}

TEST(Ring, RefusesWhatDoesNotFit) {
  Ring<int, 4> ring;
  EXPECT_EQ(ring.front(), nullptr);
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(ring.push(i));
  EXPECT_FALSE(ring.push(4));
  EXPECT_EQ(*ring.front(), 0);
  ring.pop();
  EXPECT_TRUE(ring.push(4));
  EXPECT_EQ(*ring.front(), 1);
}

TEST(Ring, PassesEveryValueOnceAndInOrderWithAWakeSignalOnEachSide) {
  constexpr int values = 50'000;
  Ring<int, 8> there;
  Ring<int, 8> back;
  WakeSignal there_signal{std::chrono::microseconds(50)};
  WakeSignal wake_back{std::chrono::microseconds(0)};
  std::thread echo([&] {
    for (int i = 0; i < values; ++i) {
      there_signal.wait([&] { return there.front() != nullptr; }, WakeSignal::TimePoint::max());
      ASSERT_TRUE(back.push(*there.front()));
      there.pop();
      wake_back.notify();
    }
  });
  int sent = 0;
  for (int i = 0; i < values; ++i) {
    for (; sent < values && sent < i + 8 && there.push(sent); ++sent) there_signal.notify();
    wake_back.wait([&] { return back.front() != nullptr; }, WakeSignal::TimePoint::max());
    ASSERT_EQ(*back.front(), i);
    back.pop();
  }
  echo.join();
}

TEST(WakeSignal, SaysThatNothingCameByTheDeadline) {
  WakeSignal wake{std::chrono::microseconds(10)};
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(1);
  EXPECT_FALSE(wake.wait([] { return false; }, deadline));
  EXPECT_GE(std::chrono::steady_clock::now(), deadline);
}

TEST(WakeSignal, WakesASleeper) {
  WakeSignal wake{std::chrono::microseconds(10)};
  std::atomic<int> value = 0;
  for (int i = 1; i <= 20; ++i) {
    std::thread notifier([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));  // the waiter is asleep by then
      value.store(i, std::memory_order_seq_cst);
      wake.notify();
    });
    EXPECT_TRUE(wake.wait([&] { return value.load(std::memory_order_seq_cst) == i; },
                          WakeSignal::TimePoint::max()));
    notifier.join();
  }
}

TEST(ThreadTeam, DividesItemsIntoContiguousPartsThatCoverThem) {
  std::thread on_its_own([] {  // the team pins the thread that creates it
    const std::vector<int> cores(3, cores_of_this_thread().front());
    ThreadTeam team(cores);
    EXPECT_EQ(team.threads(), 3);
    for (const Items items : {0, 1, 2, 3, 10, 1001}) {
      std::vector<std::atomic<int>> done(static_cast<std::size_t>(items));
      std::atomic<int> parts = 0;
      team.run(items, [&](Items first, Items count) {
        ++parts;
        for (Items i = first; i < first + count; ++i) ++done[static_cast<std::size_t>(i)];
      });
      for (const auto& count : done) EXPECT_EQ(count, 1);
      EXPECT_LE(parts, 3);
    }
  });
  on_its_own.join();
}

TEST(ThreadTeam, ThrowsWhatAMemberThrewAndGoesOn) {
  std::thread on_its_own([] {
    const std::vector<int> cores(2, cores_of_this_thread().front());
    ThreadTeam team(cores);
    const auto fails_late = [](Items first, Items) {
      if (first > 0) throw std::runtime_error("second half");
    };
    EXPECT_THROW(team.run(10, fails_late), std::runtime_error);
    std::atomic<Items> done = 0;
    team.run(10, [&](Items, Items count) { done += count; });
    EXPECT_EQ(done, 10);
  });
  on_its_own.join();
}

/// The scheduling policy and priority of the calling thread. Ignores SCHED_RESET_ON_FORK, which has
/// no effect on a normal thread and which not every user may clear.
std::pair<int, int> scheduling() {
  sched_param parameter{};
  sched_getparam(0, &parameter);
  return {sched_getscheduler(0) & ~SCHED_RESET_ON_FORK, parameter.sched_priority};
}

/// Whether a thread may have a real-time priority here.
bool may_be_real_time() {
  bool may = false;
  std::thread([&may] {
    const sched_param least{.sched_priority = 1};
    may = sched_setscheduler(0, SCHED_FIFO, &least) == 0;
  }).join();
  return may;
}

TEST(PromptThread, IsScheduledAsBeforeWhenItIsOver) {
  const auto before = scheduling();
  {
    const PromptThread prompt;
    EXPECT_EQ(scheduling(), may_be_real_time() ? std::pair(SCHED_FIFO, 1) : before);
  }
  EXPECT_EQ(scheduling(), before);
}

TEST(PromptThread, PassesNothingOnToThreadsThatItStarts) {
  const auto before = scheduling();
  const PromptThread prompt;
  std::thread([&] { EXPECT_EQ(scheduling(), before); }).join();
}

}  // namespace
}  // namespace equipoise::waiting_test
