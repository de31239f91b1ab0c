// Tests of child processes that end normally, end with an error, or do not end.
#include "sim/child_process.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

namespace equipoise::child_process_test {
namespace {

TEST(ChildProcess, BringsBackItsOutputHoweverLong) {
  const std::string text(3'000'000, 'x');  // more than a pipe holds
  ChildProcess child([&](int fd) { return write_all(fd, text) ? 0 : 1; });
  const ChildProcess::Outcome outcome = child.wait();
  EXPECT_TRUE(outcome.succeeded());
  EXPECT_EQ(outcome.output, text);
}

TEST(ChildProcess, TellsHowItEnded) {
  EXPECT_EQ(ChildProcess([](int) { return 3; }).wait().exit_code, 3);
  EXPECT_EQ(ChildProcess([](int) -> int { throw std::runtime_error("no"); }).wait().exit_code, 70);
  const ChildProcess::Outcome killed = ChildProcess([](int fd) {
                                         write_all(fd, "before");
                                         return ::raise(SIGKILL);
                                       }).wait();
  EXPECT_EQ(killed.signal, SIGKILL);
  EXPECT_EQ(killed.output, "before");
  EXPECT_FALSE(killed.succeeded());
}

TEST(ChildProcess, OneThatDiesLeavesTheOthersAlone) {
  ChildProcess good([](int fd) { return write_all(fd, "good") ? 0 : 1; });
  ChildProcess bad([](int) -> int { ::abort(); });
  ChildProcess late([](int fd) { return write_all(fd, "late") ? 0 : 1; });
  EXPECT_EQ(bad.wait().signal, SIGABRT);
  EXPECT_EQ(late.wait().output, "late");
  EXPECT_EQ(good.wait().output, "good");
}

TEST(ChildProcess, IsKilledWhenNobodyWaitsForIt) {
  pid_t pid = 0;
  {
    ChildProcess child([](int) { return ::pause(); });
    ChildProcess moved = std::move(child);
    pid = moved.pid();
    EXPECT_EQ(::kill(pid, 0), 0);
  }
  EXPECT_EQ(::kill(pid, 0), -1);
  EXPECT_EQ(errno, ESRCH);
}

TEST(ChildProcess, DiesWithItsParent) {
  // A grandchild holds a pipe open, and its parent is killed. The pipe is closed when the
  // grandchild is dead, too.
  std::array<int, 2> held{};
  ASSERT_EQ(::pipe(held.data()), 0);
  ChildProcess parent([](int) {
    const ChildProcess grandchild([](int) { return ::pause(); });
    return ::raise(SIGKILL);
  });
  ::close(held[1]);
  EXPECT_EQ(parent.wait().signal, SIGKILL);
  char byte = 0;
  EXPECT_EQ(::read(held[0], &byte, 1), 0);
  ::close(held[0]);
}

TEST(ChildProcess, GivesWhatThereIsWithoutWaiting) {
  ChildProcess child([](int fd) {
    write_all(fd, "one");
    return ::pause();
  });
  EXPECT_TRUE(child.receive());  // the child is still running
  ::kill(child.pid(), SIGTERM);
  while (child.receive()) std::this_thread::yield();
  const ChildProcess::Outcome outcome = child.wait();
  EXPECT_EQ(outcome.signal, SIGTERM);
}

TEST(ChildProcess, ThatNeverStopsWritingLeavesItsParentTimeForOtherThings) {
  ChildProcess child([](int fd) {
    const std::string text(ChildProcess::most_received, 'x');
    for (int i = 0; i < 2000; ++i) write_all(fd, text);
    return 0;
  });
  for (int i = 0; i < 20; ++i) {
    while (child.receive() && child.take_received().empty()) std::this_thread::yield();
    EXPECT_TRUE(child.receive());
    EXPECT_LE(child.take_received().size(), ChildProcess::most_received);
  }
}

}  // namespace
}  // namespace equipoise::child_process_test
