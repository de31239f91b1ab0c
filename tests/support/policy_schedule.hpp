// Runs a policy on the fake executor and keeps its journal, for tests of policies.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "shared_policies/contract/fake_executor.hpp"
#include "shared_policies/fit/speed_curve.hpp"
#include "shared_policies/policies/catalog.hpp"
#include "shared_policies/run/run_loop.hpp"
#include "tests/support/scripted.hpp"

namespace equipoise {

/// The records of a run.
struct Schedule {
  /// Sizes of one unit's blocks with `tag`, in order.
  [[nodiscard]] std::vector<Items> sizes(std::uint32_t unit, BlockTag tag) const {
    std::vector<Items> list;
    for (const BlockRecord& record : blocks) {
      if (record.unit.index == unit && record.block.tag == tag) {
        list.push_back(record.block.items);
      }
    }
    return list;
  }
  /// One unit's accepted blocks, in the order in which they were handed out.
  [[nodiscard]] std::vector<BlockRecord> blocks_on(std::uint32_t unit) const {
    std::vector<BlockRecord> list;
    for (const BlockRecord& record : blocks) {
      if (record.unit.index == unit) list.push_back(record);
    }
    std::ranges::sort(list, {}, [](const BlockRecord& record) { return record.block.id; });
    return list;
  }
  /// Sizes of all blocks in the order in which they were handed out.
  [[nodiscard]] std::vector<Items> sizes_as_handed_out() const {
    std::map<std::uint64_t, Items> by_id;
    for (const BlockRecord& record : blocks) {
      by_id[record.block.id] = record.block.items;
    }
    std::vector<Items> list;
    for (const auto& [id, size] : by_id) {
      list.push_back(size);
    }
    return list;
  }
  [[nodiscard]] Items items() const {
    Items sum = 0;
    for (const BlockRecord& record : blocks) {
      sum += record.block.items;
    }
    return sum;
  }
  /// (n), the items that each unit did
  [[nodiscard]] std::vector<Items> items_by_unit() const {
    std::vector<Items> sums(units, 0);
    for (const BlockRecord& record : blocks) {
      sums[record.unit.index] += record.block.items;
    }
    return sums;
  }
  [[nodiscard]] double makespan() const {
    double end = 0.0;
    for (const BlockRecord& record : blocks) {
      end = std::max(end, record.end.value);
    }
    return end;
  }
  /// How many notes have this text.
  [[nodiscard]] std::size_t notes_of(const std::string& text) const {
    std::size_t count = 0;
    for (const EventRecord& record : events) {
      const auto* const note = std::get_if<Note>(&record.what);
      count += note != nullptr && note->text == text ? 1 : 0;
    }
    return count;
  }
  [[nodiscard]] std::size_t decisions_called(DecisionKind kind) const {
    std::size_t count = 0;
    for (const DecisionRecord& record : decisions) {
      count += record.decision.is(kind) ? 1 : 0;
    }
    return count;
  }

  std::size_t units = 0;
  std::vector<BlockRecord> blocks;
  std::vector<DecisionRecord> decisions;
  std::vector<EventRecord> events;
  RunOutcome outcome;
};

/// Expects that the policy itself did all `items` of its iterations.
inline void expect_all_done(const Schedule& schedule, Items items) {
  EXPECT_TRUE(schedule.outcome.complete);
  EXPECT_FALSE(schedule.outcome.policy_stalled);
  EXPECT_EQ(schedule.items(), items);
}

/// The clock of a run, for units whose speed changes during the run.
struct RunClock {
  [[nodiscard]] double now_s() const { return executor->now().value; }
  const Executor* executor = nullptr;
};

/// The policy, machine and workload of a test.
struct PolicyTest {
  std::string policy;
  std::map<std::string, std::string> parameters;
  FakeSetup fake;
  std::vector<Unit> units;  ///< (n) what is known of the units; empty: only their names
  Items items = 0;
  Items grain_items = 1;
  int iterations = 1;
  double in_bytes_per_item = 0.0;  ///< as policies see them; FakeUnit::in_s is their time
  double resident_bytes = 0.0;     ///< as policies see it; FakeUnit::resident_s is its time
  Distribution distribution = Distribution::master;  ///< of these
  std::vector<double> memory_bytes;  ///< (n), with 1 byte per item; empty: unlimited
  std::vector<std::string> later_kernels;
  KnownCosts known;  ///< for informed policies
  int slots = 1;
  std::vector<UnitKind> kinds;  ///< (n); empty: all CPUs
  std::shared_ptr<RunClock> clock = std::make_shared<RunClock>();
};

/// Adds a unit with an affine cost, which informed policies know.
inline void add_affine(PolicyTest& test, double fixed_s, double per_item_s) {
  test.fake.units.push_back(affine_unit(fixed_s, per_item_s));
  test.known.phases.front().push_back(std::make_unique<AffineCurve>(fixed_s, per_item_s));
}

/// Says what kind of unit the next one of `test.units` is, and what it draws (W) when idle and when
/// busy.
inline void add_watts(PolicyTest& test, UnitKind kind, double idle_w, double busy_w) {
  Unit unit;
  unit.name = "u" + std::to_string(test.units.size());
  unit.kind = kind;
  unit.idle_w = idle_w;
  unit.busy_w = busy_w;
  test.units.push_back(unit);
}

/// Our own policy on CPUs that take `item_s` seconds per item and `fixed_s` per block.
inline PolicyTest equipoise_on(Items items, const std::vector<double>& item_s,
                               double fixed_s = 0.0) {
  PolicyTest test;
  test.policy = "equipoise";
  test.items = items;
  for (const double per_item_s : item_s) add_affine(test, fixed_s, per_item_s);
  return test;
}

inline Schedule run_schedule(const PolicyTest& test) {
  Workload workload = items_of(test.items, test.grain_items, test.iterations);
  workload.kernel = "first";
  workload.in_bytes_per_item = test.in_bytes_per_item;
  workload.resident_bytes = test.resident_bytes;
  workload.distribution = test.distribution;
  workload.memory_bytes_per_item = test.memory_bytes.empty() ? 0.0 : 1.0;
  RunSetup setup = setup_of(test.fake.units.size(), workload);
  if (!test.units.empty()) {
    setup.units = test.units;
  }
  for (std::size_t p = 0; p < setup.units.size(); ++p) {
    setup.units[p].slots = test.slots;
    if (!test.kinds.empty()) {
      setup.units[p].kind = test.kinds[p];
    }
    if (!test.memory_bytes.empty()) {
      setup.units[p].memory_bytes = test.memory_bytes[p];
    }
  }
  for (const std::string& kernel : test.later_kernels) {
    workload.kernel = kernel;
    setup.phases.push_back(workload);
  }
  setup.absent_at_start = absent_at_start(test.fake);
  const auto policy = make_policy(find_policy(test.policy),
                                  PolicyInputs{test.parameters, &test.known, setup.units});
  const auto executor = make_fake_executor(test.fake);
  test.clock->executor = executor.get();
  MemoryJournal journal;
  const RunOutcome outcome = run_policy(*executor, *policy, setup, journal);
  return {setup.units.size(), std::move(journal.blocks), std::move(journal.decisions),
          std::move(journal.events), outcome};
}

}  // namespace equipoise
