// Tests of units that keep a block for too long, with computed dates and with SimGrid activities.
// The real executor passes the second test with the same times (tests/real/scenario_test.cpp).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "tests/support/disturb.hpp"
#include "tests/support/scripted.hpp"
#include "tests/support/sim_platforms.hpp"
#include "tests/support/simulate.hpp"

namespace equipoise::block_timeout_test {
namespace {

/// Units that compute an item in `item_s` and copy nothing.
SimSetup units_of(const std::vector<double>& item_s, BlockTimeout timeout) {
  TestPlatform platform;
  for (const double s : item_s) platform.units.push_back({0.0, s});
  SimSetup setup = sim_setup(platform, {items_of(100)});
  setup.costs[0].dispatch = Seconds{};
  setup.block_timeout = timeout;
  return setup;
}

SimSetup units_of(const std::vector<double>& item_s, double timeout_s) {
  return units_of(item_s, BlockTimeout::fixed(Seconds{timeout_s}));
}

/// The events of `setup` if `blocks` blocks of one item are given to each unit: "0 ends at 1.5",
/// "0 lost at 2.5", "0 joins at 3".
std::vector<std::string> events_of(SimSetup setup, int blocks) {
  const auto script = [&](Executor& executor, Seen& seen) {
    std::uint64_t id = 0;
    executor.begin_iteration(0, 0);
    for (std::uint32_t p = 0; p < setup.platform.units.size(); ++p) {
      for (int i = 0; i < blocks; ++i) {
        const std::uint64_t next = id++;
        executor.start({.id = next, .first = static_cast<Items>(next), .items = 1}, {p});
      }
    }
    while (const auto event = executor.next(Seconds::infinity())) {
      const auto* finished = std::get_if<BlockFinished>(&event->what);
      const auto* lost = std::get_if<UnitLost>(&event->what);
      const UnitId unit = finished != nullptr ? finished->unit
                          : lost != nullptr   ? lost->unit
                                              : std::get<UnitJoined>(event->what).unit;
      const double what = finished != nullptr ? 0.0 : lost != nullptr ? 1.0 : 2.0;
      seen.numbers.insert(seen.numbers.end(), {1.0 * unit.index, what, event->at.value});
    }
  };
  std::vector<std::vector<std::string>> by_mode;
  for (const bool activities_only : {false, true}) {
    setup.activities_only = activities_only;
    const Seen seen = simulate(setup, script);
    std::vector<std::string>& texts = by_mode.emplace_back();
    for (std::size_t i = 0; i + 2 < seen.numbers.size(); i += 3) {
      const char* const what = seen.numbers[i + 1] == 0.0   ? "ends"
                               : seen.numbers[i + 1] == 1.0 ? "lost"
                                                            : "joins";
      texts.push_back(fmt::format("{} {} at {:.6g}", seen.numbers[i], what, seen.numbers[i + 2]));
    }
  }
  EXPECT_EQ(by_mode[0], by_mode[1]);
  return by_mode[0];
}

using Events = std::vector<std::string>;

TEST(SimulatedBlockTimeout, LosesAUnitThatKeepsABlock) {
  EXPECT_EQ(events_of(units_of({2.0, 1.0}, 1.5), 1), (Events{"1 ends at 1", "0 lost at 1.5"}));
  EXPECT_EQ(events_of(units_of({2.0, 1.0}, 2.5), 1), (Events{"1 ends at 1", "0 ends at 2"}));
}

TEST(SimulatedBlockTimeout, CountsFromTheLastBlockThatCameBack) {
  // The second block comes back 1.5 s after it was handed out, 0.75 s after the first. From then on
  // the unit is slow.
  SimSetup setup = units_of({0.75}, 1.0);
  setup.scenario.events = {disturb(DisturbanceKind::slow, "u0", 1.5, 100.0)};
  EXPECT_EQ(events_of(std::move(setup), 3),
            (Events{"0 ends at 0.75", "0 ends at 1.5", "0 lost at 2.5"}));
}

TEST(SimulatedBlockTimeout, LetsAScenarioTakeAUnitAwayAtOnceAndBringAnyLostOneBack) {
  SimSetup setup = units_of({10.0, 10.0}, 4.0);
  setup.scenario.events = {disturb(DisturbanceKind::fail, "u0", 1.0, 1.0, Seconds{6.0}),
                           disturb(DisturbanceKind::fail, "u1", 5.0, 1.0, Seconds{7.0})};
  // The second unit has been lost for a second when the scenario takes it away, which is no news.
  EXPECT_EQ(events_of(std::move(setup), 1),
            (Events{"0 lost at 1", "1 lost at 4", "0 joins at 6", "1 joins at 7"}));
}

TEST(SimulatedBlockTimeout, GivesTheBlocksOfALateUnitToTheOthers) {
  // The first unit is lost at 4 s. The other one does its item, too, one of 100 in blocks of 3.
  const Seen seen = simulate_blocks(units_of({5.0, 1.0}, 4.0), {1, 3});
  double end_s = 0.0;
  for (const Finish& finish : seen.finishes) {
    EXPECT_EQ(finish.unit, 1U);
    end_s = finish.at_s;
  }
  EXPECT_NEAR(end_s, 100.0, 1e-9);
}

TEST(SimulatedAutomaticTimeout, LosesASilentUnitAfterTenTimesItsLongestBlockUntilItAnswers) {
  // The first unit does items in 2 s, and from 4 s on a hundred times slower: it is late at 4 + 10
  // * 2 s. It goes on with the two items that are copied in, which takes no time, until 4 + 2 * 200
  // s.
  SimSetup setup = units_of({2.0, 10.0}, BlockTimeout::automatic());
  setup.scenario.events = {disturb(DisturbanceKind::slow, "u0", 4.0, 100.0)};
  EXPECT_EQ(events_of(std::move(setup), 4),
            (Events{"0 ends at 2", "0 ends at 4", "1 ends at 10", "1 ends at 20", "0 lost at 24",
                    "1 ends at 30", "1 ends at 40", "0 joins at 404"}));
}

TEST(SimulatedAutomaticTimeout, DoesNotJudgeSmallBlocksByTheirTimes) {
  // 10 * 0.01 s would be over at 0.12 s; a unit may be silent for 10 s.
  SimSetup setup = units_of({0.01, 8.0}, BlockTimeout::automatic());
  setup.scenario.events = {disturb(DisturbanceKind::slow, "u0", 0.02, 5000.0)};
  EXPECT_EQ(events_of(std::move(setup), 3),
            (Events{"0 ends at 0.01", "0 ends at 0.02", "1 ends at 8", "0 lost at 10.02",
                    "1 ends at 16", "1 ends at 24", "0 joins at 50.02"}));
}

TEST(SimulatedAutomaticTimeout, JudgesAFirstBlockByThoseOfTheOthers) {
  // 10 * 2 s, and the 10 s of the operating system are less.
  EXPECT_EQ(events_of(units_of({40.0, 2.0}, BlockTimeout::automatic()), 2),
            (Events{"1 ends at 2", "1 ends at 4", "0 lost at 20", "0 joins at 80"}));
  EXPECT_EQ(events_of(units_of({19.0, 2.0}, BlockTimeout::automatic()), 1),
            (Events{"1 ends at 2", "0 ends at 19"}));
}

TEST(SimulatedAutomaticTimeout, LosesNobodyIfAllAreLate) {
  SimSetup setup = units_of({1.0, 1.0}, BlockTimeout::automatic());
  for (const char* const unit : {"u0", "u1"}) {
    setup.scenario.events.push_back(disturb(DisturbanceKind::slow, unit, 1.0, 500.0));
  }
  EXPECT_EQ(events_of(std::move(setup), 2),
            (Events{"0 ends at 1", "1 ends at 1", "0 ends at 501", "1 ends at 501"}));
}

TEST(SimulatedAutomaticTimeout, EndsIfNothingCanHappenAnyMore) {
  SimSetup setup = units_of({1.0, 1.0}, BlockTimeout::automatic());
  for (const char* const unit : {"u0", "u1"}) {
    setup.scenario.events.push_back(disturb(DisturbanceKind::fail, unit, 1.5));
  }
  EXPECT_EQ(events_of(std::move(setup), 2),
            (Events{"0 ends at 1", "1 ends at 1", "0 lost at 1.5", "1 lost at 1.5"}));
}

TEST(SimulatedAutomaticTimeout, LetsAScenarioTakeALateUnitAway) {
  // It is late at 11 s; what it does then ends when the scenario takes it away.
  SimSetup setup = units_of({1.0, 9.0}, BlockTimeout::automatic());
  setup.scenario.events = {disturb(DisturbanceKind::slow, "u0", 1.0, 50.0),
                           disturb(DisturbanceKind::fail, "u0", 30.0, 1.0, Seconds{70.0})};
  EXPECT_EQ(events_of(std::move(setup), 2), (Events{"0 ends at 1", "1 ends at 9", "0 lost at 11",
                                                    "1 ends at 18", "0 joins at 70"}));
}

TEST(SimulatedAutomaticTimeout, LosesAUnitThatDoesNotAnswerAProbe) {
  // 50 MB over 100 bytes/s would take 500,000 s. The other unit does an item in 1 s; a probe is
  // allowed 10 s, and 10 MB/s.
  TestPlatform platform;
  platform.units = {{.per_item_s = 1.0, .bandwidth = 100.0}, {.per_item_s = 1.0}};
  SimSetup setup = sim_setup(platform, {items_of(100)});
  setup.costs[0].dispatch = Seconds{};
  setup.block_timeout = BlockTimeout::automatic();
  const Seen seen = simulate(setup, [](Executor& executor, Seen& told) {
    executor.begin_iteration(0, 0);
    static_cast<void>(executor.probe({.there_bytes = 5e7}, UnitId{0}));
    executor.start({.id = 0, .first = 0, .items = 1}, UnitId{1});
    EXPECT_TRUE(std::holds_alternative<BlockFinished>(executor.next(Seconds::infinity())->what));
    const std::optional<Event> lost = executor.next(Seconds{100});
    if (lost && std::holds_alternative<UnitLost>(lost->what)) told.numbers = {lost->at.value};
  });
  EXPECT_EQ(seen.numbers, std::vector<double>{15.0});
}

TEST(SimulatedAutomaticTimeout, DoesTheItemsOfALateUnitOnceByTheOthersAndLetsItWorkAgain) {
  // Both units do an item a second. From 2 s to 32 s the first one does 0.03 of its third item, and
  // the rest by 32.97 s. It is late at 12 s, and takes part again from 32.97 s on. The other one
  // has done 33 items at 33 s, so that 65 of 100 are left with the one that it begins then. The
  // first does 33 of them, until 65.97 s, the other one 32, until 65 s.
  SimSetup setup = units_of({1.0, 1.0}, BlockTimeout::automatic());
  setup.scenario.events = {disturb(DisturbanceKind::slow, "u0", 2.0, 1000.0, Seconds{32.0})};
  const Seen seen = simulate_blocks(setup, {1, 1});
  std::vector<int> items(2);
  double end_s = 0.0;
  for (const Finish& finish : seen.finishes) {
    ++items[finish.unit];
    end_s = finish.at_s;
  }
  EXPECT_EQ(items, (std::vector<int>{35, 65}));
  EXPECT_NEAR(end_s, 65.97, 1e-9);
}

}  // namespace
}  // namespace equipoise::block_timeout_test
