// Tests of units that are lost while no block is under way: for good, and between two iterations.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "shared_policies/contract/fake_executor.hpp"
#include "shared_policies/model/failure.hpp"
#include "sim/child_process.hpp"
#include "tests/support/disturb.hpp"
#include "tests/support/scripted.hpp"
#include "tests/support/sim_platforms.hpp"
#include "tests/support/simulate.hpp"

namespace equipoise::lost_units_test {
namespace {

using Events = std::vector<Disturbance>;

/// One unit that takes 1 s to compute an item; what it copies in over link0 takes no time.
SimSetup one_unit(const Events& events) {
  TestPlatform platform;
  platform.units = {{0.0, 1.0, 0.0, 1e6, 0.0}};
  SimSetup setup = sim_setup(platform, {items_of(1000)});
  setup.scenario.events = events;
  return setup;
}

/// Notes when the unit is said to be lost.
void note_loss(Executor& executor, Seen& seen, Seconds deadline) {
  const std::optional<Event> event = executor.next(deadline);
  if (!event || !std::holds_alternative<UnitLost>(event->what)) return;
  seen.numbers.push_back(event->at.value);
}

/// Expects that the only unit is lost at 0.5 s, and that nothing can happen after it.
void expect_lost_for_good(const Events& events) {
  SimSetup setup = one_unit(events);
  for (const bool activities_only : {false, true}) {
    setup.activities_only = activities_only;
    const Seen seen = simulate(setup, [](Executor& executor, Seen& out) {
      executor.start({.id = 0, .items = 1}, {0});
      note_loss(executor, out, Seconds::infinity());
      out.numbers.push_back(executor.next(Seconds::infinity()) ? 1.0 : 0.0);
    });
    EXPECT_EQ(seen.numbers, (std::vector<double>{0.5, 0.0}));
  }
}

TEST(UnitLostForGood, EndsTheRunThoughALinkChangesAfterIt) {
  const Disturbance failure = disturb(DisturbanceKind::fail, "u0", 0.5);
  expect_lost_for_good({failure, disturb(DisturbanceKind::bandwidth, "link0", 0.75, 0.5)});
  expect_lost_for_good({failure, disturb(DisturbanceKind::bandwidth, "link0", 0.5, 0.5)});
  expect_lost_for_good({failure, disturb(DisturbanceKind::bandwidth, "link0", 0.75, 0.5),
                        disturb(DisturbanceKind::bandwidth, "link0", 1.75, 0.5)});
}

TEST(UnitLostForGood, LetsADeadlineComeThoughALinkChangesBeforeIt) {
  const Seen seen = simulate(one_unit({disturb(DisturbanceKind::fail, "u0", 0.5),
                                       disturb(DisturbanceKind::bandwidth, "link0", 0.75, 0.5)}),
                             [](Executor& executor, Seen& out) {
                               executor.start({.id = 0, .items = 1}, {0});
                               note_loss(executor, out, Seconds{1.0});
                               out.numbers.push_back(executor.next(Seconds{1.0}) ? 1.0 : 0.0);
                               out.numbers.push_back(executor.now().value);
                             });
  EXPECT_EQ(seen.numbers, (std::vector<double>{0.5, 0.0, 1.0}));
}

/// Two iterations of two items on two units that take 1 s for an item, with a merge of 0.5 s
/// between them: from 1 s to 1.5 s. What happens, as a letter, the unit and the time: the journal's
/// events, then the ends of blocks.
std::vector<double> two_iterations(Executor& executor) {
  std::vector<double> happened;
  Scripted policy = pieces_of(1);
  MemoryJournal journal;
  const RunSetup setup = setup_of(2, items_of(2, 1, 2));
  EQ_CHECK(run_policy(executor, policy, setup, journal).complete, "a unit is left");
  const std::map<std::string_view, char> letters = {
      {"iteration_started", 'i'}, {"unit_lost", 'l'}, {"unit_joined", 'j'}, {"block_lost", 'b'}};
  for (const EventRecord& event : journal.events) {
    const std::optional<UnitId> of = unit_of(event.what);
    const double unit = of ? of->index : -1.0;
    happened.insert(happened.end(), {1.0 * letters.at(word_of(event.what)), unit, event.at.value});
  }
  for (const BlockRecord& block : journal.blocks) {
    happened.insert(happened.end(), {'f', 1.0 * block.unit.index, block.end.value});
  }
  return happened;
}

/// The same of a simulation, in a child process.
std::vector<double> two_iterations(const SimSetup& setup) {
  ChildProcess child([&](int fd) {
    const std::vector<double> happened = two_iterations(*make_sim_executor(setup));
    const auto* bytes = reinterpret_cast<const char*>(happened.data());
    return write_all(fd, std::string(bytes, happened.size() * sizeof(double))) ? 0 : 1;
  });
  const std::string bytes = child.wait().output;
  std::vector<double> happened(bytes.size() / sizeof(double));
  if (!bytes.empty()) std::memcpy(happened.data(), bytes.data(), bytes.size());
  return happened;
}

void expect_near(const std::vector<double>& happened, const std::vector<double>& expected) {
  ASSERT_EQ(happened.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i)
    EXPECT_NEAR(happened[i], expected[i], 1e-9) << i;
}

/// Expects this of the fake executor and of both kinds of simulation.
void expect_iterations(const Events& events, const std::vector<double>& expected) {
  FakeSetup fake{.units = {affine_unit(0.0, 1.0), affine_unit(0.0, 1.0)}, .dispatch = {}};
  fake.merge = Seconds{0.5};
  fake.scenario.events = events;
  expect_near(two_iterations(*make_fake_executor(std::move(fake))), expected);
  TestPlatform platform;
  platform.units.assign(2, {0.0, 1.0, 0.0, 1e6, 0.0});
  SimSetup setup = sim_setup(platform, {items_of(2, 1, 2)});
  setup.costs[0].merge = Seconds{0.5};
  setup.scenario.events = events;
  for (const bool activities_only : {false, true}) {
    setup.activities_only = activities_only;
    SCOPED_TRACE(activities_only);
    expect_near(two_iterations(setup), expected);
  }
}

TEST(UnitLostDuringAMerge, GetsNoBlockUntilItJoinsAndIsJournalledBeforeTheIteration) {
  const Disturbance away = disturb(DisturbanceKind::fail, "u1", 1.25, 1.0, Seconds{2.0});
  expect_iterations({away}, {'i', -1, 0,   'l', 1, 1.25, 'i', -1, 1.5, 'j', 1, 2.0,  //
                             'f', 0,  1.0, 'f', 1, 1.0,  'f', 0,  2.5, 'f', 1, 3.0});
}

TEST(UnitLostDuringAMerge, GetsNoBlockIfItIsLostWhenTheIterationStarts) {
  expect_iterations({disturb(DisturbanceKind::fail, "u1", 1.5)},
                    {'i', -1, 0,   'l', 1, 1.5, 'i', -1, 1.5,  //
                     'f', 0,  1.0, 'f', 1, 1.0, 'f', 0,  2.5, 'f', 0, 3.5});
}

TEST(UnitLostDuringAMerge, WorksAgainIfItHasJoinedByTheEndOfTheMerge) {
  expect_iterations({disturb(DisturbanceKind::fail, "u1", 1.125, 1.0, Seconds{1.25})},
                    {'i', -1, 0,   'l', 1, 1.125, 'j', 1, 1.25, 'i', -1, 1.5,  //
                     'f', 0,  1.0, 'f', 1, 1.0,   'f', 0, 2.5,  'f', 1,  2.5});
}

}  // namespace
}  // namespace equipoise::lost_units_test
