// Tests of the numbers of runs and of their summaries, with values worked out by hand.
#include "shared_policies/run/results.hpp"

#include <gtest/gtest.h>

namespace equipoise::results_test {
namespace {

BlockRecord record(std::uint32_t unit, Items items, double busy_s, double end_s) {
  BlockRecord r;
  r.unit = UnitId{unit};
  r.block.items = items;
  r.times.compute = Seconds{busy_s};
  r.end = Seconds{end_s};
  return r;
}

/// Units that take 10 W when idle and 110 W when busy.
std::vector<Unit> units_of_110_w(std::size_t count) {
  std::vector<Unit> units(count);
  for (Unit& unit : units) {
    unit.idle_w = 10;
    unit.busy_w = 110;
  }
  return units;
}

TEST(Metrics, AddsUpARun) {
  std::vector<Unit> units(2);
  units[0].idle_w = 10;
  units[0].busy_w = 30;
  units[1].idle_w = 5;
  units[1].busy_w = 5;
  Metrics metrics(units, {{{10, 100}, {50, 100}}});
  metrics.block(record(0, 60, 4, 4));
  metrics.block(record(1, 40, 6, 8));  // smaller than the smallest recorded size, 50
  metrics.decision(
      {Seconds{1}, Seconds{0.25}, Seconds{1.25}, {std::nullopt, DecisionKind::fit, {}}});
  metrics.decision(
      {Seconds{2}, Seconds{0.75}, Seconds{2.75}, {std::nullopt, DecisionKind::rebalance, {}}});
  metrics.event({Seconds{3}, LostBlock{UnitId{0}, Block{3, 0, 20}, {}}});
  const RunNumbers n = metrics.numbers();
  EXPECT_DOUBLE_EQ(n.makespan.value, 8.0);
  EXPECT_DOUBLE_EQ(share(n, 0), 0.6);
  EXPECT_DOUBLE_EQ(idle_fraction(n, 0), 0.5);
  EXPECT_DOUBLE_EQ(idle_fraction(n, 1), 0.25);
  EXPECT_DOUBLE_EQ(finish_spread(n).value, 4.0);
  EXPECT_EQ(n.decisions, 2u);
  EXPECT_EQ(n.rebalances, 1u);
  EXPECT_DOUBLE_EQ(n.decisions_total.value, 1.0);
  EXPECT_DOUBLE_EQ(n.decisions_max.value, 0.75);
  EXPECT_EQ(n.items_redone, 20);
  EXPECT_DOUBLE_EQ(n.extrapolated_share, 0.4);
  ASSERT_TRUE(n.energy_j);
  EXPECT_DOUBLE_EQ(*n.energy_j, 10 * 8 + 20 * 4 + 5 * 8);
}

TEST(Metrics, KnowsTheEnergyOfUnitsWithWattsAndTheSumOnlyOfAll) {
  std::vector<Unit> units(2);
  units[1].idle_w = 5;
  units[1].busy_w = 7;
  Metrics metrics(units);
  metrics.block(record(1, 40, 6, 8));
  EXPECT_FALSE(metrics.numbers().energy_j);
  EXPECT_FALSE(metrics.numbers().units[0].energy_j);
  EXPECT_DOUBLE_EQ(*metrics.numbers().units[1].energy_j, 5 * 8 + 2 * 6);
}

TEST(Metrics, SaysWhereTheEnergyIsKnownFrom) {
  std::vector<Unit> units(2);
  for (Unit& unit : units) unit.idle_w = unit.busy_w = 10;
  units[0].name = "cpu0";
  const auto numbers_of = [&] {
    Metrics metrics(units);
    metrics.block(record(0, 40, 6, 8));
    return metrics.numbers();
  };
  EXPECT_EQ(numbers_of().energy_from, EnergySource::modelled);
  EXPECT_EQ(numbers_of().energy_note, "");
  units[0].busy_w = std::nullopt;
  EXPECT_EQ(numbers_of().energy_from, EnergySource::unknown);
  EXPECT_EQ(numbers_of().energy_note, "no meter was read, and the watts of cpu0 are unknown");
  units[1].idle_w = std::nullopt;
  EXPECT_EQ(numbers_of().energy_note, "no meter was read, and no unit's watts are known");
}

TEST(Metrics, PrefersWhatMetersSayToWatts) {
  std::vector<Unit> units(1);
  units[0].idle_w = units[0].busy_w = 10;
  Metrics metrics(units);
  metrics.block(record(0, 40, 6, 8));
  metrics.measured({Seconds{0}, "package-0", "energy_j", 5.0});
  metrics.measured({Seconds{0}, "cuda:0", "energy_j", 0.0});
  metrics.measured({Seconds{1}, "cuda:0", "power_w", 250.0});
  EXPECT_EQ(metrics.numbers().energy_from, EnergySource::modelled) << "no meter was read twice";
  EXPECT_EQ(metrics.numbers().energy_note, "no meter was read twice");
  EXPECT_DOUBLE_EQ(*metrics.numbers().energy_j, 80.0);
  metrics.measured({Seconds{4}, "cuda:0", "energy_j", 100.0});
  metrics.measured({Seconds{8}, "cuda:0", "energy_j", 300.0});
  EXPECT_EQ(metrics.numbers().energy_from, EnergySource::measured);
  EXPECT_DOUBLE_EQ(*metrics.numbers().energy_j, 300.0);
  EXPECT_EQ(metrics.numbers().energy_note, "of cuda:0, without package-0: read only once");
  EXPECT_FALSE(metrics.numbers().units[0].energy_j);
  metrics.measured({Seconds{8}, "package-0", "energy_j", 45.0});
  EXPECT_DOUBLE_EQ(*metrics.numbers().energy_j, 300.0 + 40.0);
  EXPECT_EQ(metrics.numbers().energy_note, "of cuda:0, package-0");
}

TEST(Metrics, LeavesOutADomainThatWasNotReadUpToTheEnd) {
  std::vector<Unit> units(1);
  units[0].idle_w = units[0].busy_w = 10;
  Metrics metrics(units, {}, "dram is not counted");
  metrics.block(record(0, 40, 6, 8));
  EXPECT_EQ(metrics.numbers().energy_from, EnergySource::modelled);
  EXPECT_EQ(metrics.numbers().energy_note, "no meter was read (dram is not counted)");
  metrics.measured({Seconds{0}, "cuda:0", "energy_j", 0.0});
  metrics.measured({Seconds{7.5}, "cuda:0", "energy_j", 100.0});
  EXPECT_EQ(metrics.numbers().energy_from, EnergySource::modelled);
  EXPECT_EQ(metrics.numbers().energy_note, "no meter was read up to the end");
  metrics.measured({Seconds{0}, "package-0", "energy_j", 0.0});
  metrics.measured({Seconds{8.01}, "package-0", "energy_j", 45.0});
  EXPECT_EQ(metrics.numbers().energy_from, EnergySource::measured);
  EXPECT_DOUBLE_EQ(*metrics.numbers().energy_j, 45.0);
  EXPECT_EQ(metrics.numbers().energy_note,
            "of package-0, without cuda:0: read only until 7.5 s; dram is not counted");
}

TEST(Metrics, DrawsIdleWattsWhileAUnitCopies) {
  std::vector<Unit> units(1);
  units[0].idle_w = 10;
  units[0].busy_w = 110;
  Metrics metrics(units);
  BlockRecord copied = record(0, 1, 2, 10);
  copied.times.in = Seconds{5};
  copied.times.out = Seconds{3};
  metrics.block(copied);
  EXPECT_DOUBLE_EQ(*metrics.numbers().energy_j, 10 * 10 + 100 * 2);
}

TEST(Metrics, CountsDroppedWorkThatGoesOnUntilTheEndOfTheRunAsWork) {
  Metrics metrics(units_of_110_w(3));
  metrics.block(record(0, 10, 4, 4));
  metrics.block(record(1, 10, 2, 2));
  // Unit 0 was given block 7 at 3 s, before its first one ended, and began it at 4 s; unit 2 was
  // given block 8 at 5 s. Copies of both are done at 9 s and 10 s. Block 9 was taken back before it
  // was begun.
  const auto drop = [&](double at_s, std::uint32_t unit, std::uint64_t id, double assigned_s) {
    metrics.event({Seconds{at_s}, LostBlock{UnitId{unit}, Block{id, 0, 10}, Seconds{assigned_s}, 0,
                                            std::nullopt, LostBy::copy, id != 9}});
  };
  drop(6, 1, 9, 3);
  metrics.block(record(1, 10, 3, 9));
  drop(9, 0, 7, 3);
  metrics.block(record(1, 10, 1, 10));
  drop(10, 2, 8, 5);
  const RunNumbers n = metrics.numbers();
  EXPECT_DOUBLE_EQ(n.makespan.value, 10.0);
  EXPECT_DOUBLE_EQ(idle_fraction(n, 0), 0.0);
  EXPECT_DOUBLE_EQ(idle_fraction(n, 1), 1.0 - 6.0 / 10.0);
  EXPECT_DOUBLE_EQ(idle_fraction(n, 2), 0.5);
  for (const UnitNumbers& unit : n.units) EXPECT_EQ(unit.last_end, Seconds{10});
  EXPECT_DOUBLE_EQ(finish_spread(n).value, 0.0);
  EXPECT_DOUBLE_EQ(*n.units[0].energy_j, 10 * 10 + 100 * 10);
  EXPECT_DOUBLE_EQ(*n.units[1].energy_j, 10 * 10 + 100 * 6);
  EXPECT_DOUBLE_EQ(*n.units[2].energy_j, 10 * 10 + 100 * 5);
  EXPECT_EQ(n.phases[0][2].dropped, 1u);
  EXPECT_EQ(n.phases[0][1].dropped, 0u) << "it had not begun block 9";
}

TEST(Metrics, CountsDroppedWorkUntilItEndsOrItsUnitIsLost) {
  Metrics metrics(units_of_110_w(2));
  for (const std::uint32_t unit : {0u, 1u}) {
    metrics.event({Seconds{2}, LostBlock{UnitId{unit}, Block{unit, 0, 10}, Seconds{1}, 0,
                                         std::nullopt, LostBy::take_back, true}});
  }
  StageTimes times;
  times.in = Seconds{0.5};
  times.compute = Seconds{2};
  metrics.event({Seconds{4}, LateEnd{UnitId{0}, Block{0, 0, 10}, Seconds{1}, times,
                                     back_to_back(times, Seconds{4})}});
  metrics.event({Seconds{5}, UnitLost{UnitId{1}}});
  metrics.block(record(0, 10, 2, 8));
  const RunNumbers n = metrics.numbers();
  EXPECT_DOUBLE_EQ(n.units[0].occupied.value, 2.5 + 2.0);
  EXPECT_DOUBLE_EQ(*n.units[0].energy_j, 10 * 8 + 100 * (2 + 2));
  EXPECT_DOUBLE_EQ(n.units[1].occupied.value, 5.0 - 1.0);
  EXPECT_DOUBLE_EQ(n.units[1].last_end.value, 5.0);
  EXPECT_DOUBLE_EQ(*n.units[1].energy_j, 10 * 8 + 100 * 4);
}

TEST(Metrics, CountsOverlappingStagesOfAUnitOnce) {
  Metrics metrics(std::vector<Unit>(1));
  const auto block = [&](double in_s, double compute_s, double out_s, double end_s) {
    BlockRecord r = record(0, 1, compute_s, end_s);
    r.times.in = Seconds{in_s};
    r.times.out = Seconds{out_s};
    metrics.block(r);
  };
  block(1, 2, 1, 4);   // [0, 4]
  block(1, 2, 1, 6);   // [2, 6]: its copy in did not wait, and it computed from 3 to 5
  block(1, 1, 1, 12);  // [9, 12] after a pause of 3
  block(1, 2, 2, 13);  // [8, 13]: began before the block above, which ended earlier
  block(1, 9, 1, 13);  // [2, 13]: reaches into the stretch before, so the whole pause was occupied
  block(0, 1, 0, 20);  // [19, 20]
  EXPECT_DOUBLE_EQ(metrics.numbers().units[0].occupied.value, 13 + 1);
  EXPECT_DOUBLE_EQ(idle_fraction(metrics.numbers(), 0), 6.0 / 20.0);
}

TEST(Metrics, KeepsTheIdleFractionBetweenNoneAndAllHoweverStagesOverlap) {
  Metrics metrics(std::vector<Unit>(2));
  for (int k = 1; k <= 10; ++k) {
    BlockRecord r = record(0, 1, 1, 2 + k);
    r.times.in = Seconds{1};
    r.times.out = Seconds{1};
    metrics.block(r);  // three blocks at a time: 30 s of stages in 12 s
  }
  EXPECT_NEAR(idle_fraction(metrics.numbers(), 0), 0.0, 1e-15);
  EXPECT_DOUBLE_EQ(idle_fraction(metrics.numbers(), 1), 1.0);
}

TEST(Statistics, GiveStudentsInterval) {
  // Mean 3, sd sqrt(2.5), t(0.975, 4 degrees of freedom) = 2.776445.
  const Statistics s = summarise(std::vector<double>{1, 2, 3, 4, 5});
  EXPECT_DOUBLE_EQ(s.mean, 3.0);
  EXPECT_NEAR(s.sd, 1.5811388, 1e-7);
  EXPECT_NEAR(s.ci95_high, 3.0 + 2.776445 * 1.5811388 / 2.2360680, 1e-5);
  EXPECT_DOUBLE_EQ(s.min, 1.0);
  EXPECT_DOUBLE_EQ(s.max, 5.0);
}

TEST(Statistics, OfOneValueAreThatValue) {
  const Statistics s = summarise(std::vector<double>{2.5});
  EXPECT_DOUBLE_EQ(s.ci95_low, 2.5);
  EXPECT_DOUBLE_EQ(s.sd, 0.0);
}

TEST(Results, AddUpWhatOtherProgramsHadOfTheCores) {
  PolicyRun run;
  run.numbers.units.resize(1);
  run.core_use = {.cores_s = 0.3, .other_programs_s = 0.1};
  PolicyRun other = run;
  other.core_use = {.cores_s = 0.5, .other_programs_s = 0.1};
  EXPECT_FALSE(share_of_others(run.core_use)) << "watched too briefly";
  EXPECT_DOUBLE_EQ(share_of_others(summarise("p", "real", {run, other}, {}).core_use).value(),
                   0.25);
  EXPECT_FALSE(share_of_others({})) << "not watched";
}

TEST(Results, KnowTheMeanEnergyOfEveryUnitWhoseWattsAreKnown) {
  std::vector<Unit> units(2);
  units[0].idle_w = units[0].busy_w = 10;
  const auto run = [&](double makespan_s) {
    Metrics metrics(units);
    metrics.block(record(0, 10, 1, makespan_s));
    return PolicyRun{metrics.numbers(), true, false};
  };
  const PolicyResult result = summarise("greedy", "sim", {run(2), run(4)}, std::nullopt);
  EXPECT_DOUBLE_EQ(*result.energy_by_unit_j[0], 30.0);
  EXPECT_FALSE(result.energy_by_unit_j[1]);
  EXPECT_FALSE(result.means.of<&RunNumbers::energy_j>());
  EXPECT_EQ(result.energy_from, EnergySource::unknown);
}

TEST(Results, KnowTheMeanEnergyOfRunsThatKnowItFromTheSameSource) {
  const auto run_of = [](EnergySource from, std::optional<double> energy_j, const char* note) {
    PolicyRun run;
    run.numbers.units.resize(1);
    run.numbers.energy_from = from;
    run.numbers.energy_j = energy_j;
    run.numbers.energy_note = note;
    return run;
  };
  const PolicyRun two = run_of(EnergySource::measured, 2.0, "");
  const PolicyRun four = run_of(EnergySource::measured, 4.0, "without cuda:0: read only once");
  const PolicyResult measured = summarise("greedy", "real", {two, four}, std::nullopt);
  EXPECT_DOUBLE_EQ(measured.means.of<&RunNumbers::energy_j>().value(), 3.0);
  EXPECT_EQ(measured.energy_from, EnergySource::measured);
  EXPECT_EQ(measured.energy_note, "without cuda:0: read only once");
  const PolicyRun modelled = run_of(EnergySource::modelled, 9.0, "");
  const PolicyResult mixed = summarise("greedy", "real", {two, four, modelled}, std::nullopt);
  EXPECT_FALSE(mixed.means.of<&RunNumbers::energy_j>());
  EXPECT_EQ(mixed.energy_from, EnergySource::unknown);
  EXPECT_EQ(mixed.energy_note, "measured in 2 and modelled in 1 of 3 runs");
}

TEST(Results, CompareMeanMakespansWithTheBaselineOfTheSameWorld) {
  const auto result = [](const std::string& policy, const std::string& on, double makespan_s) {
    Metrics metrics(std::vector<Unit>(1));
    metrics.block(record(0, 10, makespan_s, makespan_s));
    return summarise(policy, on, {{metrics.numbers(), true, false}}, 4.0);
  };
  std::vector<PolicyResult> results = {result("greedy", "sim", 10), result("plb-hec", "sim", 5),
                                       result("greedy", "real", 12), result("plb-hec", "real", 8)};
  compare_with_baseline(results, "greedy");
  EXPECT_DOUBLE_EQ(*results[1].speedup_vs_baseline, 2.0);
  EXPECT_DOUBLE_EQ(*results[3].speedup_vs_baseline, 1.5);
  EXPECT_DOUBLE_EQ(*results[1].over_lower_bound, 1.25);
  EXPECT_TRUE(results[1].verified);
}

PolicyRun run_of(std::uint64_t repetition, double makespan_s) {
  PolicyRun run;
  run.numbers.makespan = Seconds{makespan_s};
  run.numbers.units.resize(1);
  run.repetition = repetition;
  run.verified = true;
  return run;
}

TEST(Results, OfRunsThatWereNotVerifiedAreComparedWithNothing) {
  PolicyRun half_done = run_of(0, 1.0);
  half_done.verified = false;
  std::vector<PolicyResult> results = {summarise("a", "sim", {half_done}, 2.0),
                                       summarise("b", "sim", {run_of(0, 4.0)}, 2.0)};
  compare_with_baseline(results, "a");
  compare_with_reference(results, "a");
  for (const PolicyResult& result : results) {
    EXPECT_FALSE(result.speedup_vs_baseline.has_value());
    EXPECT_FALSE(result.paired_ratio.has_value());
  }
  EXPECT_FALSE(results[0].over_lower_bound.has_value());
  EXPECT_DOUBLE_EQ(*results[1].over_lower_bound, 2.0);
  compare_with_baseline(results, "b");
  EXPECT_FALSE(results[0].speedup_vs_baseline.has_value());
  EXPECT_DOUBLE_EQ(*results[1].speedup_vs_baseline, 1.0);
}

TEST(Results, PairRepetitionsWithTheSameRandomDraws) {
  std::vector<PolicyResult> results = {
      summarise("a", "sim", {run_of(0, 2.0), run_of(1, 3.0), run_of(2, 9.0)}, std::nullopt),
      summarise("b", "sim", {run_of(3, 5.0), run_of(1, 2.0), run_of(0, 1.0)}, std::nullopt),
      summarise("a", "real", {run_of(0, 2.0)}, std::nullopt)};
  // Both have repetitions 0 and 1: ratios 2/1 and 3/2. Student's t for two values is 12.7062.
  const std::optional<Statistics> ratio = paired_ratio(results[0], results[1]);
  ASSERT_TRUE(ratio.has_value());
  EXPECT_DOUBLE_EQ(ratio->mean, 1.75);
  EXPECT_NEAR(ratio->ci95_high - ratio->mean, 12.7062047 * 0.25, 1e-6);
  EXPECT_FALSE(paired_ratio(results[0], results[2]).has_value());  // simulated and real
  compare_with_reference(results, "b");
  EXPECT_DOUBLE_EQ(results[0].paired_ratio->mean, 1.75);
  EXPECT_DOUBLE_EQ(results[1].paired_ratio->mean, 1.0);
  EXPECT_DOUBLE_EQ(results[1].paired_ratio->sd, 0.0);
  EXPECT_FALSE(results[2].paired_ratio.has_value());
}

}  // namespace
}  // namespace equipoise::results_test
