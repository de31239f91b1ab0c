// Tests of bounds on results, and of their report.
#include "tools/guard/expectations.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/refusal.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/tools/guard/result_texts.hpp"

namespace equipoise::expectations_test {
namespace {

class Expect : public testing::Test {
 protected:
  /// Expectations with these bounds, each on its own line from line 2 on.
  Expectations read(const std::vector<std::string>& bounds) const {
    return read_expectations(scratch_.write(
        "e.json", fmt::format("{{\"schema\":\"equipoise.expect/1\",\"bounds\":[\n{}]}}",
                              fmt::join(bounds, ",\n"))));
  }

  /// Why the only check does not hold, without the folder of the file.
  std::string failure(const std::string& bound, const std::vector<double>& makespans_s,
                      bool verified = true) const {
    const std::vector<Check> checks =
        check({bound}, {result_text("a", makespans_s, "sim", verified)});
    EXPECT_EQ(checks.size(), 1u);
    const std::string& said = checks.front().failure;
    return said.substr(said.rfind('/') + 1);
  }

  std::vector<Check> check(const std::vector<std::string>& bounds,
                           const std::vector<std::string>& results) const {
    return check_expectations(read(bounds), {{"", parse_results(results_json(results), "r")}});
  }

  std::string refused(const std::string& bound) const {
    const std::string said = refusal_of([&] { static_cast<void>(read({bound})); });
    return said.substr(said.rfind('/') + 1);
  }

  TemporaryFolder scratch_;
};

TEST_F(Expect, FailsOnlyIfTheNearEndOfTheIntervalBreaksTheBound) {
  // Mean 5, interval 2.516 to 7.484 at 95 %, -0.730 to 10.730 at 99 %.
  const std::vector<double> makespans_s = {4, 5, 6};
  EXPECT_EQ(failure(R"({"policy":"a","quantity":"makespan_s","at_most":2.6})", makespans_s), "");
  EXPECT_EQ(
      failure(R"({"policy":"a","quantity":"makespan_s","at_most":2.5})", makespans_s),
      "e.json:2: a (sim): makespan_s is 5.0000 (95 % interval 2.5159 to 7.4841); expected: at "
      "most 2.5");
  EXPECT_EQ(failure(R"({"policy":"a","quantity":"makespan_s","at_least":7.4})", makespans_s), "");
  EXPECT_NE(failure(R"({"policy":"a","quantity":"makespan_s","at_least":7.5})", makespans_s), "");
  EXPECT_EQ(failure(R"({"policy":"a","quantity":"makespan_s","at_least":7.5,"confidence":0.99})",
                    makespans_s),
            "");
}

TEST_F(Expect, ComparesANumberWithoutIntervalItself) {
  EXPECT_EQ(
      failure(R"({"policy":"a","quantity":"share_by_unit.n0.gpu","at_most":0.7})", {1, 2}),
      "e.json:2: a (sim): share_by_unit.n0.gpu is 0.75000 (without an interval); expected: at "
      "most 0.7");
  EXPECT_NE(failure(R"({"policy":"a","quantity":"makespan_s","at_most":3.9})", {4}), "");
}

TEST_F(Expect, FailsWhereNothingIsKnown) {
  EXPECT_EQ(failure(R"({"policy":"a","quantity":"over_best_known","at_most":2})", {4, 5}),
            "e.json:2: a (sim): over_best_known is not known");
  EXPECT_EQ(failure(R"({"policy":"a","quantity":"makespan_s","at_most":9})", {4, 5}, false),
            "e.json:2: a (sim): makespan_s cannot be judged, because a run is not verified");
  EXPECT_EQ(failure(R"({"policy":"a","on":"real","quantity":"makespan_s","at_most":9})", {4, 5}),
            "e.json:2: no result is meant by this bound");
}

TEST_F(Expect, ChecksEveryPolicyAndTheNamedExperiments) {
  const Expectations expectations =
      read({R"({"policy":"*","experiment":"x-*","quantity":"makespan_s","at_most":3})"});
  const auto named = [](const std::string& name, double seconds) {
    return NamedResults{
        name,
        parse_results(
            results_json({result_text("a", {seconds, seconds}), result_text("b", {1, 1})}), "r")};
  };
  const std::vector<Check> checks =
      check_expectations(expectations, {named("x-1", 2), named("x-2", 4), named("y", 4)});
  ASSERT_EQ(checks.size(), 4u);
  EXPECT_EQ(checks[0].failure + checks[1].failure + checks[3].failure, "");
  EXPECT_EQ(checks[2].group, "x-2");
  EXPECT_NE(checks[2].failure.find("x-2: a (sim): makespan_s is 4.0000"), std::string::npos);
}

TEST_F(Expect, RefusesMalformedBoundsWithTheLine) {
  EXPECT_EQ(refused(R"({"policy":"a","quantity":"makespan_s"})"),
            "e.json:2: the bound has neither at_most nor at_least; give one of them");
  EXPECT_EQ(refused(R"({"policy":"a","quantity":"q","at_most":1,"at_least":2})"),
            "e.json:2: at_most is less than at_least; no number can be both");
  EXPECT_NE(refused(R"({"policy":"a","quantity":"q","at_mots":1})").find("at_most"),
            std::string::npos);
  EXPECT_NE(refused(R"({"policy":"a","quantity":"q","at_most":1,"confidence":1})").find("0.95"),
            std::string::npos);
  EXPECT_EQ(refused(R"({"policy":"a","quantity":"q","at_most":1,"on":"reel"})"),
            "e.json:2: unknown world 'reel'; did you mean 'real'?");
}

TEST_F(Expect, RefusesBoundsThatWouldCheckNothing) {
  const auto known = [&](const std::string& bound) {
    const std::string said = refusal_of([&] {
      expect_known(read({bound}), {{"greedy", "gss"}, {"n0.gpu"}, 1});
    });
    return said.substr(said.rfind('/') + 1);
  };
  EXPECT_EQ(known(R"({"policy":"*","quantity":"share_by_unit.n0.gpu","at_most":1})"),
            "not refused");
  EXPECT_EQ(known(R"({"policy":"gsss","quantity":"makespan_s","at_most":1})"),
            "e.json:2: unknown policy of these results 'gsss'; did you mean 'gss'?");
  EXPECT_EQ(known(R"({"policy":"gss","quantity":"makespans","at_most":1})"),
            "e.json:2: unknown number of a result 'makespans'; did you mean 'makespan_s'?");
  EXPECT_EQ(known(R"({"policy":"gss","quantity":"share_by_unit","at_most":1})"),
            "e.json:2: 'share_by_unit' has several numbers; write 'share_by_unit.n0.gpu'");
}

TEST(Checks, AreWrittenAsJUnitWithTextsEscaped) {
  EXPECT_EQ(junit_text("e.json", {{"", "a <1>", ""}, {"x", "b", "2 & 3"}}),
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            "<testsuites tests=\"2\" failures=\"1\" errors=\"0\" skipped=\"0\">\n"
            "  <testsuite name=\"e.json\" tests=\"2\" failures=\"1\" errors=\"0\" skipped=\"0\">\n"
            "    <testcase classname=\"equipoise\" name=\"a &lt;1&gt;\"/>\n"
            "    <testcase classname=\"x\" name=\"b\">\n"
            "      <failure message=\"2 &amp; 3\"/>\n"
            "    </testcase>\n"
            "  </testsuite>\n"
            "</testsuites>\n");
}

}  // namespace
}  // namespace equipoise::expectations_test
