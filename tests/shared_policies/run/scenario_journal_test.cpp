// Tests of the events that a journal holds about the scenario of its run.
#include "shared_policies/run/inserting_journals.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/disturb.hpp"
#include "tests/support/scripted.hpp"

namespace equipoise::scenario_journal_test {
namespace {

Scenario two_disturbances() {
  Scenario scenario;
  scenario.events = {
      disturb(DisturbanceKind::fail, "u1", 3.0),
      disturb(DisturbanceKind::compete, "u0", 1.0, 0.25, Seconds{2.0}),
  };
  return scenario;
}

std::vector<std::string> words(const MemoryJournal& journal) {
  std::vector<std::string> list;
  for (const EventRecord& event : journal.events) list.emplace_back(word_of(event.what));
  return list;
}

TEST(ScenarioJournal, WritesEveryDisturbanceBeforeWhatComesAfterIt) {
  const Scenario scenario = two_disturbances();
  MemoryJournal memory;
  ScenarioJournal journal(scenario, memory);
  journal.event({Seconds{0.0}, IterationBegin{}});
  journal.block({.unit = UnitId{0},
                 .block = {},
                 .assigned = {},
                 .times = {},
                 .begins = {},
                 .end = Seconds{0.5}});
  EXPECT_EQ(words(memory), (std::vector<std::string>{"iteration_started"}));
  journal.block({.unit = UnitId{0},
                 .block = {},
                 .assigned = {},
                 .times = {},
                 .begins = {},
                 .end = Seconds{1.5}});
  EXPECT_EQ(words(memory), (std::vector<std::string>{"iteration_started", "compete"}));
  journal.measured({Seconds{2.0}, "package-0", "energy_j", 5.0});
  ASSERT_EQ(memory.measurements.size(), 1U);
  EXPECT_EQ(memory.measurements[0].domain, "package-0");
  EXPECT_EQ(memory.measurements[0].value, 5.0);
  // At equal times the cause comes first.
  journal.event({Seconds{3.0}, UnitLost{UnitId{1}}});
  EXPECT_EQ(words(memory),
            (std::vector<std::string>{"iteration_started", "compete", "fail", "unit_lost"}));
  EXPECT_EQ(memory.events[1].at, Seconds{1.0});
  EXPECT_EQ(std::get<Disturbance>(memory.events[1].what).target, "u0");
  EXPECT_EQ(memory.blocks.size(), 2U);
}

TEST(ScenarioJournal, LeavesOutWhatComesAfterTheRun) {
  const Scenario scenario = two_disturbances();
  MemoryJournal memory;
  ScenarioJournal journal(scenario, memory);
  journal.decision({Seconds{2.0}, {}, {}, {}});
  EXPECT_EQ(words(memory), (std::vector<std::string>{"compete"}));
  EXPECT_EQ(memory.decisions.size(), 1U);
}

}  // namespace
}  // namespace equipoise::scenario_journal_test
