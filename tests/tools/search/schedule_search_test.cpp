// Tests of the search for the best schedule, on machines whose optimum was worked out by hand.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sched.h>

#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "shared_policies/model/failure.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tools/search/phase_search.hpp"
#include "tools/search/reference.hpp"
#include "tools/search/schedule_search.hpp"
#include "tools/simulations/simulations.hpp"
#include "tools/worlds/sim_machine_loading.hpp"

namespace equipoise::schedule_search_test {
namespace {

/// A unit whose blocks take `fixed_s + item_s * items`. Its private link takes `link_item_s` for
/// each item that is copied in.
struct Machine {
  double item_s = 1e-3;
  double fixed_s = 0.0;
  double link_item_s = 1e-9;
  double relative_sd = 0.0;
};

/// What blocks of a kernel cost in addition to their stages.
struct Costs {
  double dispatch_s = 0.0;
  double first_use_s = 0.0;
};

constexpr double bytes_per_item = 1000.0;

class ScheduleSearch : public testing::Test {
 protected:
  /// Writes a platform of units u0, u1, ... and the traces of the kernels k and l. Dispatch and
  /// first use take no time unless they are given.
  void write(const std::vector<Machine>& units, const Costs& of_k = {},
             const Costs& of_l = {}) const {
    std::string hosts =
        "<host id=\"ram\" speed=\"1Gf\"><prop id=\"master\" value=\"true\"/></host>";
    std::string links;
    std::string routes;
    std::string names;
    std::string samples;
    for (std::size_t i = 0; i < units.size(); ++i) {
      hosts += fmt::format("<host id=\"u{}\" speed=\"1Gf\"/>", i);
      links += fmt::format("<link id=\"l{}\" bandwidth=\"{}Bps\" latency=\"0s\"/>", i,
                           bytes_per_item / units[i].link_item_s);
      routes += fmt::format("<route src=\"ram\" dst=\"u{0}\"><link_ctn id=\"l{0}\"/></route>", i);
      names += fmt::format(R"({}{{"id":"u{}","kind":"cpu"}})", i == 0 ? "" : ",", i);
      for (const double items : {1.0, 1e6}) {
        const double mean_s = units[i].fixed_s + units[i].item_s * items;
        samples += fmt::format(R"({{"unit":"u{}","items":{},"n":100,"compute_s":{{"mean":{},)"
                               R"("sd":{},"min":null,"median":null,"max":null}}}})",
                               i, items, mean_s, units[i].relative_sd * mean_s) +
                   "\n";
      }
    }
    static_cast<void>(
        folder.write("p.xml",
                     "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM "
                     "\"https://simgrid.org/simgrid.dtd\">\n<platform version=\"4.1\">\n<zone "
                     "id=\"z\" routing=\"Full\">" +
                         hosts + links + routes + "</zone>\n</platform>\n"));
    for (const auto& [kernel, costs] : {std::pair{"k", of_k}, std::pair{"l", of_l}}) {
      static_cast<void>(
          folder.write(fmt::format("{}.jsonl", kernel),
                       fmt::format(R"({{"schema":"equipoise.trace/1","source":"modelled",)"
                                   R"("kernel":"{}","item":"thing","provenance":"a test",)"
                                   R"("machine":{{}},"dispatch_s":{},"first_use_s":{},)"
                                   R"("units":[{}]}})",
                                   kernel, costs.dispatch_s, costs.first_use_s, names) +
                           "\n" + samples));
    }
  }

  [[nodiscard]] SimMachine world(const std::vector<std::string>& workloads,
                                 const std::string& events = {}) {
    options.platform_file = folder.path("p.xml");
    options.trace_files = {folder.path("k.jsonl"), folder.path("l.jsonl")};
    options.workloads = workloads;
    if (!events.empty()) {
      options.scenario_file =
          folder.write("s.json", R"({"schema":"equipoise.scenario/1","events":[)" + events + "]}");
    }
    return load_sim_machine(options);
  }

  /// The makespan of `optimum` without noise, by its own division or by the known schedule of `of`.
  [[nodiscard]] double simulated_s(const SimMachine& of) const {
    RunOptions plain = options;
    plain.noise = false;
    const RunReport report = run_simulation(simulation_of(of, parse_policy("optimum"), plain));
    EXPECT_TRUE(report.run.verified);
    return report.run.numbers.makespan.value;
  }

  /// Searches. Expects that the schedule has all items, takes about the reported time, is not worse
  /// than the division of `optimum` and not below the lower bound.
  [[nodiscard]] BestKnown search(const SimMachine& in) const {
    BestKnown found = search_schedule(in, options);
    EXPECT_EQ(found.schedule.size(), in.setup.phases.size());
    for (std::size_t phase = 0; phase < found.schedule.size(); ++phase) {
      Items items = 0;
      for (const auto& blocks : found.schedule[phase]) {
        items = std::accumulate(blocks.begin(), blocks.end(), items);
      }
      EXPECT_GE(items, in.setup.phases[phase].items);
    }
    EXPECT_LE(found.seconds, simulated_s(in) * (1.0 + 1e-9));
    EXPECT_GE(found.seconds, in.bound.seconds.value() * (1.0 - 1e-9));
    SimMachine kept = in;
    kept.schedule = found.schedule;
    // The result may come from our own policy, which adapts to what happens and is not bound to the
    // blocks of a schedule.
    EXPECT_GE(simulated_s(kept), found.seconds);
    if (kept.setup.scenario.events.empty()) {
      EXPECT_NEAR(simulated_s(kept), found.seconds, 0.01 * found.seconds);
    }
    return found;
  }

  TemporaryFolder folder;
  RunOptions options;
};

Items items_of_unit(const BestKnown& found, std::size_t unit) {
  const std::vector<Items>& blocks = found.schedule.front()[unit];
  return std::accumulate(blocks.begin(), blocks.end(), Items{0});
}

TEST(EvaluationsOf, CountMoreForSchedulesOfManyBlocks) {
  const Part few{.share_items = 1e6, .blocks = 10};
  const Part many{.share_items = 1e6, .blocks = 60'000};
  const Part unused{.share_items = 0.0, .blocks = 1'000'000};
  EXPECT_EQ(evaluations_of({few, few, unused}, 20), 1u);
  EXPECT_EQ(evaluations_of({many, few}, 1), 1u);
  EXPECT_EQ(evaluations_of({many, many}, 1), 2u);  // 120,000 blocks
  EXPECT_EQ(evaluations_of({many, few}, 5), 4u);   // 300,050 blocks
}

TEST_F(ScheduleSearch, FindsTheOptimumOfTwoLinearUnits) {
  write({{.item_s = 1e-3}, {.item_s = 3e-3}});
  // x items at 1 ms and 1001 - x at 3 ms: 750 and 251 end at 0.753 s, 751 and 250 at 0.751 s.
  const BestKnown found = search(world({"k:items=1001"}));
  EXPECT_NEAR(found.seconds, 0.751, 1e-9);
  EXPECT_EQ(items_of_unit(found, 0), 751);
  EXPECT_EQ(items_of_unit(found, 1), 250);
}

TEST_F(ScheduleSearch, FindsTheOptimumOfAFewGrains) {
  write({{.item_s = 1e-3}, {.item_s = 3e-3}});
  // Seven grains of 10 ms or 30 ms: 5 and 2 take 60 ms, and so do 6 and 1. No division takes less.
  EXPECT_NEAR(search(world({"k:items=70,grain_items=10"})).seconds, 0.06, 1e-9);
}

TEST_F(ScheduleSearch, LeavesOutAUnitWhoseFixedCostIsTooHigh) {
  write({{.item_s = 1e-3}, {.item_s = 1e-3, .fixed_s = 2.0}});
  const BestKnown found = search(world({"k:items=1000"}));
  EXPECT_NEAR(found.seconds, 1.0, 1e-9);
  EXPECT_EQ(items_of_unit(found, 1), 0);
}

TEST_F(ScheduleSearch, UsesSeveralBlocksWhereCopiesCanOverlap) {
  write({{.item_s = 1e-3, .link_item_s = 1e-3}});
  // One block of 1000 items takes 2 s. The copies take 1 s. After the last copy of 32 equal blocks
  // 1/32 s of computing is left, and less if the last block is smaller. No schedule ends before
  // 1.001 s, because one item must be computed after all copies.
  const BestKnown found =
      search(world({fmt::format("k:items=1000,in_bytes_per_item={}", bytes_per_item)}));
  EXPECT_GT(found.schedule.front()[0].size(), 1U);
  EXPECT_LE(found.seconds, 1.01);
  EXPECT_GE(found.seconds, 1.001 - 1e-9);
}

TEST_F(ScheduleSearch, CountsOnOverlapWhenItDivides) {
  write({{.item_s = 1e-3, .link_item_s = 1e-3}, {.item_s = 1e-3}});
  // With one block, u0 takes 2 ms per item: 667 and 333 items, 0.667 s. With 32 blocks it takes
  // 33/32 ms per item: 492 and 508 items, 0.508 s. The shares of the bound, half of the items each,
  // would take 0.516 s.
  const BestKnown found =
      search(world({fmt::format("k:items=1000,in_bytes_per_item={}", bytes_per_item)}));
  EXPECT_LE(found.seconds, 0.508 * (1.0 + 1e-6));
  EXPECT_LT(items_of_unit(found, 0), items_of_unit(found, 1));
  EXPECT_GE(found.seconds, 0.5);
}

TEST_F(ScheduleSearch, WorksAroundAUnitThatFails) {
  write({{}, {}});
  const SimMachine disturbed = world({"k:items=1000"}, R"({"at_s":0.3,"unit":"u0","kind":"fail"})");
  // Equal shares would lose half of u0's share: 1 s in all. u0 can do 299 or 300 items before it
  // fails: 0.7 s.
  EXPECT_NEAR(simulated_s(disturbed), 1.0, 1e-2);
  EXPECT_LE(search(disturbed).seconds, 0.7 * 1.01);
}

TEST_F(ScheduleSearch, CountsOnAUnitThatJoins) {
  write({{}, {}});
  // u0 does 500 items until 0.5 s. Each unit does half of the other 500.
  const SimMachine disturbed = world({"k:items=1000"}, R"({"at_s":0.5,"unit":"u1","kind":"join"})");
  EXPECT_LE(search(disturbed).seconds, 0.75 * 1.01);
}

TEST_F(ScheduleSearch, FollowsAUnitThatSlowsDown) {
  write({{}, {}});
  // 200 items in the first 0.1 s, then 1000 + 250 items/s: 0.1 + 800 / 1250 = 0.74 s.
  const SimMachine disturbed =
      world({"k:items=1000"}, R"({"at_s":0.1,"unit":"u1","kind":"slow","factor":4})");
  EXPECT_LE(search(disturbed).seconds, 0.74 * 1.01);
}

TEST_F(ScheduleSearch, SearchesEachPhase) {
  write({{.item_s = 1e-3}, {.item_s = 3e-3}});
  const BestKnown found = search(world({"k:items=1000", "l:items=400", "k:items=40,iterations=2"}));
  EXPECT_NEAR(found.seconds, 0.75 + 0.3 + 2 * 0.03, 1e-9);
}

TEST_F(ScheduleSearch, CountsEachPhasesOwnDispatchAndFirstUse) {
  write({{.item_s = 1e-3}, {.item_s = 3e-3}}, {.dispatch_s = 0.01, .first_use_s = 0.02},
        {.dispatch_s = 0.04});
  const BestKnown found = search(world({"k:items=1000", "l:items=400"}));
  EXPECT_NEAR(found.seconds, 0.01 + 0.02 + 0.75 + 0.04 + 0.3, 1e-9);
}

TEST_F(ScheduleSearch, MeetsTheScenarioInALaterPhaseWhenItWill) {
  write({{}, {}});
  // The first phase ends at 0.5 s, when u1 slows down. Then 1000 + 250 items/s: 0.5 + 0.8 s. If the
  // search assumed that the second phase begins at 0, it would give each unit 500 items: 2.5 s in
  // all.
  const SimMachine disturbed = world({"k:items=1000", "l:items=1000"},
                                     R"({"at_s":0.5,"unit":"u1","kind":"slow","factor":4})");
  EXPECT_LE(search(disturbed).seconds, 1.3 * 1.01);
}

TEST_F(ScheduleSearch, BalancesTheLastOfManyIterations) {
  write({{}, {}});
  // u1 does 250 items/s from 0.2 s on, during the first iteration. Then 800 and 200 items end
  // together. The first iteration takes a little less than 0.8 s.
  const SimMachine disturbed =
      world({"k:items=1000,iterations=10"}, R"({"at_s":0.2,"unit":"u1","kind":"slow","factor":4})");
  EXPECT_LE(search(disturbed).seconds, 8.0 * (1.0 + 1e-3));
}

TEST_F(ScheduleSearch, KnowsWhenNoScheduleCompletes) {
  write({{}, {}});
  SimMachine lost = world({"k:items=1000"}, R"({"at_s":0.1,"unit":"u0","kind":"fail"},)"
                                            R"({"at_s":0.2,"unit":"u1","kind":"fail"})");
  EXPECT_THROW(static_cast<void>(search_schedule(lost, options)), BackendError);
  find_best_schedule(lost, options);
  EXPECT_FALSE(lost.best_known.has_value());
  EXPECT_TRUE(lost.schedule.empty());
}

TEST_F(ScheduleSearch, FindsAScheduleWhereTheDivisionDoesNotComplete) {
  write({{.item_s = 1e-3, .link_item_s = 1e-3}, {.item_s = 1e-3}});
  // The division needs 0.667 s. With half of the items each, in many blocks, little more than 0.5 s
  // is enough.
  const SimMachine hurried =
      world({fmt::format("k:items=1000,in_bytes_per_item={}", bytes_per_item)},
            R"({"at_s":0.6,"unit":"u0","kind":"fail"},{"at_s":0.6,"unit":"u1","kind":"fail"})");
  const BestKnown found = search_schedule(hurried, options);
  EXPECT_LE(found.seconds, 0.508 * (1.0 + 1e-6));
  EXPECT_FALSE(found.schedule.empty());
}

TEST_F(ScheduleSearch, KeepsWhatItFoundInTheWorld) {
  write({{.item_s = 1e-3, .link_item_s = 1e-3}, {.item_s = 1e-3}});
  SimMachine known = world({fmt::format("k:items=500,in_bytes_per_item={}", bytes_per_item)});
  const double by_itself_s = simulated_s(known);
  find_best_schedule(known, options);
  ASSERT_TRUE(known.best_known.has_value());
  EXPECT_EQ(known.schedule, search_schedule(world(options.workloads), options).schedule);
  EXPECT_NEAR(simulated_s(known), known.best_known->seconds, 1e-6);
  EXPECT_LT(known.best_known->seconds, by_itself_s);
}

TEST_F(ScheduleSearch, MeasuresPoliciesThatKnowTheMeansUnderTheSameNoise) {
  write({{.relative_sd = 0.2}, {.relative_sd = 0.2}});
  SimMachine noisy = world({"k:items=1000"});
  find_best_schedule(noisy, options);
  constexpr int reps = 60;
  double plan_s = 0.0;
  for (int repetition = 0; repetition < reps; ++repetition) {
    const auto number = static_cast<std::uint64_t>(repetition);
    const RunReport report =
        run_simulation(simulation_of(noisy, parse_policy("optimum"), options, number));
    plan_s += report.run.numbers.makespan.value / reps;
  }
  // One block of 500 items on each unit ends 0.2 * 0.56 * 0.5 s after the mean, on average; who
  // reacts loses less.
  const std::optional<BestReached> reached = best_reached(noisy, options, reps);
  ASSERT_TRUE(reached.has_value());
  EXPECT_LT(reached->seconds, 0.97 * plan_s);
  EXPECT_NE(reached->spelling, "optimum");
  options.noise = false;
  EXPECT_NEAR(best_reached(noisy, options, reps)->seconds, 0.5, 1e-6);
}

TEST_F(ScheduleSearch, KnowsNoBestWhereNobodyCompletes) {
  write({{}});
  const SimMachine lost = world({"k:items=1000"}, R"({"at_s":0.1,"unit":"u0","kind":"fail"})");
  EXPECT_FALSE(best_reached(lost, options, 10).has_value());
}

/// While this object exists, this process may use only one core.
class OneCore {
 public:
  OneCore() {
    ::sched_getaffinity(0, sizeof before_, &before_);
    cpu_set_t one;
    CPU_ZERO(&one);
    for (std::size_t core = 0; core < CPU_SETSIZE && CPU_COUNT(&one) == 0; ++core) {
      if (CPU_ISSET(core, &before_)) CPU_SET(core, &one);
    }
    ::sched_setaffinity(0, sizeof one, &one);
  }
  OneCore(const OneCore&) = delete;
  OneCore& operator=(const OneCore&) = delete;
  ~OneCore() { ::sched_setaffinity(0, sizeof before_, &before_); }

 private:
  cpu_set_t before_{};
};

TEST_F(ScheduleSearch, FindsTheSameAgainOnAnyNumberOfCores) {
  write({{.item_s = 1e-3, .fixed_s = 1e-3, .link_item_s = 2e-4}, {.item_s = 2e-3}});
  options.noise = true;  // noise applies to later runs only; the search uses means
  const SimMachine in = world({fmt::format("k:items=500,in_bytes_per_item={}", bytes_per_item)},
                              R"({"at_s":0.1,"unit":"u1","kind":"slow","factor":2})");
  const BestKnown first = search_schedule(in, options);
  const BestKnown second = search_schedule(in, options);
  const OneCore one;
  ASSERT_EQ(cores_to_use(), 1U);
  const BestKnown alone = search_schedule(in, options);
  for (const BestKnown& other : {second, alone}) {
    EXPECT_EQ(other.schedule, first.schedule);
    EXPECT_EQ(other.seconds, first.seconds);
  }
}

}  // namespace
}  // namespace equipoise::schedule_search_test
