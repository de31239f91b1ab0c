// Tests of the catalog of policies, and of its messages for mistyped names and values.
#include "shared_policies/policies/catalog.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>

#include "shared_policies/fit/speed_curve.hpp"
#include "tests/support/refusal.hpp"

namespace equipoise::catalog_test {
namespace {

std::string parameter_refusal(const std::string& policy, const std::string& name,
                              const std::string& value) {
  KnownCosts known;
  known.phases.front().push_back(std::make_unique<AffineCurve>(0.0, 1.0));
  return refusal_of([&] { (void)make_policy(find_policy(policy), {{{name, value}}, &known}); });
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(Catalog, NamesTheNearestPolicyForAnUnknownOne) {
  EXPECT_TRUE(contains(refusal_of([] { (void)find_policy("plb-hek"); }), "'plb-hec'"));
  EXPECT_TRUE(contains(refusal_of([] { (void)find_policy("gredy"); }), "'greedy'"));
  EXPECT_EQ(find_policy("optimum").foresight, Foresight::oracle);
  EXPECT_EQ(find_policy("static").foresight, Foresight::informed);
  EXPECT_EQ(find_policy("plb-hec").foresight, Foresight::none);
}

TEST(Catalog, PricesDecisionsAsThePapersDo) {
  const auto each_s = [](const char* policy, const char* kernel) {
    const PaperPrice price = paper_price(find_policy(policy), kernel);
    EXPECT_FALSE(price.is_of_run) << policy;
    return price.seconds;
  };
  EXPECT_DOUBLE_EQ(each_s("plb-hec", "matmul"), 0.170);
  EXPECT_DOUBLE_EQ(each_s("plb-hac", "grn"), 0.100);
  EXPECT_DOUBLE_EQ(each_s("hdss", "matmul"), 0.0);
  const auto run_s = [](const char* kernel) {
    const PaperPrice price = paper_price(find_policy("dlb-gpu"), kernel);
    EXPECT_TRUE(price.is_of_run) << kernel;
    return price.seconds;
  };
  EXPECT_DOUBLE_EQ(run_s("matmul"), 0.665);
  EXPECT_DOUBLE_EQ(run_s("blackscholes"), 0.201);
  EXPECT_DOUBLE_EQ(run_s("grn"), 0.822);
  EXPECT_DOUBLE_EQ(run_s("another"), 0.665);
}

TEST(Catalog, NamesTheNearestParameterForAnUnknownOne) {
  EXPECT_TRUE(contains(parameter_refusal("plb-hec", "treshold", "0.1"), "'threshold'"));
  EXPECT_TRUE(contains(parameter_refusal("plb-hec", "solver", "ipot"), "'ipopt'"));
}

TEST(Catalog, RefusesValuesThatCannotBeReadOrAreOutOfRange) {
  EXPECT_TRUE(contains(parameter_refusal("greedy", "pieces", "0"), "at least 1"));
  EXPECT_TRUE(contains(parameter_refusal("greedy", "pieces", "many"), "not a number"));
  EXPECT_TRUE(contains(parameter_refusal("greedy", "initial_block_items", "2.5"), "whole"));
  EXPECT_TRUE(contains(parameter_refusal("plb-hec", "step_fraction", "1.5"), "from 0 to 1"));
  EXPECT_TRUE(contains(parameter_refusal("plb-hec", "multipliers", "1/0/4"), "positive"));
  EXPECT_TRUE(contains(parameter_refusal("plb-hec", "multipliers", "1//4"), "multipliers"));
  EXPECT_TRUE(contains(parameter_refusal("plb-hec", "tail_resolve", "maybe"), "tail_resolve"));
  EXPECT_EQ(parameter_refusal("plb-hec", "initial_block_items", "64Ki"), "not refused");
}

TEST(Catalog, RefusesInformedPoliciesWithoutAProfile) {
  EXPECT_TRUE(
      contains(refusal_of([] { (void)make_policy(find_policy("static"), {}); }), "profile"));
  KnownCosts lacking;
  lacking.phases.front().push_back(std::make_unique<AffineCurve>(0.0, 1.0));
  lacking.phases.front().push_back(nullptr);
  const PolicyInputs inputs{{}, &lacking};
  const std::string refusal = refusal_of([&] { (void)make_policy(find_policy("static"), inputs); });
  EXPECT_TRUE(contains(refusal, "those of unit 2"));
}

TEST(Catalog, DescribesEveryPolicyAndParameterOnce) {
  std::set<std::string> names;
  for (const PolicyInfo& info : policy_catalog()) {
    EXPECT_TRUE(names.insert(info.name).second) << info.name;
    EXPECT_FALSE(info.line.empty()) << info.name;
    EXPECT_FALSE(info.source.empty()) << info.name;
    std::set<std::string> parameters;
    for (const ParameterInfo& parameter : info.parameters) {
      EXPECT_TRUE(parameters.insert(parameter.name).second) << parameter.name;
      EXPECT_FALSE(parameter.default_text.empty()) << parameter.name;
      EXPECT_FALSE(parameter.meaning.empty()) << parameter.name;
    }
  }
}

/// Parameters of `equipoise` are ours and come from nowhere else.
TEST(Catalog, SaysWhereEveryParameterOfAPublishedPolicyComesFrom) {
  for (const PolicyInfo& info : policy_catalog()) {
    if (info.name == "equipoise") continue;
    for (const ParameterInfo& parameter : info.parameters) {
      EXPECT_FALSE(parameter.source.empty()) << info.name << ": " << parameter.name;
    }
  }
}

}  // namespace
}  // namespace equipoise::catalog_test
