// Tests of energy-alpha on schedules that were worked out by hand.
#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <string>
#include <vector>

#include "shared_policies/run/metrics.hpp"
#include "tests/support/policy_schedule.hpp"
#include "tests/support/random_seed.hpp"
#include "tests/support/refusal.hpp"

namespace equipoise::energy_alpha_test {
namespace {

using Sizes = std::vector<Items>;

/// Adds a unit of `items_per_s` without fixed cost that draws `idle_w` when idle and `busy_w` when
/// busy.
void add_powered(PolicyTest& test, UnitKind kind, double items_per_s, double idle_w,
                 double busy_w) {
  add_affine(test, 0.0, 1.0 / items_per_s);
  add_watts(test, kind, idle_w, busy_w);
}

/// A CPU of 100 items/s, and a GPU with the figures of one row of the energy paper.
PolicyTest paper_machine(double speed_ratio, double static_c, double static_g, double dynamic_c,
                         double dynamic_g) {
  PolicyTest test;
  test.policy = "energy-alpha";
  test.items = 10'000;
  add_powered(test, UnitKind::cpu, 100.0, static_c, static_c + dynamic_c);
  add_powered(test, UnitKind::gpu, 100.0 * speed_ratio, static_g, static_g + dynamic_g);
  return test;
}

Sizes shares_for(PolicyTest& test, const std::string& objective) {
  test.parameters["objective"] = objective;
  return run_schedule(test).items_by_unit();
}

TEST(EnergyAlpha, LetsBothUnitsEndTogetherForTheLeastTime) {
  PolicyTest test = paper_machine(3.3559, 50, 16.5, 70, 27.5);
  // alpha = 1 / 4.3559 = 0.22957: 2296 of the 10,000 items.
  EXPECT_EQ(shares_for(test, "time"), (Sizes{2296, 7704}));
  EXPECT_EQ(run_schedule(test).blocks.size(), 2U);
}

TEST(EnergyAlpha, LeavesTheCpuIdleWhereTheGpuAloneTakesLessEnergy) {
  PolicyTest binomial = paper_machine(3.3559, 50, 16.5, 70, 27.5);
  EXPECT_EQ(shares_for(binomial, "energy"), (Sizes{0, 10'000}));
  EXPECT_EQ(shares_for(binomial, "edp"), (Sizes{0, 10'000}));
  PolicyTest nbody = paper_machine(3.1370, 50, 16.5, 50, 27.5);
  EXPECT_EQ(shares_for(nbody, "energy"), (Sizes{0, 10'000}));
  EXPECT_EQ(shares_for(nbody, "edp"), (Sizes{2417, 7583}));
}

TEST(EnergyAlpha, LeavesTheGpuIdleWhereTheCpuAloneTakesLessEnergy) {
  PolicyTest taylor = paper_machine(0.7175, 32, 12, 10.55, 46);
  EXPECT_EQ(shares_for(taylor, "energy"), (Sizes{10'000, 0}));
  EXPECT_EQ(shares_for(taylor, "edp"), (Sizes{5822, 4178}));
}

TEST(EnergyAlpha, SpendsTheEnergyThatThePaperForetells) {
  PolicyTest test = paper_machine(0.8916, 50, 16.5, 70, 44);
  test.parameters["objective"] = "energy";
  const Schedule schedule = run_schedule(test);
  Metrics metrics(test.units);
  for (const BlockRecord& record : schedule.blocks) metrics.block(record);
  // The paper's model gives 95.422 in units of W / S_C = 100 s. Shares are rounded to items.
  EXPECT_NEAR(*metrics.numbers().energy_j, 9542.2, 1.0);
}

TEST(EnergyAlpha, TakesThePrefixOfUnitsThatIsBestAmongMany) {
  PolicyTest test;
  test.policy = "energy-alpha";
  test.items = 7'000;
  add_powered(test, UnitKind::cpu, 10, 3, 4);
  add_powered(test, UnitKind::cpu, 20, 2, 6);
  add_powered(test, UnitKind::gpu, 40, 2, 202);
  // Energy per item, with speeds divided by ten: 8 J with the first unit alone, 4 J with two, 30 J
  // with all.
  EXPECT_EQ(shares_for(test, "energy"), (Sizes{2333, 4667, 0}));
  EXPECT_EQ(shares_for(test, "time"), (Sizes{1000, 2000, 4000}));
}

TEST(EnergyAlpha, DividesBetweenAllCpusAndAllGpusWhenAsked) {
  PolicyTest test = paper_machine(3.0, 50, 16.5, 50, 27.5);
  add_powered(test, UnitKind::cpu, 300.0, 10, 20);
  test.parameters["groups"] = "cpu-gpu";
  // CPUs 400 items/s, GPU 300 items/s: 5714 items for the CPUs. The first CPU gets a quarter,
  // 1428.5.
  EXPECT_EQ(shares_for(test, "time"), (Sizes{1428, 4286, 4286}));
  // Groups: A = 76.5 + 27.5, P^D_C = 60, r = 3/4, which is below A / P^D_C and above P^D_G / B =
  // 27.5 / 136.5.
  EXPECT_EQ(shares_for(test, "energy"), (Sizes{1428, 4286, 4286}));
  test.parameters["groups"] = "units";
  // Dynamic energy per item: second CPU 1/30 J, GPU 0.092 J, first CPU 0.5 J. Energy per item of
  // the prefixes: (76.5 + 10) / 300 = 0.288, with the GPU 114 / 600 = 0.190, with all 164 / 700 =
  // 0.234.
  EXPECT_EQ(shares_for(test, "energy"), (Sizes{0, 5000, 5000}));
}

/// Times in proportion to items, of which a part is computing.
class CopiedLine final : public CostModel {
 public:
  CopiedLine(double per_item_s, double computing_part)
      : per_item_s_(per_item_s), computing_part_(computing_part) {}
  [[nodiscard]] CostAt at(double items) const override {
    return {per_item_s_ * items, per_item_s_};
  }
  [[nodiscard]] double computing_s(double items) const override {
    return computing_part_ * at(items).seconds;
  }
  [[nodiscard]] bool non_decreasing() const override { return true; }

 private:
  double per_item_s_;
  double computing_part_;
};

TEST(EnergyAlpha, CountsDynamicWattsWhileAUnitCopiesAsThePaperDoesOrOnlyWhileItComputes) {
  // r = 3, static 50 + 10 W, dynamic 40 W of the CPU. The GPU draws 80 W and copies for half of its
  // time. Device: A / P^D_C = (60 + 80) / 40 = 3.5, above r, and P^D_G / B = 80 / 100: both end
  // together, 1 : 3. Computing: A / P^D_C = (60 + 40) / 40 = 2.5, below r: the GPU alone.
  PolicyTest test = paper_machine(3.0, 50, 10, 40, 80);
  test.fake.units[1].compute_s = [](double items) { return items / 600.0; };
  test.fake.units[1].in_s = [](double items) { return items / 600.0; };
  test.known.phases.front()[1] = std::make_unique<CopiedLine>(1.0 / 300.0, 0.5);
  EXPECT_EQ(shares_for(test, "energy"), (Sizes{2500, 7500}));
  test.parameters["dynamic_time"] = "computing";
  EXPECT_EQ(shares_for(test, "energy"), (Sizes{0, 10'000}));
  EXPECT_EQ(shares_for(test, "time"), (Sizes{2500, 7500}));
}

TEST(EnergyAlpha, KeepsToOneGroupWhereThereIsNoOther) {
  PolicyTest test;
  test.policy = "energy-alpha";
  test.items = 300;
  test.parameters["groups"] = "cpu-gpu";
  add_powered(test, UnitKind::gpu, 10, 1, 2);
  add_powered(test, UnitKind::gpu, 20, 1, 2);
  EXPECT_EQ(shares_for(test, "energy"), (Sizes{100, 200}));
}

TEST(EnergyAlpha, CutsAShareThatMemoryDoesNotHold) {
  PolicyTest test = paper_machine(3.0, 50, 16.5, 70, 27.5);
  test.memory_bytes = {1e9, 2'000.0};
  const Schedule schedule = run_schedule(test);
  EXPECT_EQ(schedule.items_by_unit(), (Sizes{2'500, 7'500}));
  EXPECT_EQ(schedule.sizes(1, BlockTag::run), (Sizes{1'875, 1'875, 1'875, 1'875}));
}

TEST(Optimum, LeavesOutWhatCostsMoreEnergyThanItSaves) {
  PolicyTest test = paper_machine(3.1370, 50, 16.5, 50, 27.5);
  test.policy = "optimum";
  EXPECT_EQ(shares_for(test, "time"), (Sizes{2417, 7583}));
  EXPECT_EQ(shares_for(test, "energy"), (Sizes{0, 10'000}));
  EXPECT_EQ(shares_for(test, "edp"), (Sizes{2417, 7583}));
}

TEST(EnergyAlpha, IsRefusedBeforeTheRunWhereWattsAreNotKnown) {
  PolicyTest test = paper_machine(3.0, 50, 16.5, 70, 27.5);
  test.units[1].busy_w.reset();
  for (const char* objective : {"energy", "edp"}) {
    test.parameters["objective"] = objective;
    const std::string why = refusal_of([&] { (void)run_schedule(test); });
    EXPECT_NE(why.find("u1 has idle watts but no busy watts"), std::string::npos) << why;
  }
  test.units[1].idle_w.reset();
  const std::string why = refusal_of([&] { (void)run_schedule(test); });
  EXPECT_NE(why.find("u1 has none"), std::string::npos) << why;
  EXPECT_NE(why.find("wattage_per_state"), std::string::npos) << why;
  EXPECT_EQ(shares_for(test, "time"), (Sizes{2'500, 7'500}));
}

TEST(EnergyAlpha, FinishesWhatALostUnitLeavesWhateverItsObjective) {
  const unsigned seed = random_seed();
  SCOPED_TRACE("--gtest_random_seed=" + std::to_string(seed));
  std::mt19937 random(seed);
  const auto uniform = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  for (int round = 0; round < 200; ++round) {
    PolicyTest test;
    test.policy = "energy-alpha";
    test.items = static_cast<Items>(uniform(1, 5000));
    test.grain_items = static_cast<Items>(uniform(1, 9));
    test.iterations = 2;
    const auto units = static_cast<std::uint32_t>(uniform(1, 6));
    for (std::uint32_t p = 0; p < units; ++p) {
      const double idle_w = uniform(0, 50);
      add_powered(test, uniform(0, 1) < 0.5 ? UnitKind::cpu : UnitKind::gpu, uniform(10, 1000),
                  idle_w, idle_w + uniform(0, 200));
      test.fake.faults.push_back({Seconds{uniform(0, 5)}, UnitId{p}, false});
      test.fake.faults.push_back({Seconds{uniform(5, 9)}, UnitId{p}, true});
    }
    test.parameters["groups"] = uniform(0, 1) < 0.5 ? "units" : "cpu-gpu";
    test.parameters["objective"] = uniform(0, 1) < 0.5 ? "energy" : "edp";
    const Schedule schedule = run_schedule(test);
    ASSERT_TRUE(schedule.outcome.complete) << "round " << round;
    ASSERT_FALSE(schedule.outcome.policy_stalled) << "round " << round;
    ASSERT_EQ(schedule.items(), 2 * test.items) << "round " << round;
  }
}

}  // namespace
}  // namespace equipoise::energy_alpha_test
