// Tests of the kernel that competes with units, compiled by the host's compiler: its blocks run one
// after another.
#include "real/gpu/programs.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace equipoise::compete_test {
namespace {

constexpr std::size_t shared_bytes = std::size_t{48} << 10;

TEST(Compete, KeepsEveryBlockBusyForTheSpan) {
  const std::uint64_t stops = 0;
  std::vector<std::uint64_t> busy_ns = {0, 5'000'000, 0, 0};
  launch_compete({}, {3, shared_bytes, 1'000'000, &stops, busy_ns.data()});
  EXPECT_GE(busy_ns[0], 1'000'000u);
  EXPECT_GE(busy_ns[1], 6'000'000u) << "it is added";
  EXPECT_GE(busy_ns[2], 1'000'000u);
  EXPECT_EQ(busy_ns[3], 0u);
}

TEST(Compete, EndsWhenItIsStopped) {
  const std::uint64_t stops = 1;
  std::vector<std::uint64_t> busy_ns(2);
  launch_compete({}, {2, shared_bytes, std::uint64_t{1} << 62, &stops, busy_ns.data()});
}

}  // namespace
}  // namespace equipoise::compete_test
