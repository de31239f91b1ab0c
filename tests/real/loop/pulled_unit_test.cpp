// Tests of units whose blocks threads of the user's program take, on the real executor.
#include "real/loop/pulled_unit.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "real/loop/loop_kernel.hpp"
#include "shared_policies/contract/memory_journal.hpp"
#include "tests/support/real_runs.hpp"

namespace equipoise::pulled_unit_test {
namespace {

/// A loop of `items` items that is done `iterations` times, and units of threads for it.
class PulledLoop {
 public:
  PulledLoop(Items items, int iterations, std::size_t units)
      : done_(static_cast<std::size_t>(items)) {
    LoopWork work;
    work.workload.kernel = "pulled";
    work.workload.items = items;
    work.workload.iterations = iterations;
    work.between = [this](int /*iteration*/) { ++steps_; };
    check_and_measure(work);
    std::vector<std::string> names;
    for (std::size_t i = 0; i < units; ++i) {
      names.push_back("t" + std::to_string(i));
      units_.push_back(std::make_unique<PulledUnit>(work.calls));
    }
    setup_.units = pulled_units(names, units_);
    kernel_ = make_loop_kernel(std::make_shared<const LoopWork>(std::move(work)));
    setup_.phases = {kernel_.get()};
  }

  /// Runs in blocks of `block_items`, while a thread for each unit calls `take(unit, number)`.
  template <class Take>
  RunOutcome run(Items block_items, Take&& take) {
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < units_.size(); ++i) {
      threads.emplace_back([this, i, &take] { take(*units_[i], i); });
    }
    const RunOutcome outcome = run_all(setup_, block_items, journal_);
    for (const auto& unit : units_) unit->close();
    for (std::thread& thread : threads) thread.join();
    return outcome;
  }

  void count(const Block& block) {
    for (Items item = block.first; item < block.first + block.items; ++item) {
      ++done_[static_cast<std::size_t>(item)];
    }
  }
  [[nodiscard]] bool is_each_done(int times) const {
    return std::ranges::all_of(done_, [times](const auto& done) { return done == times; });
  }
  [[nodiscard]] int steps() const { return steps_; }

 private:
  std::vector<std::atomic<int>> done_;
  int steps_ = 0;
  std::vector<std::unique_ptr<PulledUnit>> units_;
  std::unique_ptr<Kernel> kernel_;
  RealSetup setup_;
  MemoryJournal journal_;
};

TEST(PulledUnits, DoEachItemOnceInEachIteration) {
  PulledLoop loop(1000, 3, 3);
  const RunOutcome outcome = loop.run(7, [&](PulledUnit& unit, std::size_t /*number*/) {
    while (const auto block = unit.next()) {
      loop.count(*block);
      EXPECT_TRUE(unit.done());
    }
  });
  EXPECT_TRUE(outcome.complete);
  EXPECT_TRUE(loop.is_each_done(3));
  EXPECT_EQ(loop.steps(), 2);
}

TEST(PulledUnits, DoWhatOthersLeave) {
  PulledLoop loop(500, 1, 3);
  const RunOutcome outcome = loop.run(5, [&](PulledUnit& unit, std::size_t number) {
    int blocks = 0;
    while (const auto block = unit.next()) {
      if (number == 1 && ++blocks == 3) return unit.leave("it has enough");
      loop.count(*block);
      unit.done();
    }
  });
  EXPECT_TRUE(outcome.complete);
  EXPECT_TRUE(loop.is_each_done(1));
}

TEST(PulledUnits, GiveBackWhatFails) {
  PulledLoop loop(300, 1, 2);
  std::atomic<int> failures = 0;
  const RunOutcome outcome = loop.run(10, [&](PulledUnit& unit, std::size_t /*number*/) {
    bool has_failed = false;
    while (const auto block = unit.next()) {
      if (!std::exchange(has_failed, true)) {
        ++failures;
        unit.failed("the first one");
        continue;
      }
      loop.count(*block);
      unit.done();
    }
  });
  EXPECT_TRUE(outcome.complete);
  EXPECT_GE(failures, 1);
  EXPECT_TRUE(loop.is_each_done(1));
}

TEST(PulledUnits, HaveNoBlocksWithoutARun) {
  PulledUnit unit(std::make_shared<BodyCalls>());
  std::thread waiting([&] { EXPECT_FALSE(unit.next().has_value()); });
  unit.close();
  waiting.join();
  EXPECT_FALSE(unit.await_begin());
  EXPECT_FALSE(unit.done());
}

}  // namespace
}  // namespace equipoise::pulled_unit_test
