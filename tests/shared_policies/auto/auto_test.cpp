// Tests of auto: which policies it chooses, and when.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <variant>
#include <vector>

#include "shared_policies/contract/policy_contract.hpp"
#include "tests/support/disturb.hpp"
#include "tests/support/policy_schedule.hpp"
#include "tests/support/random_seed.hpp"
#include "tests/support/refusal.hpp"

namespace equipoise::auto_test {
namespace {

using Names = std::vector<std::string>;

/// The policies that handed out items, in order.
Names policies_of(const Schedule& schedule) {
  const std::string prefix = "policy=";
  Names names;
  for (const EventRecord& record : schedule.events) {
    const auto* const note = std::get_if<Note>(&record.what);
    if (note != nullptr && note->text.starts_with(prefix)) {
      names.push_back(note->text.substr(prefix.size()));
    }
  }
  return names;
}

/// When the iteration with this number ended, and how long it took.
double end_of(const Schedule& schedule, int iteration) {
  double end = 0.0;
  for (const BlockRecord& record : schedule.blocks) {
    if (record.block.iteration <= iteration) end = std::max(end, record.end.value);
  }
  return end;
}
double time_of(const Schedule& schedule, int iteration) {
  return end_of(schedule, iteration) - (iteration == 0 ? 0.0 : end_of(schedule, iteration - 1));
}

/// auto on units that take `fixed_s` for a block and these seconds for an item.
PolicyTest auto_on(Items items, const std::vector<double>& item_s, double fixed_s = 0.0) {
  PolicyTest test;
  test.policy = "auto";
  test.items = items;
  for (const double one_s : item_s) add_affine(test, fixed_s, one_s);
  return test;
}

TEST(Auto, ChoosesFewBlocksWhereBlocksCostMuch) {
  // A block costs as much as 100 items: ss takes (1 + 0.01) 400 / 4 = 101 s, gss some 4 s.
  PolicyTest test = auto_on(400, {0.01, 0.01, 0.01, 0.01}, 1.0);
  test.parameters = {{"among", "ss/gss"}, {"initial_block_items", "4"}};
  const Schedule schedule = run_schedule(test);
  EXPECT_EQ(policies_of(schedule), Names{"gss"});
  expect_all_done(schedule, 400);
  // Three learning blocks on each unit take 3.07 s.
  EXPECT_EQ(schedule.sizes(0, BlockTag::train), (std::vector<Items>{1, 4, 2}));
  EXPECT_LT(schedule.makespan(), 12.0);
}

TEST(Auto, ChoosesSmallBlocksWhereUnitsDifferAndBlocksCostNothing) {
  // gss gives the slow unit up to half of what is left, for 100 s an item.
  PolicyTest test = auto_on(1000, {1.0, 100.0});
  test.parameters = {{"among", "gss/ss"}};
  const Schedule schedule = run_schedule(test);
  EXPECT_EQ(policies_of(schedule), Names{"ss"});
  // 1010 items' worth at 1.01 a second, and no more than an item of the slow unit later.
  EXPECT_LT(schedule.makespan(), 1000.0 / 1.01 + 100.0 + 1.0);
}

TEST(Auto, WeighsByLearnedSpeedsWhereUnitsDifferAndBlocksCost) {
  // Small blocks cost too much, equal ones take the slow unit too long: hguided does neither.
  PolicyTest test = auto_on(10'000, {0.01, 0.01, 0.01, 0.2}, 0.5);
  test.parameters = {{"among", "ss/gss/awf-c"}};
  EXPECT_EQ(policies_of(run_schedule(test)), Names{"awf-c"});
}

TEST(Auto, ChangesThePolicyWhenAUnitHasChanged) {
  // Equal units, and a block costs as much as 0.2 items: ss takes 120 s for an iteration, gss 100.
  // In the second iteration, at 160 s, a unit is in a block of 250 items, which began at some 150
  // s, and becomes 50 times slower: the other 15 s become 770 s. The third iteration is done by ss,
  // in 2000 / (1 / 0.12 + 1 / 6) = 235.3 s and no more than an item of the slow unit, 6 s.
  PolicyTest test = auto_on(2000, {0.1, 0.1}, 0.02);
  test.iterations = 3;
  test.parameters = {{"among", "gss/ss"}};
  test.fake.scenario.events.push_back(disturb(DisturbanceKind::slow, "u1", 160.0, 50.0));
  const Schedule schedule = run_schedule(test);
  EXPECT_EQ(policies_of(schedule), (Names{"gss", "ss"}));
  const double second_ends = end_of(schedule, 1);
  EXPECT_GT(second_ends, 900.0);
  EXPECT_LT(schedule.makespan() - second_ends, 235.3 + 6.0);
}

TEST(Auto, SimulatesAgainWheneverAShareOfTheItemsIsDone) {
  PolicyTest test = auto_on(1000, {1.0, 1.0});
  test.parameters = {{"among", "mfsc"}, {"decide_every", "0.25"}};
  // 500 items on each unit: mfsc's blocks have floor(0.55 + 500 ln 2 / ln 500) = 56. Choices: after
  // the learning blocks, and whenever 250 more are done: both units end at the same time, so after
  // 3 * 112 = 336 and 672. At 1008 nothing is left.
  const Schedule schedule = run_schedule(test);
  EXPECT_EQ(schedule.decisions.size(), 3U);
  for (const DecisionRecord& record : schedule.decisions) {
    EXPECT_EQ(decision_word(record.decision.what), "select");
  }
}

TEST(Auto, KnowsInTheNextIterationWhatItemsCost) {
  PolicyTest test = auto_on(100, {0.1, 0.1});
  test.iterations = 2;
  test.parameters = {{"decide_every", "1"}};
  const Schedule schedule = run_schedule(test);
  // One choice after the learning blocks of the first iteration, one when the second begins.
  EXPECT_EQ(schedule.decisions.size(), 2U);
  for (std::uint32_t p = 0; p < 2; ++p) EXPECT_EQ(schedule.sizes(p, BlockTag::train).size(), 3U);
}

TEST(Auto, TriesEveryPolicyForAnIterationAndKeepsTheFastest) {
  // Two units, blocks of 1 + 0.01 x seconds. ss: 60 blocks on each, 60.6 s. mfsc: blocks of
  // floor(0.55 + 60 ln 2 / ln 60) = 10, 6 on each, 6.6 s. greedy: round(0.1 * 120 / 15 / 2) = 0, so
  // blocks of one item, as ss.
  PolicyTest test = auto_on(120, {0.01, 0.01}, 1.0);
  test.iterations = 5;
  test.parameters = {{"select", "exhaustive"}, {"among", "ss/mfsc/greedy"}};
  const Schedule schedule = run_schedule(test);
  expect_all_done(schedule, 600);
  EXPECT_EQ(policies_of(schedule), (Names{"ss", "mfsc", "greedy", "mfsc"}));
  EXPECT_NEAR(time_of(schedule, 0), 60.6, 1e-9);
  for (const int iteration : {1, 3, 4}) EXPECT_NEAR(time_of(schedule, iteration), 6.6, 1e-9);
}

TEST(Auto, TriesAllAgainWhenTheImbalanceRises) {
  // ss: 30 blocks on each unit, 30.3 s. mfsc: blocks of floor(0.55 + 30 ln 2 / ln 30) = 6, 5 on
  // each, 5.3 s. So mfsc does the third iteration, which begins at 35.6 s. From 36 s on, the second
  // unit takes 10 times as long, and the first waits for it: (17.6 - 13.0) / 17.6 = 26 %.
  // Then both are tried again, and mfsc is faster again.
  PolicyTest test = auto_on(60, {0.01, 0.01}, 1.0);
  test.iterations = 6;
  test.parameters = {{"select", "exhaustive"}, {"among", "ss/mfsc"}};
  EXPECT_EQ(policies_of(run_schedule(test)), (Names{"ss", "mfsc"}));
  test.fake.scenario.events.push_back(disturb(DisturbanceKind::slow, "u1", 36.0, 10.0));
  EXPECT_EQ(policies_of(run_schedule(test)), (Names{"ss", "mfsc", "ss", "mfsc"}));
  // No rise is enough.
  test.parameters["imbalance_points"] = "100";
  EXPECT_EQ(policies_of(run_schedule(test)), (Names{"ss", "mfsc"}));
}

TEST(Auto, RefusesPoliciesThatItCannotChoose) {
  const auto refusal = [](const std::string& among) {
    return refusal_of([&] { (void)make_policy(find_policy("auto"), {{{"among", among}}}); });
  };
  EXPECT_NE(refusal("gss/awfc").find("'awf-c'"), std::string::npos) << refusal("gss/awfc");
  EXPECT_NE(refusal("gss/plb-hec").find("among="), std::string::npos) << refusal("gss/plb-hec");
  EXPECT_NE(refusal("auto").find("among="), std::string::npos) << refusal("auto");
  EXPECT_NE(refusal("gss/fac2/gss").find("twice"), std::string::npos) << refusal("gss/fac2/gss");
}

/// Policies change as often as can be: after every hundredth of the items, for any gain.
TEST(Auto, KeepsAllPromisesHoweverOftenPoliciesChange) {
  const std::uint32_t seed = random_seed();
  const std::vector<TypedParameters> variants = {
      {{"decide_every", "0.01"}, {"margin", "0"}, {"simulated_blocks", "2000"}},
      {{"among", "greedy/taper/static-steal/fac2"}, {"decide_every", "0.01"}, {"margin", "0"}},
      {{"select", "exhaustive"}},
      {{"select", "exhaustive"},
       {"among", "static-steal/taper/greedy"},
       {"imbalance_points", "0"}}};
  for (const TypedParameters& typed : variants) {
    const auto make = [&typed](const PolicyInputs& inputs) {
      PolicyInputs with = inputs;
      with.parameters = typed;
      return make_policy(find_policy("auto"), with);
    };
    for (const Promise& promise : policy_contract()) {
      const auto breach = promise.check(make, seed, std::max(1, rounds_of(promise.rounds) / 10));
      EXPECT_FALSE(breach) << promise.name << ", round " << breach->round
                           << " of --gtest_random_seed=" << seed << ": " << breach->what;
    }
  }
}

}  // namespace
}  // namespace equipoise::auto_test
