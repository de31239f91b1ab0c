// Tests of the rules for judging a prediction, and of the messages when it cannot be judged.
#include "tools/report/validation.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tools/report/report_text.hpp"
#include "tools/report/result_fields.hpp"

namespace equipoise::repetition_noise_test {
namespace {

using Json = nlohmann::json;

const std::string legend =
    "measured   The mean makespan of the real runs.\n"
    "sd         The standard deviation of repetitions of the same measurement, in % of their "
    "mean.\n"
    "predicted  The mean makespan of the simulations.\n"
    "error      How much the predicted makespan is above (+) or below (-) the measured one.\n";

/// A result with one repetition for each makespan.
PolicyResult result_of(const std::string& policy, const std::string& on,
                       const std::vector<double>& makespans_s) {
  PolicyResult result;
  result.spelling = policy;
  result.on = on;
  result.reps = makespans_s.size();
  result.makespan_s = summarise(makespans_s);
  result.share_by_unit = {1.0};
  result.idle_by_unit = {0.0};
  result.energy_by_unit_j = {std::nullopt};
  result.verified = true;
  return result;
}

/// Mean 1, standard deviation `apart`. Half the confidence interval is 1.24 of it, because
/// Student's t is 2.776 for five values.
PolicyResult five_runs(const std::string& policy, double apart) {
  return result_of(policy, "real", {1.0 - apart, 1.0 - apart, 1.0, 1.0 + apart, 1.0 + apart});
}

/// `result` with other programs that used `share` of two cores for one second.
PolicyResult beside_others(PolicyResult result, double share) {
  result.core_use = {.cores_s = 2.0, .other_programs_s = 2.0 * share};
  return result;
}

TEST(RepetitionNoise, IsTheStandardDeviationOverTheMean) {
  EXPECT_DOUBLE_EQ(relative_sd(result_of("a", "real", {8.0, 10.0, 12.0})).value(), 0.2);
  EXPECT_NEAR(relative_sd(five_runs("a", 0.05)).value(), 0.05, 1e-15);
  EXPECT_FALSE(relative_sd(result_of("a", "real", {8.0})));
  EXPECT_EQ(noise_cell(five_runs("a", 0.0123)), "1.2");
  EXPECT_EQ(noise_cell(result_of("a", "real", {8.0})), "-");
}

TEST(RepetitionNoise, SaysNothingMoreOfASteadyMachine) {
  const PolicyResult steady = beside_others(five_runs("a", 0.08), 0.1);
  EXPECT_FALSE(is_too_noisy(steady));  // half the interval is 9.9 % of the mean
  EXPECT_EQ(noise_text({&steady}), legend);
}

TEST(RepetitionNoise, SaysThatRepetitionsLieTooFarApart) {
  const PolicyResult a = five_runs("a", 0.11);
  const PolicyResult b = five_runs("b", 0.234);
  const PolicyResult c = five_runs("c", 0.01);
  EXPECT_TRUE(is_too_noisy(a));
  EXPECT_FALSE(is_too_noisy(c));
  EXPECT_EQ(noise_text({&b, &c}), legend +
                                      "This machine is too noisy to judge the prediction of b: "
                                      "repetitions of the same run differ by 23 % (sd)\n");
  EXPECT_EQ(noise_text({&a, &b}), legend +
                                      "This machine is too noisy to judge the predictions of a, b: "
                                      "repetitions of the same run differ by up to 23 % (sd)\n");
}

TEST(RepetitionNoise, SaysThatOtherProgramsHadTheCoresHoweverSteadilyTheyDid) {
  const PolicyResult busy = beside_others(five_runs("a", 0.01), 0.412);
  const PolicyResult unsteady = beside_others(five_runs("b", 0.5), 0.2);
  EXPECT_TRUE(is_too_noisy(busy));
  EXPECT_EQ(noise_text({&busy}), legend +
                                     "This machine is too busy to judge the prediction of a: other "
                                     "programs had 41 % of the units' cores meanwhile\n");
  EXPECT_EQ(noise_text({&busy, &unsteady}),
            legend +
                "This machine is too busy to judge the predictions of a, b: other programs had up "
                "to 41 % of the units' cores meanwhile\n");
  PolicyResult watched_too_briefly = busy;
  watched_too_briefly.core_use = {.cores_s = 0.4, .other_programs_s = 0.4};
  EXPECT_FALSE(is_too_noisy(watched_too_briefly));
}

TEST(RepetitionNoise, SaysThatRepetitionsAreTooFew) {
  // Half the interval of two values is 12.706 / sqrt(2) times their standard deviation, 2.83 %.
  const PolicyResult two = result_of("a", "real", {0.98, 1.02});
  EXPECT_TRUE(is_too_noisy(two));
  EXPECT_EQ(noise_text({&two}),
            legend +
                "Too few repetitions to judge the prediction of a: the measured mean "
                "is uncertain by 25 %; give more --reps\n");
  const PolicyResult one = result_of("a", "real", {1.0});
  EXPECT_TRUE(is_too_noisy(one));
  EXPECT_EQ(noise_text({&one}), legend +
                                    "One repetition does not show how much repetitions differ; "
                                    "give more --reps\n");
}

TEST(RepetitionNoise, StandsBesideTheErrorInBothTablesAndInBothFiles) {
  Comparison comparison;
  comparison.units = {"cpu0"};
  comparison.policies = {parse_policy("greedy")};
  comparison.results = {result_of("greedy", "sim", {1.5}),
                        beside_others(five_runs("greedy", 0.2), 0.5)};
  const Validation validation = judge(comparison);
  for (const std::string& text :
       {comparison_table(comparison), validation_text(validation, comparison.units)}) {
    EXPECT_NE(text.find("  sd %  "), std::string::npos) << text;
    EXPECT_NE(text.find("  20.0  "), std::string::npos) << text;
    EXPECT_NE(text.find("other programs had 50 %"), std::string::npos) << text;
  }
  const Json results = Json::parse(results_text(comparison)).at("results");
  EXPECT_EQ(results.at(0).at("makespan_relative_sd"), Json());
  EXPECT_EQ(results.at(0).at("too_noisy"), Json());
  EXPECT_EQ(results.at(0).at("other_load_share"), Json());
  EXPECT_NEAR(results.at(1).at("makespan_relative_sd"), 0.2, 1e-12);
  EXPECT_EQ(results.at(1).at("too_noisy"), true);
  EXPECT_EQ(results.at(1).at("other_load_share"), 0.5);
  const auto judged = validation_json(validation, comparison).at("policies").at(0);
  EXPECT_NEAR(judged.at("measured_relative_sd"), 0.2, 1e-12);
  EXPECT_EQ(judged.at("too_noisy"), true);
  EXPECT_EQ(judged.at("other_load_share"), 0.5);
}

}  // namespace
}  // namespace equipoise::repetition_noise_test
