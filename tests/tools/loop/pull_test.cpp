// Tests of loops whose blocks threads of the program take, in C++ and by the six calls for C.
#include <equipoise/chunks.h>
#include <gtest/gtest.h>
#include <equipoise/loop.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/run_lines.hpp"
#include "tests/support/temporary_folder.hpp"

namespace equipoise::pull_test {
namespace {

/// How often each item was done.
class Counts {
 public:
  explicit Counts(std::size_t items) : counts_(items) {}
  void add(const Range& range) {
    for (std::int64_t i = range.first; i < range.first + range.count; ++i) {
      ++counts_[static_cast<std::size_t>(i)];
    }
  }
  void expect_once() const {
    for (std::size_t i = 0; i < counts_.size(); ++i) ASSERT_EQ(counts_[i], 1) << i;
  }

 private:
  std::vector<std::atomic<int>> counts_;
};

TEST(Pull, GivesEachItemToOneOfTheThreads) {
  const TemporaryFolder folder;
  Counts counts(100'000);
  Loop loop{{.name = "pulled", .items = 100'000, .grain = 10}};
  Pull pull = loop.pull({"fast", "slow"}, {.policy = "fac2", .out = folder.path("run.jsonl")});
  std::vector<std::thread> threads;
  for (std::size_t unit = 0; unit < 2; ++unit) {
    threads.emplace_back([&, unit] {
      while (const auto range = pull.next(unit)) {
        counts.add(*range);
        pull.done(unit);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  const Summary summary = pull.finish();
  counts.expect_once();
  EXPECT_EQ(summary.units[0].items + summary.units[1].items, 100'000);
  EXPECT_EQ(summary.units[0].name, "fast");
  expect_covered(json_lines(folder.path("run.jsonl")), 100'000);
}

TEST(Pull, WantsToKnowOfEachBlockWhetherItIsDone) {
  Loop loop{{.name = "pulled", .items = 1000}};
  Pull pull = loop.pull({"only"}, {.policy = "gss"});
  EXPECT_FALSE(pull.done(0)) << "there is no block yet";
  EXPECT_TRUE(pull.next(0).has_value());
  EXPECT_THROW(static_cast<void>(pull.next(0)), std::logic_error);
  EXPECT_TRUE(pull.done(0));
  EXPECT_FALSE(pull.done(0));
  while (pull.next(0)) pull.done(0);
  EXPECT_EQ(pull.finish().units[0].items, 1000);
  EXPECT_THROW(static_cast<void>(pull.next(1)), std::out_of_range);
}

TEST(Pull, CountsTheFirstOfTwoThatDoTheSameItems) {
  std::atomic<int> counted = 0;
  Loop loop{{.name = "pulled", .items = 64, .iterations = 3}};
  Pull pull = loop.pull({"fast", "slow"}, {.policy = "greedy:backup=on", .further = {"--quiet"}});
  std::vector<std::thread> threads;
  for (std::size_t unit = 0; unit < 2; ++unit) {
    threads.emplace_back([&, unit] {
      while (const auto range = pull.next(unit)) {
        std::this_thread::sleep_for(std::chrono::microseconds(unit == 0 ? 100 : 5000));
        if (pull.done(unit)) counted += static_cast<int>(range->count);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  static_cast<void>(pull.finish());
  EXPECT_EQ(counted, 3 * 64);
}

TEST(Pull, GivesBlocksOfAThreadThatLeavesToTheOthers) {
  Counts counts(1000);
  Loop loop{{.name = "pulled", .items = 1000}};
  Pull pull = loop.pull({"stays", "leaves"}, {.policy = "gss", .further = {"--quiet"}});
  std::thread leaves([&] {
    const auto range = pull.next(1);
    EXPECT_TRUE(range.has_value());
    pull.leave(1);
    EXPECT_FALSE(pull.next(1).has_value());
  });
  leaves.join();
  while (const auto range = pull.next(0)) {
    counts.add(*range);
    pull.done(0);
  }
  const Summary summary = pull.finish();
  counts.expect_once();
  EXPECT_EQ(summary.lost, std::vector<std::string>{"leaves"});
}

TEST(Pull, GivesAgainWhatCouldNotBeDone) {
  Counts counts(1000);
  Loop loop{{.name = "pulled", .items = 1000}};
  Pull pull = loop.pull({"only"}, {.policy = "gss"});
  bool has_failed = false;
  while (const auto range = pull.next(0)) {
    if (!std::exchange(has_failed, true)) {
      pull.failed(0, "no room");
      continue;
    }
    counts.add(*range);
    pull.done(0);
  }
  EXPECT_GT(pull.finish().items_redone, 0);
  counts.expect_once();
}

TEST(Pull, DoesNotWaitForAThreadThatStaysAwayWithABlockThatOthersHaveDone) {
  Loop loop{{.name = "pulled", .items = 40}};
  Pull pull = loop.pull({"works", "away"}, {.policy = "greedy:backup=on",
                                            .further = {"--block-timeout", "0.2s", "--quiet"}});
  EXPECT_TRUE(pull.next(1).has_value());
  while (pull.next(0)) pull.done(0);
  const Summary summary = pull.finish();
  EXPECT_EQ(summary.units[0].items, 40);
  EXPECT_EQ(summary.calls_left, 1);
  EXPECT_FALSE(pull.done(1));
}

TEST(Pull, EndsWhenItIsDestroyedBeforeItsEnd) {
  Loop loop{{.name = "pulled", .items = 1000}};
  {
    Pull pull = loop.pull({"a", "b"}, {.policy = "ss", .further = {"--quiet"}});
    EXPECT_TRUE(pull.next(0).has_value());
  }
  Pull again = loop.pull({"a"}, {.policy = "gss"});
  while (again.next(0)) again.done(0);
  EXPECT_EQ(again.finish().units[0].items, 1000);
}

TEST(Pull, SaysWhyItCannotBegin) {
  Loop loop{{.name = "pulled", .items = 1000}};
  const auto code_of = [&](const std::vector<std::string>& units, const LoopOptions& options) {
    try {
      static_cast<void>(loop.pull(units, options));
    } catch (const Error& error) {
      return error.exit_code();
    }
    return 0;
  };
  EXPECT_EQ(code_of({}, {}), 2);
  EXPECT_EQ(code_of({"a", "a"}, {}), 2);
  EXPECT_EQ(code_of({"a b"}, {}), 2);
  EXPECT_EQ(code_of({"a"}, {.policy = "gsss"}), 2);
  EXPECT_EQ(code_of({"a"}, {.units = {"cpu"}}), 2);
  EXPECT_EQ(code_of({"a"}, {.record = "t.jsonl"}), 2);
}

TEST(Pull, RepeatsIterationsWithTheSameThreads) {
  std::atomic<int> items = 0;
  std::vector<int> steps;
  Loop loop{{.name = "pulled", .items = 300, .iterations = 4}};
  loop.between([&](int iteration) { steps.push_back(iteration); });
  Pull pull = loop.pull({"a", "b"}, {.policy = "gss"});
  std::vector<std::thread> threads;
  for (std::size_t unit = 0; unit < 2; ++unit) {
    threads.emplace_back([&, unit] {
      while (const auto range = pull.next(unit)) {
        if (pull.done(unit)) items += static_cast<int>(range->count);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  static_cast<void>(pull.finish());
  EXPECT_EQ(items, 1200);
  EXPECT_EQ(steps, (std::vector<int>{1, 2, 3}));
}

TEST(Chunks, CoverALoopThatBeginsAnywhere) {
  Counts counts(1000);
  equipoise_chunks* const chunks = equipoise_setup("chunks", 3, "af", nullptr);
  ASSERT_NE(chunks, nullptr);
  for (int round = 0; round < 2; ++round) {
    Counts of_round(1000);
    ASSERT_EQ(equipoise_start_loop(chunks, 500, 1000), 0) << equipoise_failure(chunks);
    std::vector<std::thread> threads;
    for (int unit = 0; unit < 3; ++unit) {
      threads.emplace_back([&, unit] {
        while (equipoise_terminated(chunks, unit) == 0) {
          long long first = 0;
          long long count = 0;
          EXPECT_EQ(equipoise_start_chunk(chunks, unit, &first, &count), 0);
          of_round.add({first - 500, count});
          EXPECT_EQ(equipoise_end_chunk(chunks, unit), 1);
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    double makespan_s = 0.0;
    EXPECT_EQ(equipoise_end_loop(chunks, &makespan_s), 0) << equipoise_failure(chunks);
    EXPECT_GT(makespan_s, 0.0);
    of_round.expect_once();
  }
  equipoise_free(chunks);
}

TEST(Chunks, SayWhyALoopCannotBegin) {
  equipoise_chunks* const chunks = equipoise_setup("chunks", 1, nullptr, nullptr);
  EXPECT_EQ(equipoise_end_loop(chunks, nullptr), 2);
  EXPECT_STREQ(equipoise_failure(chunks), "no loop was started");
  EXPECT_EQ(equipoise_start_loop(chunks, 0, 0), 2);
  EXPECT_NE(std::string(equipoise_failure(chunks)).find("at least one item"), std::string::npos);
  EXPECT_EQ(equipoise_terminated(chunks, 0), 1);
  long long first = 0;
  long long count = 0;
  EXPECT_EQ(equipoise_start_chunk(chunks, 7, &first, &count), 1);
  equipoise_free(chunks);
}

}  // namespace
}  // namespace equipoise::pull_test
