// Tests of the timeline, a tournament of dates, against a list that is searched.
#include "sim/timeline.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <random>
#include <vector>

namespace equipoise::timeline_test {
namespace {

TEST(Timeline, GivesTheEarliestAndAmongEqualDatesTheFirstSlot) {
  Timeline timeline(4);
  EXPECT_EQ(timeline.earliest(), Seconds::infinity());
  timeline.set(2, {1.0});
  timeline.set(1, {1.0});
  timeline.set(3, {0.5});
  timeline.set(3, {2.0});  // replaces the date that the slot had
  EXPECT_EQ(timeline.earliest(), Seconds{1.0});
  for (const std::uint32_t slot : {1U, 2U, 3U}) {
    EXPECT_EQ(timeline.first(), slot);
    timeline.set(slot, Seconds::infinity());
  }
  EXPECT_EQ(timeline.earliest(), Seconds::infinity());
}

TEST(Timeline, AgreesWithASearchedListWhateverIsSetAndTaken) {
  const std::uint32_t seed = 12345;
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  constexpr std::uint32_t slots = 37;
  Timeline timeline(slots);
  std::vector<std::optional<int>> dates(slots);
  for (int step = 0; step < 20'000; ++step) {
    if (random() % 3 != 0) {
      const auto slot = static_cast<std::uint32_t>(random() % slots);
      dates[slot] = static_cast<int>(random() % 50);
      timeline.set(slot, {static_cast<double>(*dates[slot])});
    } else if (timeline.earliest() < Seconds::infinity()) {
      const auto least = std::min_element(dates.begin(), dates.end(), [](auto a, auto b) {
        return a.value_or(1000) < b.value_or(1000);
      });
      ASSERT_EQ(timeline.earliest().value, **least);
      ASSERT_EQ(timeline.first(), static_cast<std::uint32_t>(least - dates.begin()));
      timeline.set(timeline.first(), Seconds::infinity());
      least->reset();
    }
  }
}

}  // namespace
}  // namespace equipoise::timeline_test
