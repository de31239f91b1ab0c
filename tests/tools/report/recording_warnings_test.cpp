// Tests of the lines that sum up what is doubtful in a recording.
#include "tools/report/trace_report.hpp"

#include <gtest/gtest.h>

namespace equipoise::recording_warnings_test {
namespace {

TEST(RecordingWarnings, AreOneLineForAllMeansThatAreNotKnownWell) {
  Recording recording;
  recording.means = 60;
  EXPECT_EQ(imprecision_text(recording), "");
  recording.imprecise = {{"cpu0", 64, 0.021}, {"cpu0", 512, 0.041}, {"cpu1", 64, 0.025}};
  // (4.1 / 2)^2 = 4.2025
  const std::string begin =
      "3 of 60 mean times are uncertain by more than 2 %; the worst, of cpu0 at 512 items, by 4.1 "
      "%: "
      "a prediction with blocks of this size may be off by as much; ";
  EXPECT_EQ(imprecision_text(recording),
            begin +
                "to know it to 2 %, record 4.2 times as long (--seconds-max), or while nothing "
                "else runs");
  recording.imprecise[1].has_all_samples = true;
  EXPECT_EQ(imprecision_text(recording),
            begin +
                "more time does not help, because it has as many samples as are taken of one size: "
                "record while nothing else runs");
}

}  // namespace
}  // namespace equipoise::recording_warnings_test
