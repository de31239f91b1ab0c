// Tests of auto: which policies it chooses, and when.
#include <gtest/gtest.h>

#include <string>
#include <variant>
#include <vector>

#include "shared_policies/contract/policy_contract.hpp"
#include "tests/support/every_policy.hpp"
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

TEST(Auto, ChangesThePolicyWhenAUnitChanges) {
  // While both units take 0.1 s for an item, and a block costs 0.5 s, gss is best. At 60 s the
  // second becomes 50 times slower, and a block of gss would be half of what is left.
  PolicyTest test = auto_on(2000, {0.1, 0.1}, 0.5);
  test.parameters = {{"among", "gss/ss"}, {"initial_block_items", "4"}};
  Schedule schedule = run_schedule(test);
  EXPECT_EQ(policies_of(schedule), Names{"gss"});
}

TEST(Auto, SimulatesAgainWheneverAShareOfTheItemsIsDone) {
  PolicyTest test = auto_on(1000, {1.0, 1.0});
  test.parameters = {{"among", "mfsc"}, {"decide_every", "0.25"}};
  // 500 items on each unit; mfsc's blocks have floor(0.55 + 500 ln 2 / ln 500) = 56. Choices: when
  // the learning blocks (12, 50 and 25 of 0.1 * 1000 / 15 / 2 = 3.3 items) are done, and whenever
  // 250 more are.
  const Schedule schedule = run_schedule(test);
  EXPECT_EQ(schedule.decisions.size(), 4U);
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
  // ss: 60 blocks of 1.01 s on each unit. gss: about ten blocks. mfsc: blocks of 10.
  PolicyTest test = auto_on(120, {0.01, 0.01}, 1.0);
  test.iterations = 6;
  test.parameters = {{"select", "exhaustive"}, {"among", "ss/gss/mfsc"}};
  const Schedule schedule = run_schedule(test);
  expect_all_done(schedule, 6 * 120);
  const Names tried = policies_of(schedule);
  // mfsc: floor(0.55 + 60 ln 2 / ln 60) = 10 items, 6 blocks on each unit, 6.6 s. gss: sizes 60,
  // 30, 15, 8, 4, 2, 1 in turns.
  ASSERT_GE(tried.size(), 3U);
  EXPECT_EQ(Names(tried.begin(), tried.begin() + 3), (Names{"ss", "gss", "mfsc"}));
}

TEST(Auto, TriesAgainWhenTheImbalanceRises) {
  PolicyTest test = auto_on(120, {0.01, 0.01}, 1.0);
  test.iterations = 8;
  test.parameters = {{"select", "exhaustive"}, {"among", "ss/mfsc"}};
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
      const auto breach = promise.check(make, seed, rounds_of(promise.rounds / 4));
      EXPECT_FALSE(breach) << promise.name << ", round " << breach->round
                           << " of --gtest_random_seed=" << seed << ": " << breach->what;
    }
  }
}

}  // namespace
}  // namespace equipoise::auto_test
