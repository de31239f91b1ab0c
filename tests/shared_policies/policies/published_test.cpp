// Tests of the defaults of policies that are named after a paper, which are the paper's, and of the
// sets of values that are ours.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "tests/support/policy_schedule.hpp"
#include "tests/support/refusal.hpp"

namespace equipoise::published_test {
namespace {

using Values = std::map<std::string, std::string>;

Values with(Values values, const Values& more) {
  values.insert(more.begin(), more.end());
  return values;
}

/// The parameters that plb-hec and dlb-gpu share.
const Values training_loop = {
    {"initial_block_items", "auto"}, {"multipliers", "1/2/4/8"}, {"ratio_mode", "normalised"},
    {"training_share_max", "0.2"},   {"threshold", "0.1"},       {"noise_allowance", "0"},
    {"step_fraction", "0.05"},       {"step", "fraction"},       {"tail_resolve", "false"},
    {"preset", "published"}};
const Values rounds = {{"mode", "repeat"},
                       {"slice_shares", "0.0625/0.125/0.25"},
                       {"threshold", "0.05"},
                       {"balance", "nodes"},
                       {"preset", "published"}};

/// The parameters that the self-scheduling policies share that learn the units' speeds.
const Values learning = {
    {"initial_block_items", "auto"}, {"unknown", "smallest"}, {"min_block_items", "auto"}};
const std::string own_trace = "the run's own trace";

const std::map<std::string, Values> published = {
    {"greedy", {{"initial_block_items", "auto"}, {"pieces", "auto"}}},
    {"dmda",
     {{"initial_block_items", "auto"},
      {"pieces", "auto"},
      {"alpha", "1"},
      {"beta", "1"},
      {"samples", "10"},
      {"max_error", "0.5"},
      {"cpu_histories", "shared"}}},
    {"static", {{"profile", own_trace}, {"model", "fpm"}, {"blocks", "1"}, {"costs", "alike"}}},
    {"plb-hec", with(training_loop, {{"sync_order", "drain_then_fit"},
                                     {"min_rounds", "4"},
                                     {"min_r2", "0.7"},
                                     {"async_train", "false"},
                                     {"fit", "subset"},
                                     {"adjusted_r2", "false"},
                                     {"solver", "direct"}})},
    {"dlb-gpu", with(training_loop, {{"sync_order", "fit_then_sync"},
                                     {"accept", "text"},
                                     {"min_rounds", "auto"},
                                     {"min_r2", "auto"},
                                     {"times", "block"},
                                     {"sync_steps", "false"}})},
    {"plb-hac",
     {{"initial_block_items", "auto"},
      {"step_fraction", "0.05"},
      {"update_on", "first_unit"},
      {"solve_on", "first_cpu"},
      {"min_solve_interval_s", "0"},
      {"gap_threshold_s", "0.4"},
      {"gap_rule", "difference"},
      {"gap_ratio", "0.9"},
      {"gap_fill", "fitting"},
      {"tail_start", "0.7"},
      {"tail_from", "assigned"},
      {"tail_shrink", "0.1"},
      {"tail_rule", "compounding"},
      {"tail_of", "blocks"},
      {"min_block_items", "auto"},
      {"forgetting", "1"},
      {"window", "0"},
      {"narrow_span", "3"},
      {"fit", "subset"},
      {"solver", "direct"},
      {"preset", "published"}}},
    {"hdss",
     {{"initial_block_items", "auto"},
      {"growth", "2"},
      {"phase1_sizes", "equal"},
      {"phase1_sync", "true"},
      {"convergence", "0.05"},
      {"min_points", "3"},
      {"training_share_max", "0.2"},
      {"divisor", "2"},
      {"min_block_items", "auto"},
      {"preset", "published"}}},
    {"acosta",
     {{"mode", "auto"},
      {"initial_block_items", "auto"},
      {"step_fraction", "0.05"},
      {"threshold", "0.1"},
      {"threshold_mode", "relative"},
      {"damping", "1"}}},
    {"hierarchical",
     with(rounds, {{"old_totals", "replaced"}, {"memory_share", "1"}, {"gamma", "steps"}})},
    {"fpm-limited", with(rounds, {{"old_totals", "averaged"}})},
    {"energy-alpha",
     {{"profile", own_trace},
      {"objective", "time"},
      {"groups", "units"},
      {"dynamic_time", "device"}}},
    {"pareto",
     {{"profile", own_trace}, {"objective", "time"}, {"slack", "any"}, {"pieces", "1024"}}},
    {"ss", {{"min_block_items", "auto"}}},
    {"fsc",
     {{"profile", own_trace},
      {"overhead_s", "auto"},
      {"sigma_s", "auto"},
      {"min_block_items", "auto"}}},
    {"mfsc", {{"min_block_items", "auto"}}},
    {"gss", {{"min_block_items", "auto"}}},
    {"tss", {{"delta", "floor"}, {"min_block_items", "auto"}}},
    {"fac",
     {{"profile", own_trace}, {"coefficient_of_variation", "auto"}, {"min_block_items", "auto"}}},
    {"fac2", {{"min_block_items", "auto"}}},
    {"wf",
     {{"profile", own_trace},
      {"weights", "auto"},
      {"min_block_items", "auto"},
      {"costs", "alike"}}},
    {"awf-b", with(learning, {{"time", "compute"}, {"update", "request"}})},
    {"awf-c", with(learning, {{"time", "compute"}})},
    {"awf-d", learning},
    {"awf-e", learning},
    {"af", with(learning, {{"sub_blocks", "10"}, {"time", "compute"}})},
    {"taper",
     {{"coefficient_of_variation", "auto"},
      {"alpha", "1.3"},
      {"initial_block_items", "auto"},
      {"sub_blocks", "10"},
      {"time", "compute"},
      {"min_block_items", "auto"}}},
    {"bold",
     {{"profile", own_trace},
      {"mu_s", "auto"},
      {"sigma_s", "auto"},
      {"overhead_s", "auto"},
      {"min_block_items", "auto"}}},
    {"static-steal", {{"chunk_items", "auto"}, {"shares", "equal"}}},
    {"naive", {{"initial_block_items", "auto"}, {"time", "block"}}},
    {"asymmetric",
     {{"initial_block_items", "auto"},
      {"tolerance", "0.05"},
      {"profile_share_max", "0.5"},
      {"time", "block"}}},
    {"logfit", {{"initial_block_items", "auto"}, {"min_points", "4"}, {"discount", "0.98"}}},
    {"hguided",
     with(learning,
          {{"powers", "auto"}, {"divisor", "2"}, {"time", "block"}, {"preset", "published"}})},
};

TEST(Published, DefaultsAreThePapersAndEachNamesItsPlace) {
  for (const auto& [policy, values] : published) {
    SCOPED_TRACE(policy);
    Values defaults;
    for (const ParameterInfo& parameter : find_policy(policy).parameters) {
      defaults[parameter.name] = parameter.default_text;
      EXPECT_FALSE(parameter.source.empty()) << parameter.name;
    }
    EXPECT_EQ(defaults.extract("backup").mapped(), "off");
    EXPECT_EQ(defaults, values);
  }
}

TEST(Published, CoversAllPoliciesButOurs) {
  std::vector<std::string> ours;
  for (const PolicyInfo& info : policy_catalog()) {
    if (!published.contains(info.name)) ours.push_back(info.name);
  }
  EXPECT_EQ(ours, (std::vector<std::string>{"fixed", "auto", "equipoise", "optimum"}));
}

TEST(Published, RobustIsWhatWeWouldDoInstead) {
  const std::map<std::string, Values> robust = {
      {"plb-hec", {{"noise_allowance", "6"}, {"step_fraction", "0.02"}}},
      {"dlb-gpu", {{"noise_allowance", "6"}, {"step_fraction", "0.02"}}},
      {"plb-hac", {{"forgetting", "0.5"}, {"tail_of", "step"}}},
      {"hdss", {{"phase1_sizes", "by_speed"}}},
      {"hierarchical", {{"mode", "slices"}, {"balance", "units"}, {"gamma", "search"}}},
      {"fpm-limited", {{"mode", "slices"}, {"old_totals", "replaced"}, {"balance", "units"}}}};
  std::map<std::string, Values> found;
  for (const PolicyInfo& info : policy_catalog()) {
    for (const Preset& preset : info.presets) {
      EXPECT_FALSE(preset.line.empty()) << info.name;
      if (preset.name == "robust") found[info.name] = preset.values;
      for (const auto& [name, value] : preset.values) {
        EXPECT_TRUE(published.at(info.name).contains(name)) << info.name << " " << name;
      }
    }
  }
  EXPECT_EQ(found, robust);
}

TEST(Published, ValuesThatAreGivenWinOverThePreset) {
  const PolicyInfo& info = find_policy("plb-hec");
  EXPECT_EQ(with_preset(info, {{"preset", "robust"}, {"step_fraction", "0.1"}}),
            (Values{{"preset", "robust"}, {"step_fraction", "0.1"}, {"noise_allowance", "6"}}));
  EXPECT_EQ(with_preset(info, {{"threshold", "0.2"}}), (Values{{"threshold", "0.2"}}));
  EXPECT_EQ(with_preset(info, {{"preset", "published"}}), (Values{{"preset", "published"}}));
  const std::string refusal = refusal_of([&] { (void)with_preset(info, {{"preset", "robst"}}); });
  EXPECT_NE(refusal.find("'robust'"), std::string::npos) << refusal;
  const std::string none = refusal_of([] {
    (void)make_policy(find_policy("greedy"), {{{"preset", "robust"}}});
  });
  EXPECT_NE(none.find("preset"), std::string::npos) << none;
}

TEST(Published, ARobustPolicyRunsAsWithItsValuesTyped) {
  PolicyTest test;
  test.policy = "plb-hec";
  test.items = 10'000;
  for (const double speed : {10.0, 5.0, 1.0}) add_affine(test, 0.1, 1.0 / speed);
  test.parameters = {{"preset", "robust"}};
  const std::vector<Items> preset = run_schedule(test).sizes_as_handed_out();
  test.parameters = {{"noise_allowance", "6"}, {"step_fraction", "0.02"}};
  EXPECT_EQ(preset, run_schedule(test).sizes_as_handed_out());
  test.parameters.clear();
  EXPECT_NE(preset, run_schedule(test).sizes_as_handed_out());
}

TEST(Published, HdssGivesAllUnitsEqualBlocksInItsFirstPhase) {
  // Units of 6, 3 and 1 items per second. x0 = 905 * 0.1 / 45 = 2.01. Rounds of 2, 4 and 8 items;
  // linear units have converged after three.
  PolicyTest test;
  test.policy = "hdss";
  test.items = 905;
  for (const double speed : {6.0, 3.0, 1.0}) add_affine(test, 0.0, 1.0 / speed);
  const Schedule schedule = run_schedule(test);
  for (const std::uint32_t unit : {0U, 1U, 2U}) {
    EXPECT_EQ(schedule.sizes(unit, BlockTag::train), (std::vector<Items>{2, 4, 8}));
  }
  EXPECT_NEAR(schedule.decisions.front().at.value, 14.0, 1e-9);  // the slowest did 14 items
}

}  // namespace
}  // namespace equipoise::published_test
