// Tests that the energy counted from journals agrees with SimGrid's host energy plugin for the same
// simulation. This is the only test that calls SimGrid: it starts the plugin and reads its values.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <simgrid/host.h>
#include <simgrid/plugins/energy.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "platforms/platform_file.hpp"
#include "shared_policies/model/failure.hpp"
#include "shared_policies/run/metrics.hpp"
#include "sim/child_process.hpp"
#include "tests/support/program.hpp"
#include "tests/support/random_seed.hpp"
#include "tests/support/scripted.hpp"
#include "tests/support/sim_platforms.hpp"

namespace equipoise::energy_test {
namespace {

/// Joules of each unit, (n), from both sources.
struct Joules {
  std::vector<double> journal;
  std::vector<double> plugin;
};

/// A function of the SimGrid library that the simulator's module loads.
template <class Function>
Function* of_simgrid(const char* name) {
  void* const module =
      ::dlopen(module_file("equipoise_simgrid", "sim").c_str(), RTLD_LAZY | RTLD_LOCAL);
  EQ_CHECK(module != nullptr, "the module is there");
  void* const function = ::dlsym(module, name);
  EQ_CHECK(function != nullptr, "SimGrid has the energy plugin");
  return reinterpret_cast<Function*>(function);
}

/// The units of `setup` with the watts of `platform`, parsed as the program does it.
std::vector<Unit> powered_units(const SimSetup& setup, const TestPlatform& platform) {
  std::vector<Unit> units;
  for (std::size_t i = 0; i < platform.units.size(); ++i) {
    units.push_back(setup.platform.units[i].unit);
    const Unit read = unit_from_properties("host", {{"wattage_per_state", platform.watts[i]}}).unit;
    units.back().idle_w = read.idle_w;
    units.back().busy_w = read.busy_w;
  }
  return units;
}

/// Gives blocks of `block_items` to idle units. Runs in a child process with the plugin on, and
/// every stage is a SimGrid activity.
Joules run_with_plugin(const TestPlatform& platform, const Workload& workload, Items block_items) {
  SimSetup setup = sim_setup(platform, {workload});
  setup.activities_only = true;
  const std::vector<Unit> units = powered_units(setup, platform);
  ChildProcess child([&](int fd) {
    of_simgrid<decltype(sg_host_energy_plugin_init)>(
        "sg_host_energy_plugin_init")();  // must be called before the platform is loaded
    const std::unique_ptr<Executor> executor = make_sim_executor(setup);
    Metrics metrics(units);
    Scripted policy = pieces_of(block_items);
    RunSetup run;
    run.units = units;
    run.phases = setup.phases;
    const RunOutcome outcome = run_policy(*executor, policy, run, metrics);
    std::vector<double> numbers = {outcome.complete ? 1.0 : 0.0};
    const auto host = of_simgrid<decltype(sg_host_by_name)>("sg_host_by_name");
    const auto energy_of =
        of_simgrid<decltype(sg_host_get_consumed_energy)>("sg_host_get_consumed_energy");
    for (const Unit& unit : units) numbers.push_back(energy_of(host(unit.name.c_str())));
    for (const UnitNumbers& unit : metrics.numbers().units) numbers.push_back(*unit.energy_j);
    std::string bytes(numbers.size() * sizeof(double), '\0');
    std::memcpy(bytes.data(), numbers.data(), bytes.size());
    return write_all(fd, bytes) ? 0 : 1;
  });
  const ChildProcess::Outcome outcome = child.wait();
  std::vector<double> numbers(outcome.output.size() / sizeof(double));
  std::memcpy(numbers.data(), outcome.output.data(), numbers.size() * sizeof(double));
  if (numbers.size() != 2 * units.size() + 1 || numbers.front() != 1.0) {
    ADD_FAILURE() << "an incomplete run";
    return {};
  }
  const auto middle = numbers.begin() + 1 + static_cast<std::ptrdiff_t>(units.size());
  return {{middle, numbers.end()}, {numbers.begin() + 1, middle}};
}

void expect_agreement(const Joules& joules) {
  EXPECT_FALSE(joules.plugin.empty());
  for (std::size_t i = 0; i < joules.plugin.size(); ++i) {
    EXPECT_GT(joules.plugin[i], 0.0);
    EXPECT_NEAR(joules.journal[i] / joules.plugin[i], 1.0, 1e-6) << "unit " << i;
  }
}

/// Three units of different speeds and fixed costs.
TestPlatform three_units() {
  TestPlatform platform;
  platform.units = {{0.1, 0.01}, {0.05, 0.02}, {0.3, 0.04}};
  for (TestUnit& unit : platform.units) {
    unit.bandwidth = 1e6;
    unit.latency_s = 1e-3;
  }
  platform.watts = {"10:110", "25:30:75", "0:200"};
  return platform;
}

TEST(Energy, IsWhatSimGridsPluginSaysWhereNothingMoves) {
  const Joules joules = run_with_plugin(three_units(), items_of(1000), 50);
  expect_agreement(joules);
  // Blocks take 0.6, 1.05 and 2.3 s. The last of the 20 is handed out at 6.0 s, when unit 0 ends
  // its tenth. The units do 11, 6 and 3 blocks, until 6.9 s.
  EXPECT_NEAR(joules.journal[0], 10 * 6.9 + 100 * 11 * 0.6, 1e-6);
  EXPECT_NEAR(joules.journal[1], 25 * 6.9 + 50 * 6 * 1.05, 1e-6);
  EXPECT_NEAR(joules.journal[2], 200 * 6.9, 1e-6);
}

TEST(Energy, IsWhatSimGridsPluginSaysWhereBlocksAreCopied) {
  Workload workload = items_of(1000);
  workload.in_bytes_per_item = 10'000.0;
  workload.out_bytes_per_item = 5'000.0;
  workload.resident_bytes = 3e5;
  expect_agreement(run_with_plugin(three_units(), workload, 40));
}

TEST(Energy, IsWhatSimGridsPluginSaysOfRandomMachines) {
  const std::uint64_t seed = random_seed();
  SCOPED_TRACE("--gtest_random_seed=" + std::to_string(seed));
  std::mt19937_64 random(seed);
  const auto uniform = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  for (int round = 0; round < 10; ++round) {
    SCOPED_TRACE(round);
    TestPlatform platform;
    const auto units = static_cast<std::size_t>(uniform(1, 7));
    for (std::size_t i = 0; i < units; ++i) {
      platform.units.push_back({uniform(0, 1e-2), std::pow(10, uniform(-4, -2)), 0.1,
                                std::pow(10, uniform(6, 8)), uniform(0, 1e-3)});
      const double idle_w = uniform(1, 100);
      platform.watts.push_back(std::to_string(idle_w) + ":" +
                               std::to_string(idle_w + uniform(0, 300)));
    }
    platform.shared_bandwidth = round % 2 == 0 ? 1e8 : 0.0;
    Workload workload = items_of(static_cast<Items>(uniform(100, 3000)), 1, 2);
    workload.in_bytes_per_item = uniform(0, 1e4);
    expect_agreement(run_with_plugin(platform, workload, static_cast<Items>(uniform(1, 200))));
    if (HasFailure()) return;
  }
}

TEST(Energy, IsThatOfAWholeUnitWhereSimGridSeesOneCoreOfFour) {
  TestPlatform platform;
  platform.units = {{0.0, 0.01}};
  platform.units[0].bandwidth = 1e9;
  platform.watts = {"10:50"};
  platform.cores = 4;
  const Joules joules = run_with_plugin(platform, items_of(100), 100);
  EXPECT_NEAR(joules.journal[0], 50.0, 1e-6);
  EXPECT_NEAR(joules.plugin[0], 10.0 + 40.0 / 4, 1e-6);
}

}  // namespace
}  // namespace equipoise::energy_test
