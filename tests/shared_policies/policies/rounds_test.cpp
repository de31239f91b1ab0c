// Tests of how often a policy looks at all units or blocks.
#include "shared_policies/policies/rounds.hpp"

#include <gtest/gtest.h>

namespace equipoise::rounds_test {
namespace {

TEST(Rounds, AreDueAtAnyTimeOfUpTo32Things) {
  Rounds rounds;
  rounds.begin_iteration(Seconds{0});
  rounds.begin(Seconds{100});
  EXPECT_TRUE(rounds.is_due(1, Seconds{100}));
  EXPECT_TRUE(rounds.is_due(32, Seconds{100}));
  EXPECT_FALSE(rounds.is_due(33, Seconds{100}));
}

TEST(Rounds, AreDueAfterAnEventForEach32ThingsMore) {
  Rounds rounds;
  rounds.begin_iteration(Seconds{0});
  rounds.begin(Seconds{100});
  rounds.count_event();
  EXPECT_TRUE(rounds.is_due(64, Seconds{100}));
  EXPECT_FALSE(rounds.is_due(65, Seconds{100}));
  rounds.count_event();
  EXPECT_TRUE(rounds.is_due(65, Seconds{100}));
  rounds.begin(Seconds{100});
  EXPECT_FALSE(rounds.is_due(65, Seconds{100}));
}

TEST(Rounds, AreDueWhenTheIterationIsOlderByAHundredth) {
  Rounds rounds;
  rounds.begin_iteration(Seconds{50});
  EXPECT_TRUE(rounds.is_due(1000, Seconds{50}));
  rounds.begin(Seconds{150});
  EXPECT_DOUBLE_EQ(rounds.due_at().value, 151.0);
  EXPECT_FALSE(rounds.is_due(1000, Seconds{150.9}));
  EXPECT_TRUE(rounds.is_due(1000, Seconds{151}));
}

}  // namespace
}  // namespace equipoise::rounds_test
