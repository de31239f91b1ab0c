// Tests of Decisions: requests are granted at once, and a policy is charged for its own time only.
#include "shared_policies/model/decision.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "shared_policies/contract/fake_executor.hpp"
#include "shared_policies/model/failure.hpp"
#include "shared_policies/run/metrics.hpp"
#include "shared_policies/run/run_loop.hpp"
#include "tests/support/scripted.hpp"

namespace equipoise::decisions_test {
namespace {

TEST(Decisions, GrantsAtOnceAndSaysHowMuch) {
  // 23 items in grains of 5. A request for 7 gets one grain. A request for 12 would be two grains,
  // but memory holds one. Then 13 items are left, and the last block also takes the 3 items that
  // are less than a grain.
  std::vector<Items> granted;
  std::vector<Items> left;
  Scripted policy([&](const View& view, const Event& event, Decisions& decisions) {
    if (!std::holds_alternative<IterationStarted>(event.what)) return;
    for (const auto& [unit, items] :
         {std::pair<std::uint32_t, Items>{0, 7}, {1, 12}, {2, 9}, {0, 0}, {0, 100}, {0, 1}}) {
      granted.push_back(decisions.assign(UnitId{unit}, items));
      left.push_back(view.remaining());
    }
    EXPECT_EQ(view.outstanding(), 3U);
    ASSERT_EQ(view.unit(UnitId{0}).outstanding.size(), 2U);
    EXPECT_EQ(view.unit(UnitId{0}).outstanding.back().block.items, 13);
  });
  RunSetup setup = setup_of(3, items_of(23, 5));
  setup.phases[0].memory_bytes_per_item = 1.0;
  setup.units[1].memory_bytes = 9.0;
  setup.absent_at_start = {UnitId{2}};
  auto executor =
      make_fake_executor({{affine_unit(0, 1), affine_unit(0, 1), affine_unit(0, 1)}, {}, {}});
  MemoryJournal journal;
  EXPECT_TRUE(run_policy(*executor, policy, setup, journal).complete);
  EXPECT_EQ(granted, (std::vector<Items>{5, 5, 0, 0, 13, 0}));
  EXPECT_EQ(left, (std::vector<Items>{18, 13, 13, 13, 0, 0}));
}

TEST(Decisions, GrantsNothingBeforeAnIterationStarts) {
  Items granted = 0;
  Scripted policy([&](const View&, const Event& event, Decisions& decisions) {
    if (std::holds_alternative<RunStarted>(event.what) ||
        std::holds_alternative<PhaseStarted>(event.what)) {
      granted += decisions.assign(UnitId{0}, 3);
    } else if (const auto* idle = std::get_if<UnitIdle>(&event.what)) {
      decisions.assign(idle->unit, 10);
    }
  });
  auto executor = make_fake_executor({{affine_unit(0, 1)}, {}, {}});
  MemoryJournal journal;
  EXPECT_TRUE(run_policy(*executor, policy, setup_of(1, items_of(10)), journal).complete);
  EXPECT_EQ(granted, 0);
}

/// A clock that advances only when the test adds time.
struct WorkedTime {
  Seconds now;
};

/// A decision costs the time on `clock` since `begin` or the last decision, without pauses.
class WorkedPrice : public CostMeter {
 public:
  explicit WorkedPrice(const WorkedTime& clock) : clock_(clock) {}
  void begin(int /*phase*/) override {
    spent_ = {};
    since_ = clock_.now;
  }
  void pause() override { spent_ += clock_.now - since_; }
  void resume() override { since_ = clock_.now; }
  Seconds price(const Decision&) override { return take_spent(); }

 protected:
  Seconds take_spent() { return std::exchange(spent_, {}); }

 private:
  const WorkedTime& clock_;
  Seconds since_;
  Seconds spent_;
};

TEST(Decisions, ChargesAPolicyForItsOwnTimeOnly) {
  // The policy works for 1 s and has a block begun, which takes the executor 10 s. It works for 2 s
  // and decides: 3 s. Its work after that counts for the next decision in the same answer: 4 s.
  WorkedTime clock;
  class SlowToBegin final : public Executor {
   public:
    SlowToBegin(std::unique_ptr<Executor> next, WorkedTime& clock)
        : next_(std::move(next)), clock_(clock) {}
    void run(const std::function<void()>& body) override { next_->run(body); }
    Seconds now() const override { return next_->now(); }
    Seconds begin_iteration(int phase, int iteration) override {
      clock_.now += Seconds{1000};
      return next_->begin_iteration(phase, iteration);
    }
    Seconds start(const Block& block, UnitId unit) override {
      clock_.now += Seconds{10};
      return next_->start(block, unit);
    }
    TakenBack take_back(const Block& block, UnitId unit) override {
      return next_->take_back(block, unit);
    }
    Seconds probe(const Probe& probe, UnitId unit) override { return next_->probe(probe, unit); }
    Seconds occupy(std::optional<UnitId> unit, Seconds span) override {
      clock_.now += Seconds{100};
      return next_->occupy(unit, span);
    }
    std::optional<Event> next(Seconds deadline) override { return next_->next(deadline); }

   private:
    std::unique_ptr<Executor> next_;
    WorkedTime& clock_;
  } executor(make_fake_executor({{affine_unit(0, 1)}, {}, {}}), clock);
  Scripted policy([&](const View&, const Event& event, Decisions& decisions) {
    clock.now += Seconds{1};
    const auto* idle = std::get_if<UnitIdle>(&event.what);
    if (idle == nullptr) return;
    decisions.assign(idle->unit, 10);
    clock.now += Seconds{2};
    decisions.decided({std::nullopt, DecisionKind::fit, {}});
    clock.now += Seconds{4};
    decisions.decided({std::nullopt, DecisionKind::fit, {}});
  });
  WorkedPrice meter(clock);
  RunSetup setup = setup_of(1, items_of(10));
  setup.cost_meter = &meter;
  MemoryJournal journal;
  EXPECT_TRUE(run_policy(executor, policy, setup, journal).complete);
  ASSERT_EQ(journal.decisions.size(), 2U);
  EXPECT_DOUBLE_EQ(journal.decisions[0].cost.value, 3.0);
  EXPECT_DOUBLE_EQ(journal.decisions[1].cost.value, 4.0);
}

/// Reports a decision of this kind of its own when the run starts.
RunOutcome deciding(const std::string& word, MemoryJournal& journal) {
  Scripted policy([&](const View&, const Event& event, Decisions& decisions) {
    if (std::holds_alternative<RunStarted>(event.what)) {
      decisions.decided({{}, OwnDecisionKind{word}, {}});
    }
    if (const auto* idle = std::get_if<UnitIdle>(&event.what)) decisions.assign(idle->unit, 10);
  });
  auto executor = make_fake_executor({{affine_unit(0, 1)}, {}, {}});
  return run_policy(*executor, policy, setup_of(1, items_of(10)), journal);
}

TEST(Decisions, MayBeOfAPolicysOwnKindUnlessItIsSpelledLikeOneOfOurs) {
  MemoryJournal journal;
  EXPECT_TRUE(deciding("guess", journal).complete);
  ASSERT_EQ(journal.decisions.size(), 1U);
  EXPECT_EQ(decision_word(journal.decisions[0].decision.what), "guess");
  EXPECT_THROW(static_cast<void>(deciding("rebalance", journal)), InputError);
  EXPECT_EQ(journal.decisions.size(), 1U);
}

TEST(Decisions, HaveKindsThatAreFoundByTheWordsThatTheyAreWrittenWith) {
  EXPECT_EQ(decision_word(DecisionKind::rebalance), "rebalance");
  for (const Word<DecisionKind>& one : words(DescriptionOf<DecisionKind>{})) {
    EXPECT_EQ(decision_word(one.value), one.word);
    EXPECT_EQ(decision_called(one.word), AnyDecisionKind(one.value)) << one.word;
  }
  EXPECT_EQ(decision_called("guess"), AnyDecisionKind(OwnDecisionKind{"guess"}));
}

/// The same, and whatever else a call does costs its time, too.
class EveryCallsPrice final : public WorkedPrice {
 public:
  using WorkedPrice::WorkedPrice;
  Seconds price_answer(bool) override { return take_spent(); }
};

TEST(Decisions, ChargesEveryCallOfAPolicyThatReportsNoDecision) {
  // The policy works for 1 s before it hands out a block and for 2 s after it, and learns for 4 s
  // from each finish. Block 0 is handed out at 1 s and ends at 11 s, after the master is free again
  // at 3 s. The master learns until 15 s and hands out block 1 at 16 s, which ends at 26 s.
  WorkedTime clock;
  Scripted policy([&](const View& view, const Event& event, Decisions& decisions) {
    if (std::holds_alternative<BlockFinished>(event.what)) clock.now += Seconds{4};
    const auto* idle = std::get_if<UnitIdle>(&event.what);
    if (idle == nullptr) return;
    clock.now += Seconds{1};
    decisions.assign(UnitId{1}, 10);  // it is absent: nothing is handed out, nothing is charged yet
    decisions.assign(idle->unit, 10);
    EXPECT_EQ(view.now(), view.unit(idle->unit).outstanding.back().assigned);
    clock.now += Seconds{2};
  });
  EveryCallsPrice meter(clock);
  RunSetup setup = setup_of(2, items_of(20));
  setup.cost_meter = &meter;
  setup.absent_at_start = {UnitId{1}};
  auto executor = make_fake_executor({{affine_unit(0, 1), affine_unit(0, 1)}, {}, {}});
  MemoryJournal journal;
  ASSERT_TRUE(run_policy(*executor, policy, setup, journal).complete);
  ASSERT_EQ(journal.blocks.size(), 2U);
  EXPECT_EQ(journal.blocks[0].assigned, Seconds{1});
  EXPECT_EQ(journal.blocks[0].end, Seconds{11});
  EXPECT_EQ(journal.blocks[1].assigned, Seconds{16});
  EXPECT_EQ(journal.blocks[1].end, Seconds{26});
  EXPECT_TRUE(journal.decisions.empty());
  ASSERT_EQ(journal.measurements.size(), 2U);
  Metrics metrics(setup.units);
  for (const Measured& record : journal.measurements) metrics.measured(record);
  EXPECT_EQ(metrics.numbers().decisions, 0U);
  EXPECT_EQ(metrics.numbers().decisions_total, Seconds{14});
  EXPECT_EQ(metrics.numbers().decisions_max, Seconds{4});
}

}  // namespace
}  // namespace equipoise::decisions_test
