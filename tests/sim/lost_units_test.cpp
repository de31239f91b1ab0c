// Tests of units that are lost for good.
#include <gtest/gtest.h>

#include <optional>
#include <vector>

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

}  // namespace
}  // namespace equipoise::lost_units_test
