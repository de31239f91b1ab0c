// Tests of scenarios in the program: every kind of disturbance with every policy, and refused
// scenarios.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>

#include "tests/support/program.hpp"
#include "tests/support/small_machine.hpp"

namespace equipoise::scenario_test {
namespace {

using Json = nlohmann::json;

class Scenarios : public testing::Test {
 protected:
  [[nodiscard]] std::string write(const std::string& events) const {
    return scratch.write("s.json",
                         R"({"schema":"equipoise.scenario/1","events":[)" + events + "]}");
  }

  [[nodiscard]] ProgramRun type(const std::string& command, const std::string& scenario,
                                const std::vector<std::string>& more) const {
    std::vector<std::string> words = {command, "--scenario", scenario};
    const std::vector<std::string> files = machine.words();
    words.insert(words.end(), files.begin(), files.end());
    words.insert(words.end(), more.begin(), more.end());
    return run_equipoise(words);
  }

  /// Expects that every policy does all of `workload` under these events, and that none is faster
  /// than the bound.
  void expect_all_policies_survive(const std::string& events,
                                   const std::vector<std::string>& workload) const {
    SCOPED_TRACE(events);
    std::vector<std::string> words = {"--policy", "all",          "--reps", "1",      "--noise",
                                      "off",      "--best-known", "off",    "--json", "--quiet"};
    words.insert(words.end(), workload.begin(), workload.end());
    const ProgramRun run = type("compare", write(events), words);
    ASSERT_EQ(run.exit_code, 0) << run.err;
    const Json results = Json::parse(run.out);
    EXPECT_EQ(results.at("experiment").at("sim").at("scenario"), scratch.path("s.json"));
    const double bound_s = results.at("lower_bound_s");
    for (const Json& result : results.at("results")) {
      EXPECT_EQ(result.at("verified"), true) << result.at("policy");
      EXPECT_EQ(result.at("policy_stalled"), false) << result.at("policy");
      EXPECT_GE(result.at("makespan_s").at("min").get<double>(), bound_s * (1.0 - 1e-9))
          << result.at("policy");
    }
  }

  TemporaryFolder scratch;
  SmallMachine machine{scratch};
  const std::vector<std::string> moving = {
      "--workload", "k:items=2000,in_bytes_per_item=800,out_bytes_per_item=200"};
};

TEST_F(Scenarios, ThatFailAUnitAreToldWithItsItems) {
  const std::string scenario = write(R"({"at_s":0.1,"unit":"b","kind":"fail"})");
  const std::vector<std::string> words = {"--workload", "k:items=2000", "--policy",
                                          "greedy",     "--noise",      "off"};
  std::vector<std::string> in_json = words;
  in_json.emplace_back("--json");
  const Json summary = Json::parse(type("simulate", scenario, in_json).out);
  const long redone = summary.at("items_redone");
  ASSERT_GT(redone, 1);
  const ProgramRun run = type("simulate", scenario, words);
  EXPECT_NE(
      run.out.find(fmt::format("\nb was lost at 100 ms; its {} items were done again\n", redone)),
      std::string::npos)
      << run.out;
}

// Without events the small machine needs about 0.5 s for 2000 items.
TEST_F(Scenarios, OfACompetingLoadAreSurvivedByEveryPolicy) {
  expect_all_policies_survive(
      R"({"at_s":0.1,"unit":"c","kind":"compete","share":0.7},)"
      R"({"at_s":0.2,"unit":"a","kind":"compete","share":0.5,"until_s":0.3})",
      moving);
}

TEST_F(Scenarios, OfASlowDownAreSurvivedByEveryPolicy) {
  expect_all_policies_survive(R"({"at_s":0.1,"unit":"c","kind":"slow","factor":5})", moving);
}

TEST_F(Scenarios, OfALinkChangeAreSurvivedByEveryPolicy) {
  expect_all_policies_survive(
      R"({"at_s":0.1,"link":"bus","kind":"bandwidth","factor":0.2},)"
      R"({"at_s":0.2,"link":"lc","kind":"bandwidth","factor":3,"until_s":0.9})",
      moving);
}

TEST_F(Scenarios, ThatMakeAFatpipeFasterAreRefusedBecauseSimGridKeepsTransfersSlow) {
  std::string text = scratch.read("p.xml");
  const std::string bus = "id=\"bus\"";
  text.insert(text.find(bus) + bus.size(), " sharing_policy=\"FATPIPE\"");
  scratch.write("p.xml", text);
  const auto typed = [&](const std::string& members) {
    return type("simulate", write(R"({"link":"bus","kind":"bandwidth",)" + members + "}"),
                {"--policy", "greedy", "--workload", moving.at(1)});
  };
  for (const auto& [members, at_s] : {std::pair(R"("at_s":0.1,"factor":2)", "0.1"),
                                      std::pair(R"("at_s":0,"until_s":0.5,"factor":0.2)", "0.5")}) {
    const ProgramRun run = typed(members);
    EXPECT_EQ(run.exit_code, 2);
    EXPECT_EQ(run.err, fmt::format("equipoise: error: {}:1: link bus is a FATPIPE and becomes "
                                   "faster at {} s; SimGrid does not make transfers under way "
                                   "faster there; make the link SHARED in the platform file, or "
                                   "let it only become slower\n",
                                   scratch.path("s.json"), at_s));
  }
  for (const char* slower :
       {R"("at_s":0.1,"factor":0.2)", R"("at_s":0,"until_s":0.5,"factor":2)",
        R"("at_s":0,"until_s":0.5,"factor":0.2},{"link":"bus","kind":"bandwidth","at_s":0.5,)"
        R"("factor":0.1)"}) {
    const ProgramRun run = typed(slower);
    EXPECT_EQ(run.exit_code, 0) << run.err;
  }
}

TEST_F(Scenarios, OfAUnitThatFailsAreSurvivedByEveryPolicy) {
  expect_all_policies_survive(R"({"at_s":0.15,"unit":"c","kind":"fail"})", moving);
  expect_all_policies_survive(R"({"at_s":0.001,"unit":"a","kind":"fail","until_s":0.2})", moving);
}

TEST_F(Scenarios, OfAUnitThatJoinsAreSurvivedByEveryPolicy) {
  expect_all_policies_survive(R"({"at_s":0.1,"unit":"c","kind":"join"})", moving);
  expect_all_policies_survive(
      R"({"at_s":0.1,"unit":"a","kind":"join"},{"at_s":0.05,"unit":"b","kind":"join"},)"
      R"({"at_s":0.2,"unit":"c","kind":"join"})",
      moving);
}

TEST_F(Scenarios, OfASpeedProfileAreSurvivedByEveryPolicy) {
  scratch.write("speed.csv", "time_s,factor\n0,0.5\n0.05,2\n0.1,0.25\n0.3,1\n");
  expect_all_policies_survive(R"({"at_s":0.05,"unit":"c","kind":"profile","file":"speed.csv"})",
                              moving);
}

TEST_F(Scenarios, ThatDisturbPhasesAndIterationsAreSurvivedByEveryPolicy) {
  expect_all_policies_survive(
      R"({"at_s":0.1,"unit":"c","kind":"fail","until_s":0.5},)"
      R"({"at_s":0.3,"unit":"a","kind":"slow","factor":3},)"
      R"({"at_s":0.7,"unit":"b","kind":"fail"},{"at_s":0.9,"unit":"b","kind":"join"})",
      {"--workload", "k:items=300,iterations=3,resident_bytes=1000", "--workload", "l:items=500",
       "--workload", "k:items=400"});
}

/// One to six random events of any kind. Unit b neither fails nor joins.
std::string random_events(std::mt19937_64& random) {
  const auto below = [&random](std::size_t n) { return random() % n; };
  const auto number = [&random](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  std::string events;
  bool a_changes = false;
  bool c_changes = false;
  for (std::size_t left = below(6) + 1; left > 0; --left) {
    const double at_s = number(0.0, 0.8);
    const std::string until =
        below(2) == 0 ? fmt::format(R"(,"until_s":{})", at_s + number(0.01, 0.5)) : std::string();
    const char unit = "abc"[below(3)];
    std::string event;
    switch (below(5)) {
      case 0:
        event = fmt::format(R"("unit":"{}","kind":"compete","share":{}{})", unit, number(0.0, 0.95),
                            until);
        break;
      case 1:
        event = fmt::format(R"("unit":"{}","kind":"slow","factor":{}{})", unit, number(0.3, 8.0),
                            until);
        break;
      case 2:
        event = fmt::format(R"("link":"{}","kind":"bandwidth","factor":{}{})",
                            std::vector<std::string>{"bus", "la", "lc"}[below(3)], number(0.1, 4.0),
                            until);
        break;
      default: {  // a and c fail or join at most once
        bool& changes = unit == 'a' ? a_changes : c_changes;
        if (unit == 'b' || changes) continue;
        changes = true;
        event = below(2) == 0 ? fmt::format(R"("unit":"{}","kind":"fail"{})", unit, until)
                              : fmt::format(R"("unit":"{}","kind":"join")", unit);
      }
    }
    events += fmt::format(R"({}{{"at_s":{},{}}})", events.empty() ? "" : ",", at_s, event);
  }
  return events;
}

/// Scenarios drawn from a seed.
class RandomScenarios : public Scenarios, public testing::WithParamInterface<int> {};

TEST_P(RandomScenarios, AreSurvivedByEveryPolicy) {
  std::mt19937_64 random(static_cast<std::uint64_t>(GetParam()));
  const std::string events = random_events(random);
  expect_all_policies_survive(
      events, {"--workload", random() % 2 == 0
                                 ? "k:items=1000"
                                 : "k:items=800,in_bytes_per_item=900,out_bytes_per_item=100"});
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomScenarios, testing::Range(1, 21));

TEST_F(Scenarios, StandInTheHeaderAndTheBoundInTheSummaryOfRunFiles) {
  const std::string scenario = write(R"({"at_s":0.1,"unit":"c","kind":"slow","factor":5})");
  const std::string path = scratch.path("run.jsonl");
  const ProgramRun run =
      type("simulate", scenario,
           {"--workload", "k:items=2000", "--policy", "greedy", "--noise", "off", "--out", path});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const std::vector<std::string> lines = lines_of(read_text(path));
  EXPECT_EQ(Json::parse(lines.front()).at("scenario"), scenario);
  const Json summary = Json::parse(lines.back());
  // a and b do 1000 items/s each. c does 2000 until 0.1 s and 400 from then on: 400 items in 0.1 s,
  // then 2400/s. A block of 1000 items, the largest recorded size, adds a fixed cost of 1e-4 s.
  EXPECT_NEAR(summary.at("lower_bound_s"), 0.1 + 1600.0 / 2400.0, 1e-3);
  EXPECT_GE(summary.at("makespan_s"), summary.at("lower_bound_s").get<double>());
  EXPECT_NE(run.out.find(" times the lower bound of "), std::string::npos) << run.out;
}

TEST_F(Scenarios, ThatLeaveNoUnitEndIncompleteAndWithoutABound) {
  const std::string failures = R"({"at_s":0.1,"unit":"a","kind":"fail"},)"
                               R"({"at_s":0.1,"unit":"b","kind":"fail"},)"
                               R"({"at_s":0.2,"unit":"c","kind":"fail"})";
  const std::string change = R"(,{"at_s":0.3,"link":"bus","kind":"bandwidth","factor":0.5})";
  const auto lose_all = [&](const std::string& events) {
    return type("simulate", write(events),
                {"--workload", "k:items=2000", "--policy", "greedy", "--json"});
  };
  const ProgramRun run = lose_all(failures);
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_NE(run.err.find("no unit was left"), std::string::npos) << run.err;
  EXPECT_TRUE(Json::parse(run.out).at("lower_bound_s").is_null());
  // A link that changes when nobody is there any more makes no difference.
  const ProgramRun changed = lose_all(failures + change);
  EXPECT_EQ(changed.exit_code, 1);
  EXPECT_EQ(changed.err, run.err);
  EXPECT_EQ(Json::parse(changed.out).at("makespan_s"), Json::parse(run.out).at("makespan_s"));
}

TEST_F(Scenarios, ThatLeaveNoUnitHaveNoBestSchedule) {
  const std::string scenario = write(R"({"at_s":0.1,"unit":"a","kind":"fail"},)"
                                     R"({"at_s":0.1,"unit":"b","kind":"fail"},)"
                                     R"({"at_s":0.2,"unit":"c","kind":"fail"})");
  const std::vector<std::string> words = {"--workload", "k:items=2000", "--json"};
  const ProgramRun optimum = type("optimum", scenario, words);
  EXPECT_EQ(optimum.exit_code, 1);
  EXPECT_EQ(optimum.out, "");
  EXPECT_NE(optimum.err.find("error: no schedule: no unit was left"), std::string::npos)
      << optimum.err;
  std::vector<std::string> more = words;
  more.insert(more.end(), {"--policy", "greedy", "--policy", "optimum", "--reps", "2"});
  const ProgramRun compare = type("compare", scenario, more);
  EXPECT_EQ(compare.exit_code, 1);
  EXPECT_NE(compare.err.find("warning: the best schedule is not known"), std::string::npos)
      << compare.err;
  const Json results = Json::parse(compare.out);
  EXPECT_TRUE(results.at("best_known_s").is_null());
  ASSERT_EQ(results.at("results").size(), 2U);
}

TEST_F(Scenarios, OfUnitsAndLinksThatAreNotThereAreRefused) {
  const std::vector<std::string> words = {"--workload", "k:items=10", "--policy", "greedy"};
  const ProgramRun unit =
      type("simulate", write(R"({"at_s":0.1,"unit":"ram","kind":"fail"})"), words);
  EXPECT_EQ(unit.exit_code, 2);
  EXPECT_NE(unit.err.find("s.json:1: no unit that takes part is called 'ram'; there are a, b, c"),
            std::string::npos)
      << unit.err;
  const ProgramRun link =
      type("simulate", write(R"({"at_s":0.1,"link":"a","kind":"bandwidth","factor":2})"), words);
  EXPECT_EQ(link.exit_code, 2);
  EXPECT_NE(link.err.find("no link of the platform is called 'a'; there are"), std::string::npos)
      << link.err;
}

}  // namespace
}  // namespace equipoise::scenario_test
