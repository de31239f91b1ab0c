// Tests of experience files: what is kept, what is known of it later, and what is refused.
#include "traces/experience_file.hpp"

#include <gtest/gtest.h>

#include "tests/support/refusal.hpp"
#include "tests/support/temporary_folder.hpp"
#include "traces/json_record.hpp"

namespace equipoise::experience_file_test {
namespace {

using std::chrono::sys_days;
constexpr sys_days today = std::chrono::year(2026) / 11 / 23;
const RunPlace here{"a machine", today};

Workload workload(double n) {
  Workload of;
  of.kernel = "matmul";
  of.items = 1000;
  of.problem = {{"n", n}};
  return of;
}

Unit gpu() {
  Unit unit;
  unit.name = "gpu0";
  unit.model = "Tested GPU";
  return unit;
}

const LearnedCost cost{
    {{10.0, 2.0, 0.5}, {100.0, 1.5, 4.25}}, {{100.0, 3.0, 4.0}}, 0.75, 0.04, 0.0};

ExperienceFile file_of_one_run() {
  ExperienceFile file;
  add_run(file, {workload(64)}, {gpu()}, here, {{cost}});
  return file;
}

TEST(ExperienceFile, IsReadAsItWasWritten) {
  const TemporaryFolder folder;
  folder.write("e.json", experience_text(file_of_one_run()));
  const Experience known =
      known_before(read_experience(folder.path("e.json")), {workload(64)}, {gpu()}, here);
  ASSERT_TRUE(known[0][0].has_value());
  EXPECT_EQ(line_of(json_of(*known[0][0])),
            R"({"alone":[{"items":10.0,"blocks":2.0,"seconds":0.5},)"
            R"({"items":100.0,"blocks":1.5,"seconds":4.25}],)"
            R"("queued":[{"items":100.0,"blocks":3.0,"seconds":4.0}],)"
            R"("stage_share":0.75,"scatter":0.04,"doubt":0.05})");
}

TEST(ExperienceFile, KnowsNothingOfAnotherProblemUnitOrKernel) {
  const ExperienceFile file = file_of_one_run();
  EXPECT_FALSE(known_before(file, {workload(65)}, {gpu()}, here)[0][0].has_value());
  Unit other = gpu();
  other.name = "gpu1";
  EXPECT_FALSE(known_before(file, {workload(64)}, {other}, here)[0][0].has_value());
  Workload fft = workload(64);
  fft.kernel = "fft2d";
  EXPECT_FALSE(known_before(file, {fft}, {gpu()}, here)[0][0].has_value());
}

TEST(ExperienceFile, LeavesOutBlocksThatAreLargerThanAllWork) {
  const auto known_of = [](Items items) {
    Workload smaller = workload(64);
    smaller.items = items;
    return known_before(file_of_one_run(), {smaller}, {gpu()}, here)[0][0];
  };
  EXPECT_EQ(known_of(100)->alone.size(), 2u);
  EXPECT_EQ(known_of(100)->queued.size(), 1u);
  EXPECT_EQ(known_of(99)->alone.size(), 1u);
  EXPECT_TRUE(known_of(99)->queued.empty());
  EXPECT_FALSE(known_of(9).has_value());
}

TEST(ExperienceFile, KnowsNothingWithoutAFileOrInAnEmptyOne) {
  const TemporaryFolder folder;
  EXPECT_TRUE(read_experience(folder.path("none.json")).entries.empty());
  EXPECT_TRUE(read_experience(folder.write("empty.json", "")).entries.empty());
}

TEST(ExperienceFile, IsDoubtedTheMoreTheOlderItIs) {
  const ExperienceEntry entry = file_of_one_run().entries[0];
  const auto uncertainty = [&](int days) {
    return uncertainty_of(entry, {"a machine", today + std::chrono::days(days)});
  };
  EXPECT_DOUBLE_EQ(uncertainty(0), 0.05);
  EXPECT_NEAR(uncertainty(30), 0.1487, 1e-4);   // sqrt(0.05^2 + 0.14^2)
  EXPECT_NEAR(uncertainty(120), 0.2845, 1e-4);  // sqrt(0.05^2 + 0.28^2)
  EXPECT_DOUBLE_EQ(uncertainty(-5), 0.05) << "a clock that was wrong";
}

TEST(ExperienceFile, IsDoubtedMuchOnAnotherMachine) {
  EXPECT_GT(uncertainty_of(file_of_one_run().entries[0], {"another machine", today}), 1.0);
}

TEST(ExperienceFile, SaysNothingAboutAUnitOfAnotherModelAndForgetsTheOldOneWhenThatRan) {
  ExperienceFile file = file_of_one_run();
  Unit other = gpu();
  other.model = "Another GPU";
  EXPECT_FALSE(known_before(file, {workload(64)}, {other}, here)[0][0].has_value());
  add_run(file, {workload(64)}, {other}, here, {{cost}});
  ASSERT_EQ(file.entries.size(), 1u);
  EXPECT_EQ(file.entries[0].model, "Another GPU");
  EXPECT_EQ(file.entries[0].runs, 1);
  EXPECT_EQ(file.entries[0].cost.alone[0].blocks, cost.alone[0].blocks) << "nothing of the old";
}

TEST(ExperienceFile, CountsRunsAndTakesTheDateOfTheLast) {
  ExperienceFile file = file_of_one_run();
  add_run(file, {workload(64)}, {gpu()}, {"a machine", today + std::chrono::days(3)}, {{cost}});
  ASSERT_EQ(file.entries.size(), 1u);
  EXPECT_EQ(file.entries[0].runs, 2);
  EXPECT_EQ(file.entries[0].date, today + std::chrono::days(3));
}

TEST(ExperienceFile, SaysWhereAFileIsWrong) {
  const TemporaryFolder folder;
  const auto refusal = [&](const std::string& from, const std::string& to) {
    std::string text = experience_text(file_of_one_run());
    text.replace(text.find(from), from.size(), to);
    folder.write("e.json", text);
    return refusal_of([&] { (void)read_experience(folder.path("e.json")); });
  };
  EXPECT_NE(refusal("2026-11-23", "2026-11-31").find("e.json:2: '2026-11-31' is no date"),
            std::string::npos);
  EXPECT_NE(refusal("\"items\":100.0", "\"items\":9.0").find("e.json:2: sizes must ascend"),
            std::string::npos);
  EXPECT_NE(refusal("\"seconds\":0.5", "\"seconds\":-0.5").find("e.json:2"), std::string::npos);
  EXPECT_NE(refusal(R"("alone":[{"items":10.0,"blocks":2.0,"seconds":0.5},)"
                    R"({"items":100.0,"blocks":1.5,"seconds":4.25}],)"
                    R"("queued":[{"items":100.0,"blocks":3.0,"seconds":4.0}])",
                    R"("alone":[],"queued":[])")
                .find("e.json:2: a cost without times"),
            std::string::npos);
  EXPECT_NE(refusal("\"scatter\"", "\"scater\"")
                .find("e.json:2: unknown member of 'cost' 'scater'; did you mean 'scatter'?"),
            std::string::npos);
  EXPECT_NE(refusal("equipoise.experience/1", "equipoise.trace/1").find("e.json:1"),
            std::string::npos);
}

}  // namespace
}  // namespace equipoise::experience_file_test
