// Tests of the lines that sum up what is doubtful in a recording.
#include "tools/report/recording_warnings.hpp"

#include <gtest/gtest.h>

namespace equipoise::recording_warnings_test {
namespace {

TEST(RecordingWarnings, AreOneLineForAllMeansThatAreNotKnownWell) {
  Recording recording;
  recording.means = 60;
  EXPECT_EQ(imprecision_text(recording), "");
  recording.imprecise = {{"cpu0", 64, 0.021}, {"cpu0", 512, 0.041}, {"cpu1", 64, 0.025}};
  EXPECT_EQ(imprecision_text(recording),
            "3 of 60 mean times are uncertain by more than 2 %; the worst, of cpu0 at 512 items, "
            "by 4.1 %; record for longer (--seconds-max), or while nothing else runs");
}

}  // namespace
}  // namespace equipoise::recording_warnings_test
