// Checks that independent computations give the same times: the simulator and the fake executor,
// dates that are computed in advance and SimGrid activities, and two runs with the same seed.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "shared_policies/contract/fake_executor.hpp"
#include "shared_policies/contract/random_machine.hpp"
#include "tests/support/random_policy.hpp"
#include "tests/support/random_seed.hpp"
#include "tests/support/sim_platforms.hpp"
#include "tests/support/simulate.hpp"

namespace equipoise::agreement_test {
namespace {

constexpr double tolerance = 1e-9;
constexpr Seconds merge{1e-3};

struct Instance {
  TestPlatform platform;
  std::vector<Workload> phases;
  std::vector<Items> block_items;
  Seconds dispatch;
  ControllerWork controller;
};

/// Up to 12 units with private links and with or without overlapping blocks; two phases, and
/// resident data of which some may change between iterations. Half of the controllers are busy.
Instance random_instance(std::mt19937& random) {
  const auto uniform = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  const auto whole = [&](double low, double high) { return std::floor(uniform(low, high)); };
  Instance instance;
  const auto units = static_cast<std::size_t>(whole(1, 13));
  for (std::size_t i = 0; i < units; ++i) {
    const double bandwidth = std::pow(10, uniform(6, 10));
    TestUnit unit{uniform(0, 1e-3), std::pow(10, uniform(-6, -3)), 0.1, bandwidth,
                  uniform(0, 1e-4)};
    unit.copy_engines = static_cast<int>(whole(1, 3));
    unit.slots = static_cast<int>(whole(1, 5));
    if (unit.copy_engines == 2) unit.sharing = "SPLITDUPLEX";
    instance.block_items.push_back(static_cast<Items>(whole(1, 200)));
    // 1 byte per item, beside the resident data: memory for one to four blocks.
    if (whole(0, 2) > 0) {
      unit.memory_bytes = 1e6 + uniform(1, 4) * static_cast<double>(instance.block_items.back());
    }
    instance.platform.units.push_back(unit);
  }
  for (int phase = 0; phase < 2; ++phase) {
    Workload workload;
    workload.kernel = phase == 0 ? "first" : "second";
    workload.items = static_cast<Items>(whole(500, 5000));
    workload.iterations = static_cast<int>(whole(1, 3));
    workload.in_bytes_per_item = whole(0, 10'000);
    workload.out_bytes_per_item = whole(0, 2) * whole(0, 10'000);
    workload.resident_bytes = 1e6;
    workload.iteration_bytes = whole(0, 3) * 5e5;
    workload.distribution = whole(0, 2) > 0 ? Distribution::master : Distribution::replicated;
    workload.memory_bytes_per_item = 1.0;
    instance.phases.push_back(workload);
  }
  instance.dispatch = {uniform(0, 1e-4)};
  if (whole(0, 2) > 0) {
    instance.controller = {{uniform(0, 1e-4)}, {uniform(0, 1e-4)}, uniform(0, 1e-10)};
  }
  return instance;
}

/// Puts the units on devices, two or three that follow one another on each.
void share_devices(Instance& instance, std::mt19937& random) {
  std::vector<TestUnit>& units = instance.platform.units;
  for (std::size_t first = 0; first < units.size();) {
    const std::size_t end = std::min(units.size(), first + 2 + random() % 2);
    for (std::size_t i = first; i < end; ++i) {
      units[i].device = "card" + std::to_string(first);
      units[i].copy_engines = units[first].copy_engines;
      units[i].sharing = units[first].sharing;
      units[i].bandwidth = units[first].bandwidth;
      units[i].latency_s = units[first].latency_s;
    }
    first = end;
  }
}

void expect_same(const std::vector<Finish>& a, const std::vector<Finish>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    ASSERT_EQ(a[i].unit, b[i].unit) << i;
    ASSERT_EQ(a[i].block, b[i].block) << i;
    ASSERT_NEAR(a[i].assigned_s, b[i].assigned_s, tolerance) << i;
    ASSERT_NEAR(a[i].setup_s, b[i].setup_s, tolerance) << i;
    ASSERT_NEAR(a[i].in_s, b[i].in_s, tolerance) << i;
    ASSERT_NEAR(a[i].compute_s, b[i].compute_s, tolerance) << i;
    ASSERT_NEAR(a[i].out_s, b[i].out_s, tolerance) << i;
    ASSERT_NEAR(a[i].setup_at_s, b[i].setup_at_s, tolerance) << i;
    ASSERT_NEAR(a[i].in_at_s, b[i].in_at_s, tolerance) << i;
    ASSERT_NEAR(a[i].compute_at_s, b[i].compute_at_s, tolerance) << i;
    ASSERT_NEAR(a[i].out_at_s, b[i].out_at_s, tolerance) << i;
    ASSERT_NEAR(a[i].at_s, b[i].at_s, tolerance) << i;
  }
}

/// The link of one `direction` of the `i`th unit: that of the first unit of its device.
std::string link_of(const TestPlatform& platform, std::size_t i, const std::string& direction) {
  const TestUnit& unit = platform.units[i];
  std::size_t owner = i;
  while (!unit.device.empty() && owner > 0 && platform.units[owner - 1].device == unit.device) {
    --owner;
  }
  return "link" + std::to_string(owner) + (unit.sharing == "SPLITDUPLEX" ? direction : "");
}

/// What phases cost in addition to their blocks.
PhaseCosts costs_of(const Instance& instance, Seconds first_use = {}) {
  PhaseCosts costs{instance.dispatch, first_use, merge};
  costs.controller = instance.controller;
  return costs;
}

/// The fake executor's setup with the times of `instance`, which has one phase.
FakeSetup fake_setup_of(const Instance& instance) {
  const Workload& work = instance.phases[0];
  FakeSetup fake;
  fake.dispatch = instance.dispatch;
  fake.controller = instance.controller;
  fake.merge = merge;
  for (std::size_t i = 0; i < instance.platform.units.size(); ++i) {
    const TestUnit& unit = instance.platform.units[i];
    const auto moved = [&](double bytes_per_item) {
      return [=](double items) {
        const double bytes = bytes_per_item * items;
        return bytes > 0.0 ? unit.latency_s + bytes / unit.bandwidth : 0.0;
      };
    };
    FakeUnit table = affine_unit(unit.fixed_s, unit.per_item_s);
    table.in_s = moved(work.in_bytes_per_item);
    table.out_s = moved(work.out_bytes_per_item);
    table.copied_bytes = [bytes = work.in_bytes_per_item + work.out_bytes_per_item](double items) {
      return bytes * items;
    };
    table.resident_s = moved(work.resident_bytes)(1.0);
    table.iteration_s = moved(work.iteration_bytes)(1.0);
    table.is_replicated = work.distribution == Distribution::replicated;
    const auto probed = [=](double bytes) { return unit.latency_s + bytes / unit.bandwidth; };
    table.probe_there_s = table.probe_back_s = probed;
    table.copy_engines = unit.copy_engines;
    table.device = unit.device;
    if (unit.memory_bytes) table.memory_items = static_cast<Items>(*unit.memory_bytes - 1e6);
    table.in = {link_of(instance.platform, i, "_DOWN"), unit.latency_s};
    table.out = {link_of(instance.platform, i, "_UP"), unit.latency_s};
    fake.units.push_back(table);
  }
  return fake;
}

/// Disturbs units and links of `instance`.
Scenario disturbances_of(const Instance& instance, std::mt19937& random) {
  std::vector<std::string> links;
  for (const Link& link : sim_setup(instance.platform, instance.phases).platform.links) {
    links.push_back(link.name);
  }
  return random_scenario(instance.platform.units.size(), links, 0.5, random);
}

/// The simulator, with dates and with activities, and the fake executor make the same of
/// `instance`, which has one phase.
void expect_agreement(const Instance& instance, const Scenario& scenario) {
  SimSetup setup = sim_setup(instance.platform, instance.phases);
  setup.costs.assign(setup.phases.size(), costs_of(instance));
  setup.scenario = scenario;
  FakeSetup fake = fake_setup_of(instance);
  fake.scenario = scenario;
  const std::unique_ptr<Executor> executor = make_fake_executor(fake);
  const Seen expected = run_blocks(*executor, run_of(setup), instance.block_items);
  expect_same(simulate_blocks(setup, instance.block_items).finishes, expected.finishes);
  setup.activities_only = true;
  expect_same(simulate_blocks(setup, instance.block_items).finishes, expected.finishes);
}

/// Calls `check(instance, repetition, random)` for `repetitions` instances of one phase, until one
/// fails.
template <class Check>
void for_random_instances(std::uint64_t seed, int repetitions, Check&& check) {
  SCOPED_TRACE("--gtest_random_seed=" + std::to_string(seed));
  std::mt19937 random(seed);
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    SCOPED_TRACE(repetition);
    Instance instance = random_instance(random);
    instance.phases.resize(1);  // the fake executor is set up for one phase
    check(instance, repetition, random);
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(SimulatorAndFakeExecutor, AgreeIfNothingIsShared) {
  for_random_instances(20'240'601, 25,
                       [](const Instance& instance, int /*repetition*/, std::mt19937& /*random*/) {
                         expect_agreement(instance, {});
                       });
}

TEST(SimulatorAndFakeExecutor, AgreeUnderAScenario) {
  for_random_instances(random_seed(), 25,
                       [](const Instance& instance, int /*repetition*/, std::mt19937& random) {
                         expect_agreement(instance, disturbances_of(instance, random));
                       });
}

TEST(SimulatorAndFakeExecutor, AgreeIfUnitsShareDevices) {
  for_random_instances(
      random_seed(), 40, [](Instance& instance, int repetition, std::mt19937& random) {
        share_devices(instance, random);
        const bool is_disturbed = repetition % 2 == 1;
        expect_agreement(instance, is_disturbed ? disturbances_of(instance, random) : Scenario{});
      });
}

TEST(SimulatorAndFakeExecutor, AgreeOnProbesAndOnBlocksThatAreTakenBackOrGivenTwice) {
  const unsigned policy_seed = random_seed();
  for_random_instances(
      policy_seed, 40, [&](Instance& instance, int repetition, std::mt19937& random) {
        if (repetition % 2 == 1) share_devices(instance, random);
        SimSetup setup = sim_setup(instance.platform, instance.phases);
        setup.costs.assign(setup.phases.size(), costs_of(instance));
        FakeSetup fake = fake_setup_of(instance);
        if (repetition % 4 > 1) setup.scenario = fake.scenario = disturbances_of(instance, random);
        const auto make = [&] {
          return std::make_unique<RandomPolicy>(policy_seed + static_cast<unsigned>(repetition),
                                                100, Seconds{0.05});
        };
        const Seen expected = run_policy_on(*make_fake_executor(fake), run_of(setup), *make());
        for (const bool activities_only : {false, true}) {
          setup.activities_only = activities_only;
          const Seen seen = simulate_policy(setup, make);
          expect_same(seen.finishes, expected.finishes);
          ASSERT_EQ(seen.numbers.size(), expected.numbers.size());
          for (std::size_t i = 0; i < seen.numbers.size(); ++i) {
            ASSERT_NEAR(seen.numbers[i], expected.numbers[i], tolerance) << i;
          }
        }
      });
}

TEST(DatesAndActivities, AgreeOnPrivateLinks) {
  const std::uint64_t seed = 77;
  SCOPED_TRACE("--gtest_random_seed=" + std::to_string(seed));
  std::mt19937 random(seed);
  for (int repetition = 0; repetition < 25; ++repetition) {
    SCOPED_TRACE(repetition);
    const Instance instance = random_instance(random);
    SimSetup setup = sim_setup(instance.platform, instance.phases);
    setup.costs.assign(setup.phases.size(), costs_of(instance, {1e-3}));
    setup.noise = repetition % 2 == 0;
    const Seen dates = simulate_blocks(setup, instance.block_items);
    setup.activities_only = true;
    expect_same(simulate_blocks(setup, instance.block_items).finishes, dates.finishes);
    if (HasFatalFailure()) return;
  }
}

TEST(DatesAndActivities, AgreeIfSomeLinksAreShared) {
  const std::uint64_t seed = 78;
  SCOPED_TRACE("--gtest_random_seed=" + std::to_string(seed));
  std::mt19937 random(seed);
  for (int repetition = 0; repetition < 10; ++repetition) {
    SCOPED_TRACE(repetition);
    Instance instance = random_instance(random);
    instance.platform.shared_bandwidth = 1e8;
    instance.platform.shared_latency_s = 1e-5;
    SimSetup setup = sim_setup(instance.platform, instance.phases);
    setup.costs.assign(setup.phases.size(), costs_of(instance));
    const Seen dates = simulate_blocks(setup, instance.block_items);
    setup.activities_only = true;
    expect_same(simulate_blocks(setup, instance.block_items).finishes, dates.finishes);
    if (HasFatalFailure()) return;
  }
}

TEST(Simulator, RepeatsARunToTheLastBit) {
  std::mt19937 random(79);
  Instance instance = random_instance(random);
  instance.platform.shared_bandwidth = 1e7;
  SimSetup setup = sim_setup(instance.platform, instance.phases);
  setup.noise = true;
  const Seen first = simulate_blocks(setup, instance.block_items);
  EXPECT_EQ(simulate_blocks(setup, instance.block_items).finishes, first.finishes);
  setup.repetition = 1;
  EXPECT_NE(simulate_blocks(setup, instance.block_items).finishes, first.finishes);
}

}  // namespace
}  // namespace equipoise::agreement_test
