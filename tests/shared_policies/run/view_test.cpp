// Tests of what the View knows of resident data.
#include "shared_policies/run/view.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "shared_policies/contract/fake_executor.hpp"
#include "shared_policies/run/run_loop.hpp"
#include "tests/support/disturb.hpp"
#include "tests/support/random_seed.hpp"
#include "tests/support/scripted.hpp"

namespace equipoise::view_test {
namespace {

bool has_started(const Event& event) {
  return std::holds_alternative<IterationStarted>(event.what);
}

/// The places of the resident data of all units, and how many bytes are to be sent to each.
std::vector<std::pair<DataPlace, double>> places(const View& view) {
  std::vector<std::pair<DataPlace, double>> of;
  for (const UnitState& unit : view.units()) {
    of.emplace_back(view.resident_data(unit.id), view.resident_bytes_to_send(unit.id));
  }
  return of;
}

TEST(View, KnowsWhereResidentDataLie) {
  // A CPU beside the input, a GPU there, and two GPUs of another node. The first iteration needs
  // 100 bytes, later ones 10 that have changed. The third unit brings them to its node.
  constexpr auto here = DataPlace::here;
  constexpr auto node = DataPlace::node;
  constexpr auto master = DataPlace::master;
  Workload workload = items_of(20, 1, 2);
  workload.resident_bytes = 100;
  workload.iteration_bytes = 10;
  RunSetup setup = setup_of(4, workload);
  for (std::size_t i = 1; i < 4; ++i) setup.units[i].kind = UnitKind::gpu;
  for (const std::size_t i : {2, 3}) {
    setup.units[i].node = "n1";
    setup.units[i].is_remote = true;
  }
  FakeUnit remote = affine_unit(0, 1);
  remote.resident_s = 2.0;
  remote.iteration_s = 1.0;
  remote.node = "n1";
  const FakeSetup machine{{affine_unit(0, 1), affine_unit(0, 1), remote, remote},
                          {},
                          {{Seconds{12.5}, UnitId{2}, false}}};
  int checked = 0;
  Scripted policy([&](const View& view, const Event& event, Decisions& decisions) {
    if (has_started(event) && view.iteration() == 0) {
      ++checked;
      EXPECT_EQ(places(view), (std::vector<std::pair<DataPlace, double>>{
                                  {node, 0}, {master, 100}, {master, 100}, {master, 100}}));
      decisions.assign(UnitId{1}, 10);
      decisions.assign(UnitId{2}, 5);
      EXPECT_EQ(view.resident_data(UnitId{2}), DataPlace::coming);
      EXPECT_EQ(view.resident_data(UnitId{3}), DataPlace::coming) << "with the third unit's";
    } else if (has_started(event)) {
      ++checked;
      EXPECT_EQ(places(view), (std::vector<std::pair<DataPlace, double>>{
                                  {node, 0}, {master, 10}, {master, 10}, {master, 100}}));
      decisions.assign(UnitId{0}, 20);
    } else if (const auto* finished = std::get_if<BlockFinished>(&event.what);
               finished && view.now() == Seconds{7}) {
      ++checked;
      EXPECT_EQ(places(view), (std::vector<std::pair<DataPlace, double>>{
                                  {node, 0}, {DataPlace::coming, 0}, {here, 0}, {node, 0}}));
      decisions.assign(UnitId{2}, 5);
    } else if (std::holds_alternative<UnitLost>(event.what)) {
      ++checked;
      EXPECT_EQ(view.resident_data(UnitId{2}), master);
      EXPECT_DOUBLE_EQ(view.resident_bytes_to_send(UnitId{2}), 100.0);
    }
  });
  const auto executor = make_fake_executor(machine);
  MemoryJournal journal;
  EXPECT_TRUE(run_policy(*executor, policy, setup, journal).complete);
  EXPECT_EQ(checked, 4);
}

TEST(View, KnowsThatReplicatedDataAreThere) {
  // A unit that comes late has none; one that was there gets what an iteration changes.
  Workload workload = items_of(10, 1, 2);
  workload.resident_bytes = 100;
  workload.iteration_bytes = 10;
  workload.distribution = Distribution::replicated;
  RunSetup setup = setup_of(3, workload);
  for (Unit& unit : setup.units) unit.kind = UnitKind::gpu;
  setup.absent_at_start = {UnitId{2}};
  FakeSetup machine{std::vector<FakeUnit>(3, affine_unit(0, 1)), {}, {}};
  machine.scenario.events = {disturb(DisturbanceKind::join, "u2", 1)};
  Scripted policy([&](const View& view, const Event& event, Decisions& decisions) {
    if (!has_started(event)) return;
    const double changed = view.iteration() == 0 ? 0.0 : 10.0;
    const DataPlace place = view.iteration() == 0 ? DataPlace::here : DataPlace::master;
    EXPECT_EQ(places(view), (std::vector<std::pair<DataPlace, double>>{
                                {place, changed}, {place, changed}, {DataPlace::master, 100}}));
    decisions.assign(UnitId{0}, 10);
  });
  const auto executor = make_fake_executor(machine);
  MemoryJournal journal;
  EXPECT_TRUE(run_policy(*executor, policy, setup, journal).complete);
}

/// Units that are lost and come back at random. Resident data take 0.3 s, what an iteration changes
/// 0.1 s.
FakeSetup random_machine(std::mt19937& random, bool is_replicated) {
  std::uniform_real_distribution<double> when(0.0, 6.0);
  FakeSetup machine;
  for (std::uint32_t i = 0; i < 4; ++i) {
    FakeUnit unit = affine_unit(0.01, 0.02);
    unit.resident_s = 0.3;
    unit.iteration_s = 0.1;
    unit.is_replicated = is_replicated;
    unit.copy_engines = static_cast<int>(random() % 3);
    machine.units.push_back(unit);
    if (i == 0) continue;
    for (int fault = 0; fault < 2; ++fault) {
      const double at_s = when(random);
      machine.faults.push_back({Seconds{at_s}, UnitId{i}, false});
      machine.faults.push_back({Seconds{at_s + 0.3 * when(random)}, UnitId{i}, true});
    }
  }
  return machine;
}

TEST(View, KnowsTheSetupOfTheNextBlockWhateverHappens) {
  const unsigned seed = random_seed();
  for (int round = 0; round < rounds_of(200); ++round) {
    SCOPED_TRACE("--gtest_random_seed=" + std::to_string(seed) + ", round " +
                 std::to_string(round));
    std::mt19937 random(seed + static_cast<unsigned>(round));
    Workload workload = items_of(300, 1, 4);
    workload.resident_bytes = 100;
    workload.iteration_bytes = 10;
    const bool is_replicated = round % 2 == 1;
    workload.distribution = is_replicated ? Distribution::replicated : Distribution::master;
    RunSetup setup = setup_of(4, workload);
    for (Unit& unit : setup.units) unit.kind = UnitKind::gpu;
    std::map<std::uint64_t, double> setups_s;  // of blocks, as the View tells
    std::uint64_t next = 0;
    Scripted policy([&](const View& view, const Event& event, Decisions& decisions) {
      if (const auto* finished = std::get_if<BlockFinished>(&event.what)) {
        const auto told = setups_s.find(finished->block.id);
        if (told != setups_s.end()) {
          EXPECT_NEAR(finished->times.setup.value, told->second, 1e-9);
        }
      }
      const auto* const idle = std::get_if<UnitIdle>(&event.what);
      if (idle == nullptr) return;
      const UnitState& unit = view.unit(idle->unit);
      const bool has_none = unit.outstanding.empty() && unit.going_on.empty();
      const double bytes = view.resident_bytes_to_send(idle->unit);
      const bool is_here = view.resident_data(idle->unit) == DataPlace::here;
      if (decisions.assign(idle->unit, static_cast<Items>(1 + random() % 20)) == 0) return;
      const std::uint64_t block = next++;
      EXPECT_EQ(is_here, bytes == 0.0);
      if (has_none) setups_s[block] = bytes == 0.0 ? 0.0 : (bytes == 100.0 ? 0.3 : 0.1);
      if (random() % 5 == 0) decisions.take_back(idle->unit, block);
    });
    MemoryJournal journal;
    const auto executor = make_fake_executor(random_machine(random, is_replicated));
    ASSERT_TRUE(run_policy(*executor, policy, setup, journal).complete);
  }
}

TEST(View, KnowsWhichItemsAreNotHandedOut) {
  // Blocks of 10, 20 and 30 items; the one in the middle is taken back, so that the next one begins
  // with its first item and ends where the last begins.
  std::vector<std::vector<std::pair<Items, Items>>> seen;
  Scripted policy([&](const View& view, const Event& event, Decisions& decisions) {
    const auto look = [&] {
      auto& ranges = seen.emplace_back();
      for (const ItemRange& range : view.not_handed_out()) {
        ranges.emplace_back(range.first, range.items);
      }
    };
    if (has_started(event)) {
      look();
      for (const Items items : {10, 20, 30}) decisions.assign(UnitId{0}, items);
      look();
      EXPECT_TRUE(decisions.take_back(UnitId{0}, 1));
      look();
      decisions.assign(UnitId{0}, 15);
      look();
    } else if (std::holds_alternative<UnitIdle>(event.what)) {
      decisions.assign(UnitId{0}, view.remaining());
    }
  });
  MemoryJournal journal;
  const auto executor = make_fake_executor({{affine_unit(0, 1)}, {}, {}});
  EXPECT_TRUE(run_policy(*executor, policy, setup_of(1, items_of(100)), journal).complete);
  using Ranges = std::vector<std::pair<Items, Items>>;
  EXPECT_EQ(seen, (std::vector<Ranges>{
                      {{0, 100}}, {{60, 40}}, {{10, 20}, {60, 40}}, {{25, 5}, {60, 40}}}));
}

}  // namespace
}  // namespace equipoise::view_test
