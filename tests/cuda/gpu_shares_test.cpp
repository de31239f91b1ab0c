// Tests of how GPUs are divided among units.
#include "real/gpu/gpu_shares.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "tests/support/refusal.hpp"

namespace equipoise::gpu_shares_test {
namespace {

constexpr double gibibyte = 1024.0 * 1024.0 * 1024.0;

GpuWish wish(std::optional<int> device, std::optional<int> sms = {},
             std::optional<double> memory_bytes = {}) {
  return {"cuda0", "--unit cuda", device, sms, memory_bytes};
}

/// Whether `call` is refused with a message that contains `text`.
template <class Call>
testing::AssertionResult refuses(const std::string& text, Call&& call) {
  const std::string message = refusal_of(call);
  if (message.find(text) != std::string::npos) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "'" << message << "' does not contain '" << text << "'";
}

TEST(GpuShares, GiveAUnitTheFirstGpuThatNoOtherOneHas) {
  using Gpus = std::vector<int>;
  EXPECT_EQ(choose_gpus(std::vector{wish({}), wish({})}, 2), (Gpus{0, 1}));
  EXPECT_EQ(choose_gpus(std::vector{wish({}), wish({}), wish(0)}, 3), (Gpus{1, 2, 0}));
  EXPECT_EQ(choose_gpus(std::vector{wish(1), wish(1)}, 2), (Gpus{1, 1}));
  EXPECT_EQ(choose_gpus(std::vector{wish({}, 16), wish({}, 32), wish({})}, 2), (Gpus{0, 0, 1}));
}

TEST(GpuShares, RefuseAUnitForWhichNoGpuIsLeft) {
  EXPECT_TRUE(
      refuses("the GPU of this machine is taken by other units; to share a GPU, give each", [] {
        (void)choose_gpus(std::vector{wish({}), wish({})}, 1);
      }));
  EXPECT_TRUE(refuses("the 2 GPUs of this machine are taken by other units", [] {
    (void)choose_gpus(std::vector{wish(0), wish(1), wish({})}, 2);
  }));
}

TEST(GpuShares, RefuseAGpuThatIsNotThereAndSayWhichAre) {
  EXPECT_TRUE(refuses("there is one GPU here, device=0",
                      [] { (void)choose_gpus(std::vector{wish(1)}, 1); }));
  EXPECT_TRUE(refuses("there are 3 GPUs here, device=0 to device=2", [] {
    (void)choose_gpus(std::vector{wish(2), wish(3, 16)}, 3);
  }));
}

// 132 SMs in groups of 8 are 16 groups, and 4 SMs are in none.
constexpr GpuSms h100{.device = 0, .all = 132, .group = 8, .groups = 16};

TEST(GpuShares, DivideSmsInGroups) {
  const std::vector parts = {wish(0, 16), wish(0, 32), wish(0, 64)};
  EXPECT_EQ(divide_sms(parts, h100), (std::vector<int>{2, 4, 8}));
  EXPECT_EQ(divide_sms(std::vector{wish(0, 128)}, h100), std::vector<int>{16});
}

TEST(GpuShares, RefuseSmsThatTheGpuCannotGive) {
  for (const int sms : {4, 20, 129}) {
    EXPECT_TRUE(
        refuses("is not possible; GPU 0 has 132 SMs, of which units can have 128 in "
                "multiples of 8",
                [&] { (void)divide_sms(std::vector{wish(0, sms)}, h100); }));
  }
  EXPECT_TRUE(refuses("with this unit there are 136 SMs in all; GPU 0 has 132 SMs", [&] {
    (void)divide_sms(std::vector{wish(0, 64), wish(0, 72)}, h100);
  }));
}

TEST(GpuShares, RefuseAWholeGpuBesideAPartOfIt) {
  EXPECT_NO_THROW(check_wholes(std::vector{wish(0), wish(0)}, 0));
  EXPECT_NO_THROW(check_wholes(std::vector{wish(0, 8), wish(0, 16)}, 0));
  EXPECT_TRUE(refuses("would compute on all SMs of GPU 0", [] {
    check_wholes(std::vector{wish(0, 8), wish(0)}, 0);
  }));
}

// 66 GiB are free, of which 2 GiB are for libraries.
constexpr FreeGpuMemory memory{
    .device = 0, .free_bytes = 66 * gibibyte, .reserve_bytes = 2 * gibibyte};

TEST(GpuShares, DivideMemoryInProportionToSmsAfterWhatIsAskedFor) {
  using Bytes = std::vector<double>;
  EXPECT_EQ(divide_memory(std::vector{wish(0)}, memory), Bytes{64 * gibibyte});
  EXPECT_EQ(divide_memory(std::vector{wish(0), wish(0)}, memory),
            (Bytes{32 * gibibyte, 32 * gibibyte}));
  EXPECT_EQ(divide_memory(std::vector{wish(0, 16), wish(0, 48)}, memory),
            (Bytes{16 * gibibyte, 48 * gibibyte}));
  EXPECT_EQ(divide_memory(std::vector{wish(0, 16), wish(0, 32, 4 * gibibyte), wish(0, 48)}, memory),
            (Bytes{15 * gibibyte, 4 * gibibyte, 45 * gibibyte}));
}

TEST(GpuShares, RefuseMoreMemoryThanThereIs) {
  const auto asking = [](double first, double second) {
    return std::vector{wish(0, {}, first * gibibyte), wish(0, {}, second * gibibyte)};
  };
  EXPECT_NO_THROW((void)divide_memory(asking(32, 32), memory));
  EXPECT_TRUE(
      refuses("GPU 0: its units ask for 65 GiB; 66 GiB are free, of which 2 GiB are for "
              "libraries; give less",
              [&] { (void)divide_memory(asking(32, 33), memory); }));
  EXPECT_TRUE(
      refuses("GPU 0: its units ask for 64 GiB; 66 GiB are free, of which 2 GiB are for "
              "libraries; nothing is left for units without memory_bytes=; give less",
              [&] {
                (void)divide_memory(std::vector{wish(0, {}, 64 * gibibyte), wish(0)}, memory);
              }));
}

}  // namespace
}  // namespace equipoise::gpu_shares_test
