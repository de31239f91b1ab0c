// Tests of the meters of GPUs, on a library that takes the place of NVML.
#include "real/meters/meter.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/gpu/fake_nvml.hpp"

namespace equipoise::nvml_test {
namespace {

TEST(Nvml, ReadsACounterOfEnergyFromItsFirstReadingOn) {
  const FakeNvml fake;
  fake.set(5'000'000, 0);
  const std::vector<Gpu> gpus = {{"cuda:0", "00000000:01:00.0"}};
  {
    const Meters meters = nvml_meters(gpus, fake_nvml_file);
    ASSERT_EQ(meters.found.size(), 1u);
    EXPECT_TRUE(meters.notes.empty());
    EXPECT_EQ(meters.found[0]->domain(), "cuda:0");
    EXPECT_DOUBLE_EQ(meters.found[0]->joules(0.0).value(), 0.0);
    fake.set(5'012'500, 0);
    EXPECT_DOUBLE_EQ(meters.found[0]->joules(0.02).value(), 12.5);
    fake.set(0, 0, true);
    EXPECT_FALSE(meters.found[0]->joules(0.04)) << "the GPU is lost";
    EXPECT_EQ(fake.users(), 1);
  }
  EXPECT_EQ(fake.users(), 0);
}

TEST(Nvml, AddsUpThePowerOfAGpuWithoutACounter) {
  const FakeNvml fake;
  fake.set(0, 100'000);
  const std::vector<Gpu> gpus = {{"cuda:1", "00000000:02:00.0"}};
  const Meters meters = nvml_meters(gpus, fake_nvml_file);
  ASSERT_EQ(meters.found.size(), 1u);
  EXPECT_DOUBLE_EQ(meters.found[0]->joules(10.0).value(), 0.0);
  fake.set(0, 300'000);
  EXPECT_DOUBLE_EQ(meters.found[0]->joules(10.5).value(), 0.5 * 200.0);
  EXPECT_DOUBLE_EQ(meters.found[0]->joules(11.0).value(), 0.5 * 200.0 + 0.5 * 300.0);
}

TEST(Nvml, SaysWhichGpusAreNotMeasuredAndWhy) {
  const FakeNvml fake;
  fake.set(0, 100'000);
  const std::vector<Gpu> gpus = {{"cuda:0", "00000000:03:00.0"},
                                 {"cuda:1", "00000000:01:00.0"},
                                 {"cuda:2", "00000000:09:00.0"}};
  const Meters meters = nvml_meters(gpus, fake_nvml_file);
  ASSERT_EQ(meters.found.size(), 1u);
  EXPECT_EQ(meters.found[0]->domain(), "cuda:1");
  EXPECT_EQ(meters.notes,
            (std::vector<std::string>{"cuda:0 is not measured: Insufficient Permissions",
                                      "cuda:2 is not measured: Not Found"}));
}

TEST(Nvml, SaysThatThereIsNoLibrary) {
  const std::vector<Gpu> gpus = {{"cuda:0", "00000000:01:00.0"}};
  const Meters meters = nvml_meters(gpus, "libequipoise_no_such_library.so");
  EXPECT_TRUE(meters.found.empty());
  EXPECT_EQ(meters.notes,
            (std::vector<std::string>{
                "cuda:0 is not measured: libequipoise_no_such_library.so cannot be opened"}));
}

TEST(Nvml, IsNotOpenedWithoutGpus) {
  const FakeNvml fake;
  const Meters meters = nvml_meters({}, fake_nvml_file);
  EXPECT_TRUE(meters.found.empty());
  EXPECT_TRUE(meters.notes.empty());
}

}  // namespace
}  // namespace equipoise::nvml_test
