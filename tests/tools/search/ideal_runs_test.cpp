// Tests of the best runs for energy and EDP, against all splits of small cases.
#include "tools/search/ideal_runs.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "tests/support/temporary_folder.hpp"
#include "tools/search/phase_search.hpp"
#include "tools/search/schedule_search.hpp"
#include "tools/simulations/simulations.hpp"
#include "tools/worlds/sim_machine_loading.hpp"

namespace equipoise::ideal_runs_test {
namespace {

/// A unit whose blocks take `fixed_s + item_s * items`, after copies of `copy_s` for each item over
/// its own link.
struct Machine {
  std::string kind;
  double fixed_s = 0.0;
  double item_s = 1.0;
  double copy_s = 1e-9;
  double idle_w = 0.0;
  double busy_w = 0.0;
};

class IdealRunsTest : public testing::Test {
 protected:
  /// `shared_s`: the time of an item's copy on a link that all units but the first share.
  void write(const std::vector<Machine>& units, double shared_s) {
    std::string hosts =
        "<host id=\"ram\" speed=\"1Gf\"><prop id=\"master\" value=\"true\"/></host>";
    std::string links =
        fmt::format("<link id=\"net\" bandwidth=\"{}Bps\" latency=\"0s\"/>", 1e3 / shared_s);
    std::string routes;
    std::string names;
    std::string samples;
    for (std::size_t i = 0; i < units.size(); ++i) {
      const Machine& unit = units[i];
      hosts += fmt::format(
          "<host id=\"u{}\" speed=\"1Gf\"><prop id=\"kind\" value=\"{}\"/>"
          "<prop id=\"wattage_per_state\" value=\"{}:{}\"/></host>",
          i, unit.kind, unit.idle_w, unit.busy_w);
      links += fmt::format("<link id=\"l{}\" bandwidth=\"{}Bps\" latency=\"0s\"/>", i,
                           1e3 / unit.copy_s);
      routes += fmt::format("<route src=\"ram\" dst=\"u{0}\">{1}<link_ctn id=\"l{0}\"/></route>", i,
                            i > 0 ? "<link_ctn id=\"net\"/>" : "");
      names += fmt::format(R"({}{{"id":"u{}","kind":"{}"}})", i == 0 ? "" : ",", i, unit.kind);
      for (const double items : {1.0, 1000.0}) {
        samples += fmt::format("{{\"unit\":\"u{}\",\"items\":{},\"compute_s\":{}}}\n", i, items,
                               unit.fixed_s + unit.item_s * items);
      }
    }
    options.platform_file = folder.write(
        "p.xml",
        "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
        "<platform version=\"4.1\"><zone id=\"z\" routing=\"Full\">" +
            hosts + links + routes + "</zone></platform>\n");
    options.trace_files = {folder.write(
        "k.jsonl",
        R"({"schema":"equipoise.trace/1","source":"modelled","kernel":"k","item":"item",)"
        R"("dispatch_s":0,"units":[)" +
            names + "]}\n" + samples)};
  }

  [[nodiscard]] SimMachine world(int items) {
    options.workloads = {fmt::format("k:items={},in_bytes_per_item=1000", items)};
    options.quiet = true;
    SimMachine loaded = load_sim_machine(options);
    find_best_schedule(loaded, options);
    return loaded;
  }

  /// The least values among all splits into one block for each unit.
  [[nodiscard]] std::map<Objective, double> least_of_all_splits(const SimMachine& in, Items items) {
    std::vector<BlockLists> splits;
    for (Items a = 0; a <= items; ++a) {
      for (Items b = 0; a + b <= items; ++b) {
        BlockLists::value_type blocks(3);
        const std::vector<Items> shares = {a, b, items - a - b};
        for (std::size_t p = 0; p < 3; ++p) {
          if (shares[p] > 0) blocks[p] = {shares[p]};
        }
        splits.push_back({blocks});
      }
    }
    RunOptions plain = options;
    plain.noise = false;
    std::map<Objective, double> least;
    run_simulations(
        splits.size(),
        [&](std::size_t job) {
          Simulation simulation = simulation_of(in, parse_policy("optimum"), plain);
          simulation.schedule = splits[job];
          return simulation;
        },
        [&](std::size_t, const SimulationResult& result) {
          ASSERT_TRUE(result.report.run.verified) << result.failure;
          for (const Objective objective : {Objective::energy, Objective::edp}) {
            const double value = value_for(objective, result.report.run.numbers);
            const auto [at, is_new] = least.try_emplace(objective, value);
            if (!is_new) at->second = std::min(at->second, value);
          }
        });
    return least;
  }

  /// The best run for an objective, after the answer about units.
  [[nodiscard]] RunNumbers best(const SimMachine& in, Objective objective, Worth& worth) {
    IdealRuns runs = ideal_runs(in, options, objective);
    worth = worth_of_units(in, options, objective, runs);
    return runs.best.run.numbers;
  }

  TemporaryFolder folder;
  RunOptions options;
};

TEST_F(IdealRunsTest, AreAsGoodAsTheBestOfAllSplitsOfSmallCasesAndAgree) {
  std::mt19937 random(33);
  const auto between = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  for (int round = 0; round < 4; ++round) {
    std::vector<Machine> units;
    for (const char* const kind : {"cpu", "gpu", "gpu"}) {
      units.push_back({kind, between(0, 2), between(0.2, 2), between(0.01, 1), between(1, 50), 0});
      units.back().busy_w = units.back().idle_w + between(10, 300);
    }
    write(units, between(0.01, 1));
    const int items = 5 + round;
    const SimMachine small = world(items);
    std::map<Objective, double> least = least_of_all_splits(small, items);
    std::map<Objective, RunNumbers> found;
    for (const Objective objective : {Objective::energy, Objective::edp}) {
      Worth worth;
      found[objective] = best(small, objective, worth);
      const double value = value_for(objective, found[objective]);
      EXPECT_LE(value, least[objective] * (1.0 + 1e-9))
          << word_of(objective) << " of round " << round;
      ASSERT_TRUE(worth.without) << word_of(objective) << " of round " << round;
      const double alone = value_for(objective, *worth.without);
      EXPECT_EQ(worth.is_worth_using, value < alone) << worth.line;
      EXPECT_EQ(worth.is_worth_using, found[objective].units[0].items > 0) << worth.line;
    }
    for (const Objective objective : {Objective::energy, Objective::edp}) {
      for (const auto& [other, numbers] : found) {
        EXPECT_LE(value_for(objective, found[objective]), value_for(objective, numbers))
            << word_of(objective) << " beaten by " << word_of(other) << " in round " << round;
      }
    }
  }
}

TEST_F(IdealRunsTest, KnowWhatALinkThatUnitsShareCosts) {
  // Both GPUs compute an item in 1 s, and get it over a link that takes 1 s an item for both
  // together: 12 items end after 12 + 1 s at the earliest, with one GPU or with two. The CPU would
  // need 100 s an item. So no run has less than 3 W * 13 s + 20 W * 12 s = 279 J, and 279 J * 13 s.
  write({{"cpu", 0, 100, 1e-9, 1, 500}, {"gpu", 0, 1, 1e-9, 1, 21}, {"gpu", 0, 1, 1e-9, 1, 21}},
        1.0);
  const SimMachine shared = world(12);
  Worth worth;
  EXPECT_NEAR(edp_js(best(shared, Objective::edp, worth)), 279.0 * 13.0, 1e-3);
  EXPECT_FALSE(worth.is_worth_using);
  EXPECT_NE(
      worth.line.find("The CPU is not worth using: u1 and u2 alone have the least EDP, 3.627"),
      std::string::npos)
      << worth.line;
  EXPECT_NEAR(*best(shared, Objective::energy, worth).energy_j, 279.0, 1e-4);
}

TEST_F(IdealRunsTest, BeginWithTheUnitsThatNeedTheLeastEnergyForAnItem) {
  // 2 s * 10 W = 20 J an item, 1 s * 30 W = 30 J, 0.5 s * 20 W = 10 J; 0.5, 1 and 2 items/s.
  write({{"cpu", 0, 2, 1e-9, 5, 15}, {"gpu", 0, 1, 1e-9, 5, 35}, {"gpu", 0, 0.5, 1e-9, 5, 25}},
        1e-9);
  const std::vector<std::vector<double>> shares = energy_prefixes(world(12), {{0}, {1}, {2}});
  const std::vector<std::vector<double>> expected = {{0, 0, 2}, {0.5, 0, 2}, {0.5, 1, 2}};
  ASSERT_EQ(shares.size(), expected.size());
  for (std::size_t k = 0; k < 3; ++k) {
    for (std::size_t p = 0; p < 3; ++p) EXPECT_NEAR(shares[k][p], expected[k][p], 1e-6) << k << p;
  }
  // Of 20 groups, twelve prefixes: the last one is the whole.
  std::vector<std::vector<std::size_t>> many(20, {2});
  many.back() = {0};
  const std::vector<std::vector<double>> some = energy_prefixes(world(12), many);
  ASSERT_EQ(some.size(), most_prefixes);
  EXPECT_NEAR(some.back()[0], 0.5, 1e-6);
  EXPECT_EQ(some[10][0], 0.0);
}

}  // namespace
}  // namespace equipoise::ideal_runs_test
