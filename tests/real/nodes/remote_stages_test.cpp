// The stages of blocks of other nodes, worked out by hand.
#include "real/nodes/remote_stages.hpp"

#include <gtest/gtest.h>

namespace equipoise::remote_stages_test {
namespace {

/// Moments in seconds: setup, in, compute, out.
void expect_stages(const StageTimes& stages, double setup, double in, double compute, double out) {
  EXPECT_NEAR(stages.setup.value, setup, 1e-12);
  EXPECT_NEAR(stages.in.value, in, 1e-12);
  EXPECT_NEAR(stages.compute.value, compute, 1e-12);
  EXPECT_NEAR(stages.out.value, out, 1e-12);
}

RemoteBlock block(double sent, double resident, double arrived, double began,
                  const StageTimes& on_node, double end) {
  return {Seconds{sent}, Seconds{resident}, Seconds{arrived}, Seconds{began}, on_node,
          true,          Seconds{end}};
}

constexpr StageTimes of_a_cpu{Seconds{0.5}, Seconds{0.1}, Seconds{2.0}, Seconds{0.2}};
constexpr StageTimes without_setup{Seconds{}, Seconds{0.1}, Seconds{2.0}, Seconds{0.2}};

TEST(RemoteStages, OfACpuAreTheNetworkAndEverythingThatItsCoresDo) {
  RemoteCopies copies{};
  // Resident data travel from 1 to 3, the input to 4; the unit sets up for 0.5 and begins at 4.5.
  const RemoteStages stages = remote_stages(block(1.0, 3.0, 4.0, 4.5, of_a_cpu, 7.0), copies);
  expect_stages(stages.times, 2.5, 1.0, 2.3, 0.2);
  expect_stages(stages.begins, 1.0, 3.5, 4.5, 6.8);
  EXPECT_EQ(copies.in_until.value, 4.0);
  EXPECT_EQ(copies.out_until.value, 7.0);
}

TEST(RemoteStages, OfAnAcceleratorHaveItsCopiesInThoseOfTheNetwork) {
  RemoteCopies copies{};
  RemoteBlock of = block(0.0, 0.0, 1.0, 1.1, without_setup, 4.0);
  of.copies_by_itself = false;
  const RemoteStages stages = remote_stages(of, copies);
  expect_stages(stages.times, 0.0, 1.1, 2.0, 0.9);
  expect_stages(stages.begins, 0.0, 0.0, 1.1, 3.1);
}

TEST(RemoteStages, CopiesOfOneUnitFollowOneAnother) {
  RemoteCopies copies{Seconds{2.0}, Seconds{8.0}};
  const RemoteStages stages = remote_stages(block(1.0, 1.0, 3.0, 4.0, without_setup, 8.5), copies);
  expect_stages(stages.times, 0.0, 1.0, 2.3, 0.5);
  expect_stages(stages.begins, 2.0, 2.0, 4.0, 8.0);
}

TEST(RemoteStages, NeverOverlapOrEndLaterThanTheBlockHoweverWrongAClockIs) {
  for (const double wrong_s : {-5.0, -1.0, 0.0, 1.0, 5.0}) {
    RemoteCopies copies{};
    const RemoteStages stages = remote_stages(
        block(1.0, 1.5 + wrong_s, 2.0 + wrong_s, 2.5 + wrong_s, of_a_cpu, 6.0), copies);
    const StageTimes& times = stages.times;
    const StageTimes& begins = stages.begins;
    constexpr double rounding_s = 1e-12;
    EXPECT_GE(begins.setup.value, 1.0);
    EXPECT_GE(begins.in.value, (begins.setup + times.setup).value - rounding_s) << wrong_s;
    EXPECT_GE(begins.compute.value, (begins.in + times.in).value - rounding_s) << wrong_s;
    EXPECT_GE(begins.out.value, (begins.compute + times.compute).value - rounding_s) << wrong_s;
    EXPECT_NEAR((begins.out + times.out).value, 6.0, rounding_s) << wrong_s;
    for (const Seconds time : {times.setup, times.in, times.compute, times.out}) {
      EXPECT_GE(time.value, 0.0) << wrong_s;
    }
  }
}

}  // namespace
}  // namespace equipoise::remote_stages_test
