// Messages between ranks that are threads: their order, long ones, and who is there.
#include "real/nodes/communicator.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <functional>
#include <future>
#include <mutex>
#include <string>
#include <vector>

#include "shared_policies/model/failure.hpp"
#include "tests/real/nodes/thread_ranks.hpp"

namespace equipoise::communicator_test {
namespace {

using std::chrono::milliseconds;

/// Sends what it is told to and keeps what comes.
class Client final : public CommunicatorClient {
 public:
  explicit Client(Communicator& communicator) : communicator_(communicator) {}
  ~Client() override { communicator_.serve(nullptr); }

  void tell(int to, std::string message) {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      to_send_.emplace_back(to, std::move(message));
    }
    communicator_.wake();
  }
  /// The messages, once there are as many.
  std::vector<std::string> await(std::size_t count) {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait_for(lock, std::chrono::seconds(20), [&] { return come_.size() >= count; });
    return come_;
  }
  std::vector<std::string> await_loss() {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait_for(lock, std::chrono::seconds(20), [&] { return !lost_.empty(); });
    return lost_;
  }

  void message(int from, std::string_view message) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    come_.push_back(std::to_string(from) + ":" + std::string(message));
    changed_.notify_all();
  }
  /// Lets the communicator's thread call `task`.
  void in_thread(std::function<void()> task) {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      tasks_.push_back(std::move(task));
    }
    communicator_.wake();
  }
  bool has_work() override {
    const std::lock_guard<std::mutex> lock(mutex_);
    return !to_send_.empty() || !tasks_.empty();
  }
  bool serve() override {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (to_send_.empty() && tasks_.empty()) return false;
    for (const auto& task : std::exchange(tasks_, {})) task();
    for (auto& [to, message] : std::exchange(to_send_, {})) {
      communicator_.post(to, std::move(message));
    }
    return true;
  }
  void lost(int rank, const std::string& why) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    lost_.push_back(std::to_string(rank) + ": " + why);
    changed_.notify_all();
  }

 private:
  Communicator& communicator_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::pair<int, std::string>> to_send_;
  std::vector<std::function<void()>> tasks_;
  std::vector<std::string> come_;
  std::vector<std::string> lost_;
};

TEST(Communicator, KeepsTheOrderOfShortAndLongMessages) {
  ThreadRanks ranks(2);
  const auto node = communicator_of(ranks, 1);
  const auto master = communicator_of(ranks, 0);
  Client here(*master);
  Client there(*node);
  master->serve(&here);
  node->serve(&there);
  std::vector<std::string> expected;
  for (int i = 0; i < 30; ++i) {
    std::string message = std::to_string(i);
    if (i % 7 == 3) message += std::string(50'000 + i, 'x');
    expected.push_back("0:" + message);
    here.tell(1, std::move(message));
  }
  EXPECT_EQ(there.await(30), expected);
}

TEST(Communicator, KeepsMessagesThatComeBeforeItHasAClient) {
  ThreadRanks ranks(2);
  const auto node = communicator_of(ranks, 1);
  const auto master = communicator_of(ranks, 0);
  Client here(*master);
  master->serve(&here);
  here.tell(1, "early");
  std::this_thread::sleep_for(milliseconds(30));
  Client there(*node);
  node->serve(&there);
  EXPECT_EQ(there.await(1), std::vector<std::string>{"0:early"});
}

TEST(Communicator, NamesARankThatIsAnotherBuild) {
  ThreadRanks ranks(3);
  const auto first = communicator_of(ranks, 1);
  const auto second = communicator_of(ranks, 2, "older");
  try {
    static_cast<void>(communicator_of(ranks, 0));
    FAIL() << "it took part";
  } catch (const BackendError& refused) {
    EXPECT_EQ(std::string(refused.what()),
              "rank 2 (host2) is another build of the program; start the same one everywhere");
  }
}

TEST(Communicator, NoticesARankThatFallsSilent) {
  ThreadRanks ranks(2);
  const auto node = communicator_of(ranks, 1, "tests", milliseconds(300));
  const auto master = communicator_of(ranks, 0, "tests", milliseconds(300));
  Client here(*master);
  Client there(*node);
  master->serve(&here);
  node->serve(&there);
  master->watch_closely(true);
  node->watch_closely(true);
  ranks.silence(1);
  const std::vector<std::string> lost = here.await_loss();
  ASSERT_EQ(lost.size(), 1U);
  EXPECT_TRUE(lost[0].starts_with("1: nothing was heard of it for 0.3")) << lost[0];
  EXPECT_EQ(there.await_loss().size(), 1U) << "and the node sees that the master is gone";
  EXPECT_FALSE(master->leave(true)) << "not without that rank";
}

TEST(Communicator, DoesNotTakeARankForLostThatHasLeft) {
  ThreadRanks ranks(2);
  const auto node = communicator_of(ranks, 1, "tests", milliseconds(300));
  const auto master = communicator_of(ranks, 0, "tests", milliseconds(300));
  Client here(*master);
  master->serve(&here);
  master->watch_closely(true);
  auto is_orderly = std::async(std::launch::async, [&node] { return node->leave(true); });
  EXPECT_EQ(here.await_loss(), std::vector<std::string>{"1: it has ended"});
  std::this_thread::sleep_for(milliseconds(700));
  EXPECT_TRUE(master->leave(true));
  EXPECT_TRUE(is_orderly.get());
}

TEST(Communicator, LeavesWithoutARankThatFallsSilentMeanwhileAndTellsAll) {
  ThreadRanks ranks(3);
  const auto first = communicator_of(ranks, 1, "tests", milliseconds(300));
  const auto second = communicator_of(ranks, 2, "tests", milliseconds(300));
  const auto master = communicator_of(ranks, 0, "tests", milliseconds(300));
  auto of_first = std::async(std::launch::async, [&first] { return first->leave(true); });
  auto of_master = std::async(std::launch::async, [&master] { return master->leave(true); });
  EXPECT_EQ(of_master.wait_for(milliseconds(100)), std::future_status::timeout)
      << "it waits for the second rank, which is there";
  ranks.silence(2);
  EXPECT_FALSE(of_master.get());
  EXPECT_FALSE(of_first.get());
}

TEST(Communicator, TellsARankThatServesThatTheMasterWillLeave) {
  ThreadRanks ranks(2);
  const auto node = communicator_of(ranks, 1);
  const auto master = communicator_of(ranks, 0);
  Client there(*node);
  node->serve(&there);
  auto of_master = std::async(std::launch::async, [&master] { return master->leave(true); });
  EXPECT_EQ(there.await_loss(), std::vector<std::string>{"0: it has ended"});
  node->serve(nullptr);
  EXPECT_TRUE(node->leave(true));
  EXPECT_TRUE(of_master.get());
}

TEST(Communicator, LeavesDisorderlyWhereAnotherRankDoes) {
  ThreadRanks ranks(2);
  const auto node = communicator_of(ranks, 1);
  const auto master = communicator_of(ranks, 0);
  EXPECT_FALSE(node->leave(false));
  EXPECT_FALSE(master->leave(true));
}

TEST(Communicator, CallsNothingOfAClientThatItServesNoMore) {
  ThreadRanks ranks(2);
  const auto node = communicator_of(ranks, 1);
  const auto master = communicator_of(ranks, 0);
  std::vector<std::byte> sent(100'000);
  std::vector<std::byte> room(100'000);
  std::atomic<bool> is_called = false;
  {
    Client here(*master);
    master->serve(&here);
    std::atomic<bool> is_expected = false;
    here.in_thread([&] {
      master->receive(1, room, nullptr, [&] { is_called = true; });
      is_expected = true;
    });
    while (!is_expected) std::this_thread::sleep_for(milliseconds(1));
  }
  Client there(*node);
  node->serve(&there);
  there.in_thread([&] { node->send(0, sent, nullptr); });
  std::this_thread::sleep_for(milliseconds(100));
  EXPECT_FALSE(is_called);
}

TEST(Communicator, ComparesTheClocksOfAllRanks) {
  ThreadRanks ranks(3);
  const auto first = communicator_of(ranks, 1);
  const auto second = communicator_of(ranks, 2);
  const auto master = communicator_of(ranks, 0);
  master->await_clocks(std::chrono::seconds(20));
  for (const int rank : {1, 2}) {
    const ClockOffset::Estimate clock = master->clock_of(rank);
    EXPECT_GE(clock.exchanges, 20);
    // They are one clock.
    EXPECT_LE(std::abs(clock.ahead_ns), clock.error_ns + 1.0);
  }
}

}  // namespace
}  // namespace equipoise::communicator_test
