// Tests of the words of events.
#include "shared_policies/run/run_event.hpp"

#include <gtest/gtest.h>

#include <string>

namespace equipoise::run_event_test {
namespace {

template <class Event>
bool is_called(const std::string& word) {
  const std::optional<RunEvent> event = event_called(word);
  return event && std::holds_alternative<Event>(*event) && word_of(*event) == word;
}

TEST(RunEvent, IsFoundByTheWordThatItIsWrittenWith) {
  EXPECT_TRUE(is_called<IterationBegin>("iteration_started"));
  EXPECT_TRUE(is_called<LostBlock>("block_lost"));
  EXPECT_TRUE(is_called<UnfinishedBlock>("block_outstanding"));
  EXPECT_TRUE(is_called<UnitLost>("unit_lost"));
  EXPECT_TRUE(is_called<UnitJoined>("unit_joined"));
  EXPECT_TRUE(is_called<ProbeBegin>("probe"));
  EXPECT_TRUE(is_called<Probed>("probed"));
  EXPECT_TRUE(is_called<TimerEnd>("timer_fired"));
  EXPECT_TRUE(is_called<PolicyStall>("policy_stalled"));
  for (const char* word : {"compete", "slow", "profile", "bandwidth", "fail", "join"}) {
    EXPECT_TRUE(is_called<Disturbance>(word)) << word;
  }
}

TEST(RunEvent, LeavesAllOtherWordsToNotes) {
  for (const char* word : {"", "poor_fit", "unit_los", "unit_lost_again", "Slow"}) {
    EXPECT_FALSE(event_called(word)) << word;
  }
  EXPECT_EQ(word_of(Note{"poor_fit"}), "poor_fit");
}

TEST(RunEvent, NamesTheUnitAndTheBlockThatItIsAbout) {
  const RunEvent lost = LostBlock{UnitId{2}, Block{7, 0, 20}, {}};
  EXPECT_EQ(unit_of(lost), UnitId{2});
  ASSERT_NE(block_of(lost), nullptr);
  EXPECT_EQ(block_of(lost)->id, 7u);
  EXPECT_EQ(unit_of(UnitJoined{UnitId{1}}), UnitId{1});
  EXPECT_EQ(block_of(RunEvent(UnitJoined{UnitId{1}})), nullptr);
  EXPECT_FALSE(unit_of(Note{"poor_fit"}));
}

TEST(RunEvent, CountsWhatPoliciesAreToldOf) {
  EXPECT_TRUE(is_counted(LostBlock{}));
  EXPECT_TRUE(is_counted(UnitLost{}));
  EXPECT_TRUE(is_counted(UnitJoined{}));
  EXPECT_TRUE(is_counted(Probed{}));
  EXPECT_TRUE(is_counted(TimerEnd{}));
  EXPECT_FALSE(is_counted(IterationBegin{}));
  EXPECT_FALSE(is_counted(UnfinishedBlock{}));
  EXPECT_FALSE(is_counted(ProbeBegin{}));
  EXPECT_FALSE(is_counted(PolicyStall{}));
  EXPECT_FALSE(is_counted(Disturbance{}));
  EXPECT_FALSE(is_counted(Note{}));
}

}  // namespace
}  // namespace equipoise::run_event_test
