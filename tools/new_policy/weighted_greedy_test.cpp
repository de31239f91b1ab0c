// A schedule of weighted-greedy that was worked out by hand, on an executor whose block times are
// given.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <string>
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

/// Prints whether `what` holds, and if not, the schedule that came instead.
void expect(bool holds, const char* what, const Schedule& schedule) {
  std::printf("%s: %s\n", holds ? "ok" : "WRONG", what);
  if (holds) return;
  ++wrong;
  for (const auto& [unit, sizes] : schedule.sizes) {
    std::printf("  u%u got blocks of", unit);
    for (const Items size : sizes) std::printf(" %lld", static_cast<long long>(size));
    std::printf(" items\n");
  }
  std::printf("  and the last of them ended at %.10g s\n", schedule.end_s);
}

}  // namespace

int main() {
  // 400 items; u0 does 10 items a second, u1 3.33.
  //
  //     at s  unit   left   asks for                                           until s
  //      0.0   u0    400   a first block: 400 / (50 * 2) = 4                   0.4
  //      0.0   u1    396   4                                                   1.2
  //      0.4   u0    392   u1 counts as fast as u0: 392 * 0.75 / 2 = 147      15.1
  //      1.2   u1    245   245 * 0.75 * 1/4 = 45.9: 46                        15.0
  //     15.0   u1    199   199 * 0.75 * 1/4 = 37.3: 37                        26.1
  //     15.1   u0    162   162 * 0.75 * 3/4 = 91.1: 91                        24.2
  //     24.2   u0     71   71 * 0.75 * 3/4 = 39.9: 40                         28.2
  //     26.1   u1     31   31 * 0.75 * 1/4 = 5.8: 6                           27.9
  //     27.9   u1     25   25 * 0.75 * 1/4 = 4.7: 5                           29.4
  //     28.2   u0     20   20 * 0.75 * 3/4 = 11.2: 11                         29.3
  //     29.3   u0      9   9 * 0.75 * 3/4 = 5.1: 5                            29.8
  //     29.4   u1      4   4 * 0.75 * 1/4 = 0.8: a first block, 4             30.6
  const Schedule schedule = run(400, {0.1, 0.3}, {{"share", "0.75"}});
  expect(schedule.sizes == std::map<std::uint32_t, std::vector<Items>>{{0, {4, 147, 91, 40, 11, 5}},
                                                                       {1, {4, 46, 37, 6, 5, 4}}},
         "gives idle units three quarters of their part of what is left", schedule);
  expect(std::abs(schedule.end_s - 30.6) < 1e-9, "ends after 30.6 s", schedule);

  // With share=1, a unit that knows its speed and is alone gets everything that is left.
  const Schedule all = run(100, {0.1}, {{"share", "1"}});
  expect(all.sizes == std::map<std::uint32_t, std::vector<Items>>{{0, {2, 98}}},
         "gives a single unit all the rest with share=1", all);
  return wrong == 0 ? 0 : 1;
}
