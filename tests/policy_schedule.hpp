// Runs a policy on the fake executor and keeps what happened, for tests of policies.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "shared_policies/fit/speed_curve.hpp"
#include "shared_policies/policies/catalog.hpp"
#include "shared_policies/run/journal.hpp"
#include "shared_policies/run/run_loop.hpp"
#include "tests/support/fake_executor.hpp"

namespace equipoise {

/// Everything that a run said.
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
  [[nodiscard]] Items items() const {
    Items sum = 0;
    for (const BlockRecord& record : blocks) {
      sum += record.block.items;
    }
    return sum;
  }
  [[nodiscard]] double makespan() const {
    double end = 0.0;
    for (const BlockRecord& record : blocks) {
      end = std::max(end, record.end.value);
    }
    return end;
  }
  [[nodiscard]] std::size_t events_called(const std::string& what) const {
    std::size_t count = 0;
    for (const EventRecord& record : events) {
      count += record.what == what ? 1 : 0;
    }
    return count;
  }
  [[nodiscard]] std::size_t decisions_called(const std::string& what) const {
    std::size_t count = 0;
    for (const DecisionRecord& record : decisions) {
      count += record.thought.what == what ? 1 : 0;
    }
    return count;
  }

  std::vector<BlockRecord> blocks;
  std::vector<DecisionRecord> decisions;
  std::vector<EventRecord> events;
  RunOutcome outcome;
};

/// Writes a schedule.
class ScheduleJournal final : public Journal {
 public:
  explicit ScheduleJournal(Schedule& schedule) : schedule_(schedule) {}
  void block(const BlockRecord& record) override { schedule_.blocks.push_back(record); }
  void decision(const DecisionRecord& record) override { schedule_.decisions.push_back(record); }
  void event(const EventRecord& record) override { schedule_.events.push_back(record); }

 private:
  Schedule& schedule_;
};

/// What a test runs.
struct PolicyTest {
  std::string policy;
  std::map<std::string, std::string> parameters;
  FakeSetup fake;
  Items items = 0;
  Items grain_items = 1;
  int iterations = 1;
  std::vector<double> memory_bytes;  ///< (n) of 1 byte an item; empty: unlimited
  std::vector<std::string> later_kernels;
  KnownCosts known;  ///< for informed policies
  int slots = 1;
};

/// Adds a known affine cost and the unit that has it.
inline void add_affine(PolicyTest& test, double fixed_s, double per_item_s) {
  test.fake.units.push_back(affine_unit(fixed_s, per_item_s));
  test.known.units.push_back(std::make_unique<AffineCurve>(fixed_s, per_item_s));
}

inline Schedule run_schedule(const PolicyTest& test) {
  RunSetup setup;
  for (std::size_t p = 0; p < test.fake.units.size(); ++p) {
    Unit unit;
    unit.name = fmt::format("u{}", p);
    unit.slots = test.slots;
    if (!test.memory_bytes.empty()) {
      unit.memory_bytes = test.memory_bytes[p];
    }
    setup.units.push_back(unit);
  }
  Workload workload;
  workload.kernel = "first";
  workload.items = test.items;
  workload.grain_items = test.grain_items;
  workload.iterations = test.iterations;
  workload.memory_bytes_per_item = test.memory_bytes.empty() ? 0.0 : 1.0;
  setup.phases.push_back(workload);
  for (const std::string& kernel : test.later_kernels) {
    workload.kernel = kernel;
    setup.phases.push_back(workload);
  }
  const auto policy =
      make_policy(find_policy(test.policy), PolicyInputs{test.parameters, &test.known});
  const auto executor = make_fake_executor(test.fake);
  Schedule schedule;
  ScheduleJournal journal(schedule);
  schedule.outcome = run_policy(*executor, *policy, setup, journal);
  return schedule;
}

}  // namespace equipoise
