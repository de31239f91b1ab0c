// A schedule of weighted-greedy that was worked out by hand, on an executor whose block times are
// given.
#include <cstdio>
#include <map>
#include <vector>

#include "shared_policies/contract/fake_executor.hpp"
#include "shared_policies/contract/memory_journal.hpp"
#include "shared_policies/policies/policy_library.hpp"
#include "shared_policies/run/run_loop.hpp"

namespace {

using namespace equipoise;

/// The sizes of each unit's blocks, in order, and the end of the last block.
struct Schedule {
  std::map<std::uint32_t, std::vector<Items>> sizes;
  double end_s = 0.0;
};

/// Runs the policy over `items` on units that take so many seconds for an item.
Schedule run(Items items, const std::vector<double>& seconds_per_item,
             const TypedParameters& parameters) {
  RunSetup setup;
  FakeSetup fake;
  for (const double seconds : seconds_per_item) {
    setup.units.emplace_back().name = "u" + std::to_string(fake.units.size());
    fake.units.push_back(affine_unit(0.0, seconds));
  }
  setup.phases.emplace_back().items = items;
  const auto policy = make_policy(equipoise_policy()->info(), {parameters, nullptr, setup.units});
  const auto executor = make_fake_executor(fake);
  MemoryJournal journal;
  const RunOutcome outcome = run_policy(*executor, *policy, setup, journal);
  Schedule schedule;
  if (!outcome.complete || outcome.policy_stalled) return schedule;
  for (const BlockRecord& record : journal.blocks) {
    schedule.sizes[record.unit.index].push_back(record.block.items);
    schedule.end_s = std::max(schedule.end_s, record.end.value);
  }
  return schedule;
}

int wrong = 0;

void expect(bool holds, const char* what) {
  if (!holds) ++wrong;
  std::printf("%s: %s\n", holds ? "ok" : "WRONG", what);
}

}  // namespace

int main() {
  // 200 items; u0 does 10 items a second, u1 3.33.
  //
  //     at s   unit   left   asks for                                      until s
  //      0.0   u0      200   first block: 200 / (10 * 2) = 10               1.0
  //      0.0   u1      190   10                                             3.0
  //      1.0   u0      180   u1 counts as fast as u0: 180 / 2 / 2 = 45      5.5
  //      3.0   u1      135   135 / 2 * 1/4 = 16.9: 17                       8.1
  //      5.5   u0      118   118 / 2 * 3/4 = 44.3: 44                       9.9
  //      8.1   u1       74   9.3, less than a first block: 10              11.1
  //      9.9   u0       64   24                                            12.3
  //     11.1   u1       40   5: 10                                         14.1
  //     12.3   u0       30   11.3: 11                                      13.4
  //     13.4   u0       19   7.1: 10                                       14.4
  //     14.1   u1        9   10, of which 9 are left                       16.8
  const Schedule half = run(200, {0.1, 0.3}, {});
  expect(half.sizes == std::map<std::uint32_t, std::vector<Items>>{{0, {10, 45, 44, 24, 11, 10}},
                                                                   {1, {10, 17, 10, 10, 9}}},
         "gives idle units half of what is left, by speed");
  expect(std::abs(half.end_s - 16.8) < 1e-9, "ends after 16.8 s");

  // With share=1, a unit that knows its speed and is alone gets everything that is left.
  const Schedule all = run(100, {0.1}, {{"share", "1"}});
  expect(all.sizes == std::map<std::uint32_t, std::vector<Items>>{{0, {10, 90}}},
         "gives a single unit all the rest with share=1");
  return wrong == 0 ? 0 : 1;
}
