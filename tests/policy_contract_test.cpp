// What every policy of the catalog owes, on random machines whose units fail and come back.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "shared_policies/fit/timing_curve.hpp"
#include "shared_policies/policies/catalog.hpp"
#include "shared_policies/run/metrics.hpp"
#include "shared_policies/solve/lower_bound.hpp"
#include "tests/support/every_policy.hpp"
#include "tests/support/fake_executor.hpp"
#include "tests/support/random_scenario.hpp"
#include "tests/support/random_seed.hpp"
#include "tests/support/scripted.hpp"

namespace equipoise {
namespace {

/// A machine and its workloads, drawn at random.
struct RandomCase {
  [[nodiscard]] Items items() const {
    Items sum = 0;
    for (const Workload& phase : run.phases) sum += phase.items * phase.iterations;
    return sum;
  }

  FakeSetup fake;
  RunSetup run;
  Platform platform;
  std::vector<std::vector<BlockTiming>> timings;  ///< [phase][unit]
  KnownCosts known;
};

/// Times of a unit at three sizes; speed may rise or fall with size.
Trace random_trace(std::mt19937& random) {
  const auto uniform = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  Trace trace;
  trace.kernel = "test";
  trace.units.resize(1);
  double time_s = uniform(1e-4, 1e-1);
  double items = std::floor(uniform(1, 50));
  for (int i = 0; i < 3; ++i) {
    TraceSample sample;
    sample.items = items;
    sample.compute_mean_s = time_s;
    trace.samples.push_back(sample);
    const double factor = uniform(2, 20);
    items = std::floor(items * factor);
    time_s *= factor * uniform(0.6, 1.3);
  }
  return trace;
}

/// Gives a unit links of its own: one each way, or, sometimes, one for both ways of one engine.
void add_links(PlatformUnit& unit, std::vector<Link>& links, std::mt19937& random) {
  std::uniform_real_distribution<double> exponent(3, 8);
  const auto add = [&] {
    links.push_back({"link" + std::to_string(links.size()), std::pow(10, exponent(random)),
                     Seconds{1e-5 * static_cast<double>(random() % 10)}});
    return static_cast<std::uint32_t>(links.size() - 1);
  };
  unit.in.links = {add()};
  const bool has_two = unit.unit.copy_engines == 2 || random() % 2 == 0;
  unit.out.links = has_two ? std::vector<std::uint32_t>{add()} : unit.in.links;
}

/// The times of `unit` of `platform`, which shares no link.
FakeUnit table_of(const Platform& platform, const PlatformUnit& unit, const Workload& workload,
                  const BlockTiming& timing) {
  const auto moved = [&](const Route& route, double bytes_per_item) {
    return [=, links = platform](double items) {
      return transfer_time(links, route, bytes_per_item * items).value;
    };
  };
  FakeUnit fake;
  fake.compute_s = [timing](double items) { return timing.mean(items).value; };
  fake.in_s = moved(unit.in, workload.in_bytes_per_item);
  fake.out_s = moved(unit.out, workload.out_bytes_per_item);
  // In one transfer with the first block's own bytes.
  const double in_bytes = workload.in_bytes_per_item;
  fake.resident_s = (transfer_time(platform, unit.in, in_bytes + workload.resident_bytes) -
                     transfer_time(platform, unit.in, in_bytes))
                        .value;
  const auto way = [&](const Route& route) {
    if (route.links.empty()) return FakeWay{};
    return FakeWay{platform.links[route.links[0]].name, latency_of(platform.links, route).value};
  };
  fake.in = way(unit.in);
  fake.out = way(unit.out);
  fake.copy_engines = unit.unit.copy_engines;
  fake.memory_items = items_in_memory(unit.unit, workload);
  return fake;
}

Workload random_workload(std::mt19937& random) {
  const auto upto = [&](int most) { return std::uniform_int_distribution<int>(1, most)(random); };
  Workload workload = items_of(upto(4) == 1 ? upto(20) : upto(20'000), upto(8), upto(3));
  if (upto(2) == 1) {
    workload.in_bytes_per_item = upto(200) - 1;
    workload.out_bytes_per_item = upto(200) - 1;
    workload.resident_bytes = upto(2) == 1 ? upto(10'000) : 0.0;
  }
  return workload;
}

/// One to six units; half of the workloads move data. Blocks overlap where units have several
/// slots. Half of the cases have memory that counts.
RandomCase random_units(std::mt19937& random, std::vector<Workload> phases) {
  const auto upto = [&](int most) { return std::uniform_int_distribution<int>(1, most)(random); };
  RandomCase c;
  const auto units = static_cast<std::size_t>(upto(6));
  double least_bytes = 0.0;  // that hold a grain of every phase
  const bool memory_counts = upto(2) == 1;
  for (Workload& phase : phases) {
    if (memory_counts) phase.memory_bytes_per_item = 1;
    least_bytes =
        std::max(least_bytes, phase.resident_bytes + static_cast<double>(phase.grain_items));
  }
  c.run = setup_of(units, phases.front());
  c.run.phases = std::move(phases);
  for (std::size_t i = 0; i < units; ++i) {
    PlatformUnit unit{c.run.units[i], c.run.units[i].name, {}, {}};
    unit.unit.kind = upto(2) == 1 ? UnitKind::gpu : UnitKind::cpu;
    const int node = upto(3);
    unit.unit.node = "node" + std::to_string(node);
    unit.unit.is_remote = node == 3;
    unit.unit.copy_engines = upto(2);
    if (upto(4) > 1) add_links(unit, c.platform.links, random);
    if (memory_counts && upto(2) == 1) unit.unit.memory_bytes = least_bytes + upto(1000);
    unit.unit.slots = upto(3);
    c.run.units[i] = unit.unit;
    c.platform.units.push_back(unit);
  }
  return c;
}

/// Every kernel takes times of its own; a phase whose kernel was there before takes the same.
void add_times(RandomCase& c, std::mt19937& random) {
  std::map<std::string, std::vector<BlockTiming>> by_kernel;
  c.known.phases.clear();
  for (const Workload& phase : c.run.phases) {
    std::vector<BlockTiming>& timings = by_kernel[phase.kernel];
    while (timings.size() < c.run.units.size()) timings.emplace_back(random_trace(random), 0);
    std::vector<FakeUnit> fakes;
    KnownCosts::Phase& known = c.known.phases.emplace_back();
    for (std::size_t i = 0; i < c.run.units.size(); ++i) {
      const PlatformUnit& unit = c.platform.units[i];
      fakes.push_back(table_of(c.platform, unit, phase, timings[i]));
      const TimingCurve::Moving moving = moving_of(c.platform, unit, phase, {});
      known.push_back(std::make_unique<TimingCurve>(timings[i], moving));
    }
    c.timings.push_back(timings);
    if (c.timings.size() == 1) {
      c.fake.units = std::move(fakes);
    } else {
      c.fake.later_phases.push_back(std::move(fakes));
    }
  }
}

RandomCase random_case(std::mt19937& random) {
  RandomCase c = random_units(random, {random_workload(random)});
  add_times(c, random);
  return c;
}

/// Two kernels, the first of which comes again.
RandomCase random_phases(std::mt19937& random) {
  std::vector<Workload> phases;
  for (const char* kernel : {"first", "second", "first"}) {
    phases.push_back(random_workload(random));
    phases.back().kernel = kernel;
  }
  RandomCase c = random_units(random, std::move(phases));
  add_times(c, random);
  return c;
}

/// Units fail and come back; in the end all are there.
void add_faults(RandomCase& c, std::mt19937& random) {
  const auto units = static_cast<std::uint32_t>(c.run.units.size());
  std::uniform_real_distribution<double> when(0.0, 5.0);
  for (int i = 0; i < 5; ++i) {
    const UnitId unit{static_cast<std::uint32_t>(random()) % units};
    const double at_s = when(random);
    c.fake.faults.push_back({Seconds{at_s}, unit, false});
    c.fake.faults.push_back({Seconds{at_s + when(random)}, unit, true});
  }
  for (std::uint32_t i = 0; i < units; ++i) {
    c.fake.faults.push_back({Seconds{1e4}, UnitId{i}, true});
  }
}

/// Speeds and bandwidths change, units fail, come back or come late.
void add_scenario(RandomCase& c, std::mt19937& random) {
  std::vector<std::string> links;
  for (const Link& link : c.platform.links) links.push_back(link.name);
  c.fake.scenario = random_scenario(c.run.units.size(), links, 2.0, random);
  c.run.absent_at_start = absent_at_start(c.fake);
}

class EveryPolicy : public testing::TestWithParam<std::string> {
 protected:
  struct Ran {
    RunOutcome outcome;
    MemoryJournal journal;
    RunNumbers numbers;
  };

  static void expect_all_done(const RandomCase& c, const Ran& ran) {
    ASSERT_TRUE(ran.outcome.complete);
    ASSERT_FALSE(ran.outcome.policy_stalled);
    ASSERT_EQ(ran.numbers.items, c.items());
  }

  /// Of all phases, each from the bound of the one before on.
  static double bound_s(const RandomCase& c) {
    Seconds end;
    for (std::size_t phase = 0; phase < c.run.phases.size(); ++phase) {
      std::vector<const BlockTiming*> timings;
      for (const BlockTiming& timing : c.timings[phase]) timings.push_back(&timing);
      end += Seconds{
          lower_bound(c.platform, c.run.phases[phase], timings, c.fake.scenario, end).seconds};
    }
    return end.value;
  }

  static std::unique_ptr<Ran> run(const RandomCase& c) {
    auto ran = std::make_unique<Ran>();
    const auto policy = make_policy(find_policy(GetParam()), {{}, &c.known, c.run.units});
    const auto executor = make_fake_executor(c.fake);
    ran->outcome = run_policy(*executor, *policy, c.run, ran->journal);
    Metrics metrics(c.run.units);
    for (const BlockRecord& record : ran->journal.blocks) metrics.block(record);
    ran->numbers = metrics.numbers();
    return ran;
  }

  void SetUp() override { RecordProperty("seed", static_cast<int>(seed)); }

  unsigned seed = random_seed();
  std::mt19937 random{seed};
  testing::ScopedTrace trace{__FILE__, __LINE__, "--gtest_random_seed=" + std::to_string(seed)};
};

TEST_P(EveryPolicy, DoesAllItemsOfEveryIterationAndIsNeverUnderTheLowerBound) {
  for (int round = 0; round < 100; ++round) {
    SCOPED_TRACE(round);
    const RandomCase c = random_case(random);
    const auto ran = run(c);
    expect_all_done(c, *ran);
    ASSERT_GE(ran->numbers.makespan.value, bound_s(c) * (1.0 - 1e-9));
  }
}

TEST_P(EveryPolicy, DoesPhasesOfSeveralKernels) {
  for (int round = 0; round < 30; ++round) {
    SCOPED_TRACE(round);
    const RandomCase c = random_phases(random);
    const auto ran = run(c);
    expect_all_done(c, *ran);
    ASSERT_GE(ran->numbers.makespan.value, bound_s(c) * (1.0 - 1e-9));
  }
}

TEST_P(EveryPolicy, SurvivesUnitsThatFailAndComeBack) {
  for (int round = 0; round < 100; ++round) {
    SCOPED_TRACE(round);
    RandomCase c = random_case(random);
    add_faults(c, random);
    expect_all_done(c, *run(c));
  }
}

TEST_P(EveryPolicy, DoesAllItemsUnderAnyScenarioAndNotUnderTheLowerBound) {
  for (int round = 0; round < 100; ++round) {
    SCOPED_TRACE(round);
    RandomCase c = round % 4 == 0 ? random_phases(random) : random_case(random);
    add_scenario(c, random);
    const auto ran = run(c);
    expect_all_done(c, *ran);
    ASSERT_GE(ran->numbers.makespan.value, bound_s(c) * (1.0 - 1e-9));
  }
}

TEST_P(EveryPolicy, GivesWorkToUnitsThatAreAbsentAtFirst) {
  for (int round = 0; round < 50; ++round) {
    SCOPED_TRACE(round);
    RandomCase c = random_case(random);
    const double alone_s = run(c)->numbers.makespan.value;
    // All but one come while it works, or all of them: then nothing happens until the first comes.
    for (std::size_t unit = round % 2; unit < c.run.units.size(); ++unit) {
      const double at_s = std::uniform_real_distribution<double>(0.0, alone_s)(random);
      c.fake.scenario.events.push_back({.at = Seconds{at_s},
                                        .kind = DisturbanceKind::join,
                                        .target = c.run.units[unit].name,
                                        .profile = {}});
    }
    c.run.absent_at_start = absent_at_start(c.fake);
    const auto ran = run(c);
    expect_all_done(c, *ran);
    for (const BlockRecord& record : ran->journal.blocks) {
      const Presence presence = c.fake.scenario.presence_of(c.run.units[record.unit.index].name);
      if (!presence.at_start) {
        ASSERT_GE(record.assigned, presence.changes.front().at);
      }
    }
  }
}

TEST_P(EveryPolicy, DecidesTheSameForTheSameEvents) {
  for (int round = 0; round < 10; ++round) {
    RandomCase c = random_phases(random);
    add_faults(c, random);
    add_scenario(c, random);
    const auto a = run(c);
    const auto b = run(c);
    ASSERT_EQ(a->journal.blocks.size(), b->journal.blocks.size()) << "round " << round;
    for (std::size_t i = 0; i < a->journal.blocks.size(); ++i) {
      const BlockRecord& x = a->journal.blocks[i];
      const BlockRecord& y = b->journal.blocks[i];
      ASSERT_EQ(x.block.first, y.block.first) << "round " << round;
      ASSERT_EQ(x.block.items, y.block.items) << "round " << round;
      ASSERT_EQ(x.unit, y.unit) << "round " << round;
      ASSERT_EQ(x.end, y.end) << "round " << round;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Catalog, EveryPolicy, testing::ValuesIn(policy_names()),
                         policy_in_test_name);

}  // namespace
}  // namespace equipoise
