// Checks the contract on every policy of the catalog, and that the contract finds policies that
// break it.
#include "shared_policies/contract/policy_contract.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "tests/support/every_policy.hpp"
#include "tests/support/random_seed.hpp"
#include "tests/support/scripted.hpp"

namespace equipoise::policy_contract_test {
namespace {

const Promise& promise_called(const std::string& name) {
  for (const Promise& promise : policy_contract()) {
    if (promise.name == name) return promise;
  }
  throw std::out_of_range(name);
}

std::vector<std::string> promise_names() {
  std::vector<std::string> names;
  for (const Promise& promise : policy_contract()) names.push_back(promise.name);
  return names;
}

using PolicyAndPromise = std::tuple<std::string, std::string>;

class EveryPolicy : public testing::TestWithParam<PolicyAndPromise> {};

TEST_P(EveryPolicy, Keeps) {
  const auto& [policy, name] = GetParam();
  const Promise& promise = promise_called(name);
  const std::uint32_t seed = random_seed();
  const int rounds = rounds_of(promise.rounds);
  RecordProperty("seed", static_cast<int>(seed));
  const auto make = [&info = find_policy(policy)](const PolicyInputs& inputs) {
    return make_policy(info, inputs);
  };
  const std::optional<Breach> breach = promise.check(make, seed, rounds);
  EXPECT_FALSE(breach) << policy << ", round " << breach->round
                       << " of --gtest_random_seed=" << seed << ": " << breach->what;
}

INSTANTIATE_TEST_SUITE_P(Catalog, EveryPolicy,
                         testing::Combine(testing::ValuesIn(policy_names()),
                                          testing::ValuesIn(promise_names())),
                         [](const testing::TestParamInfo<PolicyAndPromise>& test) {
                           return in_test_name(std::get<0>(test.param)) + "_" +
                                  std::get<1>(test.param);
                         });

using Variant = std::pair<std::string, TypedParameters>;

/// Every policy with each of its presets, with backup tasks, and with costs of items that it is
/// told or a first block chosen by time if it takes these, with and without them; and the optimum
/// that reacts.
std::vector<Variant> variants() {
  std::vector<Variant> all;
  for (const PolicyInfo& info : policy_catalog()) {
    for (const Preset& preset : info.presets) all.push_back({info.name, {{"preset", preset.name}}});
    all.push_back({info.name, {{"backup", "on"}}});
    for (const ParameterInfo& parameter : info.parameters) {
      const std::map<std::string, std::string> values = {{"initial_block_items", "time:0.10"},
                                                         {"costs", "known"}};
      const auto value = values.find(parameter.name);
      if (value == values.end()) continue;
      all.push_back({info.name, {*value}});
      all.push_back({info.name, {{"backup", "on"}, *value}});
    }
  }
  all.push_back({"optimum", {{"reacts", "true"}}});
  return all;
}

class EveryVariant : public testing::TestWithParam<Variant> {};

TEST_P(EveryVariant, KeepsAllPromises) {
  const std::uint32_t seed = random_seed();
  const auto& [policy, typed] = GetParam();
  const auto make = [&info = find_policy(policy), &given = typed](const PolicyInputs& inputs) {
    PolicyInputs with = inputs;
    with.parameters = given;
    return make_policy(info, with);
  };
  for (const Promise& promise : policy_contract()) {
    const auto breach = promise.check(make, seed, std::max(1, rounds_of(promise.rounds) / 10));
    EXPECT_FALSE(breach) << promise.name << ", round " << breach->round
                         << " of --gtest_random_seed=" << seed << ": " << breach->what;
  }
}

INSTANTIATE_TEST_SUITE_P(Catalog, EveryVariant, testing::ValuesIn(variants()),
                         [](const testing::TestParamInfo<Variant>& test) {
                           std::string name = in_test_name(test.param.first);
                           for (const auto& [key, value] : test.param.second) {
                             name += "_" + (key == "preset" ? value : key);
                           }
                           return name;
                         });

/// Returns a maker that makes a new policy from `script` each time.
PolicyMaker maker_of(Scripted::Script script) {
  return [script = std::move(script)](const PolicyInputs& /*inputs*/) {
    return std::make_unique<Scripted>(script);
  };
}

TEST(PolicyContract, FindsAPolicyThatLeavesWorkUndone) {
  const auto lazy = maker_of([](const View&, const Event&, Decisions&) {});
  const auto breach = promise_called("DoesAllItems").check(lazy, 1, 20);
  ASSERT_TRUE(breach);
  EXPECT_EQ(breach->round, 0);
  EXPECT_EQ(breach->what,
            "the policy left work undone while units were idle and nothing was outstanding");
}

TEST(PolicyContract, FindsAPolicyThatForgetsWhatALostUnitHad) {
  // Gives each idle unit a quarter of the items until all were given once, and ignores losses.
  const auto once = [](const PolicyInputs& /*inputs*/) {
    return std::make_unique<Scripted>(
        [given = Items{0}](const View& view, const Event& event, Decisions& decisions) mutable {
          const auto* idle = std::get_if<UnitIdle>(&event.what);
          if (idle == nullptr) return;
          const Items all = view.workload().items * view.workload().iterations;
          if (given >= all) return;
          const Items want = std::max<Items>(1, view.workload().items / 4);
          given += want;
          decisions.assign(idle->unit, want);
        });
  };
  EXPECT_TRUE(promise_called("SurvivesLosses").check(once, 1, 100));
}

TEST(PolicyContract, FindsAPolicyThatDecidesByWhatIsNoEvent) {
  auto calls = std::make_shared<Items>(0);
  const auto moody = maker_of([calls](const View&, const Event& event, Decisions& decisions) {
    if (const auto* idle = std::get_if<UnitIdle>(&event.what)) {
      decisions.assign(idle->unit, 1 + ++*calls % 7);
    }
  });
  const auto breach = promise_called("DecidesTheSame").check(moody, 1, 10);
  ASSERT_TRUE(breach);
}

TEST(PolicyContract, DrawsTheSameMachinesForTheSameSeed) {
  std::vector<Items> seen[2];
  for (std::vector<Items>& items : seen) {
    const auto looks = maker_of([&](const View& view, const Event& event, Decisions& decisions) {
      const auto* idle = std::get_if<UnitIdle>(&event.what);
      if (idle == nullptr) return;
      items.push_back(view.workload().items);
      decisions.assign(idle->unit, view.remaining());
    });
    EXPECT_FALSE(promise_called("DoesAllItems").check(looks, 7, 5));
  }
  EXPECT_EQ(seen[0], seen[1]);
  EXPECT_FALSE(seen[0].empty());
}

}  // namespace
}  // namespace equipoise::policy_contract_test
