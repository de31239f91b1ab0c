// Tests of the kernel synthetic: sums worked out by hand, items that do what their costs say, and
// wrong sums that the check must find.
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "real/kernels/catalog.hpp"
#include "real/kernels/synthetic/congruences.hpp"
#include "tests/support/computed_blocks.hpp"

namespace equipoise::synthetic_test {
namespace {

using Row = std::vector<std::uint32_t>;

/// A row of `numbers` numbers for so many operations.
Row row_of(std::uint64_t operations, std::size_t numbers) {
  Row row = {static_cast<std::uint32_t>(operations), static_cast<std::uint32_t>(operations >> 32),
             1664525U, 1013904223U};
  for (std::uint32_t i = 4; i < numbers; ++i) row.push_back(i * i * 2246822519U + 1U);
  return row;
}

std::uint64_t sum_of(const Row& row) {
  std::uint64_t sum = 0;
  run_congruences(row.data(), row.size(), 1, &sum);
  return sum;
}

/// One step after another.
std::uint64_t sum_in_turns(const Row& row) {
  std::vector<std::uint32_t> x(64);
  for (std::uint32_t s = 0; s < 64; ++s) x[s] = (s + 1) * 2654435769U;
  for (std::size_t i = 4; i < row.size(); ++i) x[(i - 4) % 64] += row[i];
  const std::uint64_t operations = item_of(row.data()).operations;
  for (std::uint64_t k = 0; k < operations; ++k) x[k % 64] = x[k % 64] * row[2] + row[3];
  std::uint64_t sum = 0;
  for (const std::uint32_t number : x) sum += number;
  return sum;
}

/// A kernel with increasing costs, allocated: item i of N costs (2 i + 1) / N.
std::unique_ptr<Kernel> increasing(const TypedParameters& parameters) {
  auto kernel = make_kernel("synthetic", parameters, "--workload");
  const Items items = kernel->workload().items;
  kernel->set_costs(
      std::make_shared<ItemCosts>(generated_costs(CostPattern::increasing, items, 1)));
  kernel->allocate(1);
  return kernel;
}

/// The operations of an item of an allocated kernel.
std::uint64_t operations_of(const Kernel& kernel, std::size_t item) {
  const InputRows& rows = kernel.data().inputs.front();
  return item_of(reinterpret_cast<const std::uint32_t*>(rows.data + item * rows.row_bytes))
      .operations;
}

TEST(Synthetic, TakesStepsAsByHand) {
  // Sequences begin with 1, 2, 3 times 2654435769, modulo 4294967296: 2654435769, 1013904242,
  // 3668340011. 5 x + 7 is 387276964, 774553921, 1161830878.
  Row none = {0, 0, 5, 7};
  Row three = {3, 0, 5, 7};
  const std::uint64_t begin = 2654435769ULL + 1013904242ULL + 3668340011ULL;
  const std::uint64_t end = 387276964ULL + 774553921ULL + 1161830878ULL;
  EXPECT_EQ(sum_of(three) + begin, sum_of(none) + end);
  EXPECT_EQ(sum_by_jumps(three.data(), 4) + begin, sum_by_jumps(none.data(), 4) + end);
  // Two numbers more are added to the first two sequences before their steps.
  Row longer = {3, 0, 5, 7, 10, 20};
  EXPECT_EQ(sum_of(longer), sum_of(three) + 5ULL * (10 + 20));
}

TEST(Synthetic, EndsWhereOneStepAfterAnotherAndJumpsLead) {
  for (const std::uint64_t operations : {0, 1, 63, 64, 65, 127, 1000, 12'345}) {
    for (const std::size_t numbers : {4, 5, 67, 68, 69, 300}) {
      const Row row = row_of(operations, numbers);
      EXPECT_EQ(sum_of(row), sum_in_turns(row)) << operations << " " << numbers;
      EXPECT_EQ(sum_by_jumps(row.data(), numbers), sum_in_turns(row))
          << operations << " " << numbers;
    }
  }
}

TEST(Synthetic, JumpsOverAWholePeriodToWhereItBegan) {
  // An odd increment and a factor that is 1 modulo 4 lead through all 2^32 numbers.
  const std::uint64_t period = std::uint64_t{64} << 32;
  for (const std::uint64_t more : {0, 1, 777}) {
    const Row once = row_of(more, 100);
    const Row again = row_of(period + more, 100);
    EXPECT_EQ(sum_by_jumps(again.data(), 100), sum_by_jumps(once.data(), 100)) << more;
  }
}

TEST(Synthetic, ReadsEveryNumberOfARow) {
  const Row row = row_of(100, 200);
  for (std::size_t i = 2; i < row.size(); ++i) {
    Row other = row;
    other[i] += 4;  // another factor, increment or number
    EXPECT_NE(sum_of(other), sum_of(row)) << i;
  }
}

TEST(Synthetic, DoesWhatTheCostsOfItsItemsSay) {
  // Item i costs (2 i + 1) / 1000, and a mean item has 400 operations: 0.4, 1.2, ... 799.6.
  const auto kernel = increasing({{"items", "1000"}, {"operations", "400"}});
  EXPECT_EQ(operations_of(*kernel, 0), 0);
  EXPECT_EQ(operations_of(*kernel, 1), 1);
  EXPECT_EQ(operations_of(*kernel, 500), 400);  // 400.4
  EXPECT_EQ(operations_of(*kernel, 999), 800);
  // The items from a to b: (b^2 - a^2) * 400 / 1000, with less than half an operation lost each.
  for (const auto& [a, b] : {std::pair{0, 1000}, {0, 500}, {500, 1000}, {313, 314}, {10, 900}}) {
    double sum = 0.0;
    for (int i = a; i < b; ++i) {
      sum += static_cast<double>(operations_of(*kernel, static_cast<std::size_t>(i)));
    }
    EXPECT_NEAR(sum, 0.4 * (b * b - a * a), 0.5 * (b - a)) << a << " to " << b;
  }
}

TEST(Synthetic, HasAlikeItemsWithoutCosts) {
  const auto kernel = make_kernel("synthetic", {{"items", "3"}, {"operations", "7"}}, "--workload");
  kernel->set_costs(nullptr);
  kernel->allocate(1);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(operations_of(*kernel, i), 7);
}

TEST(Synthetic, GivesThreadsPartsOfABlockWithAsMuchWork) {
  // The first n of 1000 items have n^2 / 10^6 of the work: half of it with the 708th. Behind the
  // first half there are 292.
  const auto kernel = increasing({{"items", "1000"}, {"operations", "1e4"}, {"bytes", "16"}});
  const CpuProgram program = kernel->make_cpu_program();
  const auto done_by = [&](std::size_t first, std::size_t items) {
    std::vector<std::uint64_t> sums(1000, no_sum);
    StagedBlock block;
    block.items = 1000;
    block.inputs = {const_cast<std::byte*>(kernel->data().inputs.front().data)};
    block.results = {reinterpret_cast<std::byte*>(sums.data())};
    program(block, first, items);
    return std::ranges::count_if(sums, [](std::uint64_t sum) { return sum != no_sum; });
  };
  EXPECT_EQ(done_by(0, 500), 708);
  EXPECT_EQ(done_by(500, 500), 292);
  EXPECT_EQ(done_by(0, 1000), 1000);
  EXPECT_EQ(done_by(0, 0), 0);
}

TEST(Synthetic, ComputesItemsThatDifferHoweverManyThreadsThereAre) {
  for (const std::size_t threads : {1, 2, 3, 7}) {
    const auto kernel = increasing({{"items", "97"}, {"operations", "300"}});
    compute(*kernel, 0, 40, threads);
    compute(*kernel, 40, 57, threads);
    const Verification found = kernel->verify();
    EXPECT_TRUE(found.passed) << threads << ": " << found.what;
  }
}

TEST(Synthetic, ReadsItemsThatCostNothing) {
  auto kernel = make_kernel("synthetic", {{"items", "30"}, {"operations", "90"}}, "--workload");
  kernel->set_costs(std::make_shared<ItemCosts>(
      std::vector<CostRange>{{0, 20, 0.0}, {20, 1, 1.0}, {21, 9, 0.0}}));
  kernel->allocate(1);
  EXPECT_EQ(operations_of(*kernel, 19), 0);
  EXPECT_EQ(operations_of(*kernel, 20), 30 * 90);
  compute(*kernel, 0, 19, 2);
  EXPECT_EQ(kernel->verify().what, "item 19: was not computed");
  compute(*kernel, 19, 11, 2);
  EXPECT_TRUE(kernel->verify().passed) << kernel->verify().what;
}

TEST(Synthetic, NoticesAWrongSumWhereverItIs) {
  constexpr std::size_t numbers = 9;
  std::vector<std::uint32_t> rows;
  for (std::uint64_t i = 0; i < 103; ++i) {
    const Row row = row_of(10 * i, numbers);
    rows.insert(rows.end(), row.begin(), row.end());
  }
  std::vector<std::uint64_t> sums(103);
  run_congruences(rows.data(), numbers, sums.size(), sums.data());
  EXPECT_TRUE(check_congruences(rows, numbers, sums).passed);
  for (const std::size_t at : {0, 51, 102}) {
    const std::uint64_t right = sums[at];
    for (const std::uint64_t wrong : {right + 1, right ^ 1U << 31, std::uint64_t{0}, no_sum}) {
      sums[at] = wrong;
      const Verification found = check_congruences(rows, numbers, sums);
      EXPECT_FALSE(found.passed);
      EXPECT_TRUE(found.what.starts_with("item " + std::to_string(at) + ":")) << found.what;
    }
    sums[at] = right;
  }
}

TEST(Synthetic, NoticesAStepThatIsMissing) {
  Row row = row_of(1000, 16);
  --row[0];
  const std::vector<std::uint64_t> sums = {sum_of(row)};
  ++row[0];
  EXPECT_FALSE(check_congruences(row, 16, sums).passed);
}

TEST(Synthetic, DescribesItsWorkload) {
  const auto kernel = make_kernel(
      "synthetic", {{"items", "1e6"}, {"operations", "5000"}, {"bytes", "256"}}, "--workload");
  const Workload& workload = kernel->workload();
  EXPECT_EQ(workload.items, 1'000'000);
  EXPECT_EQ(workload.in_bytes_per_item, 256.0);
  EXPECT_EQ(workload.out_bytes_per_item, 8.0);
  EXPECT_EQ(workload.memory_bytes_per_item, 264.0);
  EXPECT_EQ(workload.flop_per_item, 10'000.0);
  EXPECT_EQ(workload.problem,
            (std::map<std::string, double>{{"operations", 5000.0}, {"bytes", 256.0}}));
  EXPECT_EQ(kernel->host_bytes(), 264e6);
}

TEST(Synthetic, IsTheOnlyKernelThatTakesCosts) {
  for (const KernelInfo& info : kernel_catalog()) {
    EXPECT_EQ(takes_costs(info), info.name == "synthetic") << info.name;
  }
}

TEST(Synthetic, RefusesWhatIsOutOfRange) {
  const auto refusal = [](const char* parameter, const char* value) {
    return refusal_of_kernel("synthetic", {{parameter, value}});
  };
  EXPECT_NE(refusal("items", "0").find("at least one item"), std::string::npos);
  EXPECT_NE(refusal("operations", "0").find("operations"), std::string::npos);
  EXPECT_NE(refusal("operations", "1e15").find("overflows"), std::string::npos);
  for (const char* const bytes : {"12", "18", "0"}) {
    EXPECT_NE(refusal("bytes", bytes).find("a multiple of 4 from 16 to"), std::string::npos);
  }
  EXPECT_EQ(refusal("bytes", "20"), "not refused");
}

}  // namespace
}  // namespace equipoise::synthetic_test
