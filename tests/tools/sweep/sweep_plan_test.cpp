// Tests of the keys of points and of shards: which points are the same work, and which shard does
// them.
#include "tools/sweep/sweep_plan.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "tests/support/places.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tools/runs/content_hash.hpp"
#include "tools/runs/version.hpp"

namespace equipoise::sweep_plan_test {
namespace {

/// A campaign on copies of a recorded machine. Each test changes one part of it.
class Plan : public testing::Test {
 protected:
  [[nodiscard]] std::string campaign_text() const {
    return "{\"schema\":\"equipoise.campaign/1\"," + top + "\"experiments\":[{\"name\":\"" + name +
           "\",\"platform\":\"p.xml\",\"traces\":\"t.jsonl\",\"workloads\":[\"" + workload +
           "\"],\"policies\":[" + policies + "]," + settings + "}]}";
  }

  SweepPlan plan() {
    problems.clear();
    scratch.write("p.xml", platform);
    scratch.write("t.jsonl", trace);
    const Campaign campaign = read_campaign(scratch.write("c.json", campaign_text()), problems);
    return plan_sweep(campaign, problems, [](std::size_t) {});
  }

  std::set<std::string> keys() {
    std::set<std::string> all;
    for (const Point& point : plan().points) all.insert(point.key);
    return all;
  }

  static std::string text_of(const std::string& file) {
    std::ostringstream text;
    text << std::ifstream(repository() / file, std::ios::binary).rdbuf();
    return text.str();
  }

  TemporaryFolder scratch;
  std::string platform = text_of("platforms/hannibal.xml");
  std::string trace = text_of("traces/hannibal-chol_model_11.jsonl");
  std::string top;
  std::string name = "e";
  std::string workload = "chol_model_11:items=1e4";
  std::string policies = "\"greedy\",\"static\"";
  std::string settings = "\"reps\":3";
  std::vector<std::string> problems;
};

TEST_F(Plan, NamesEveryPolicyAndRepetitionByAKeyOfItsOwn) {
  const SweepPlan made = plan();
  ASSERT_TRUE(problems.empty()) << problems.front();
  ASSERT_EQ(made.points.size(), 6u);
  EXPECT_EQ(keys().size(), 6u);
  EXPECT_EQ(made.points[0].repetition, 0u);
  EXPECT_EQ(made.points[1].policy, 1u);
  EXPECT_EQ(made.points[2].repetition, 1u);
}

TEST_F(Plan, NamesThePolicyOfNodesInKeysAndChecksIt) {
  const std::set<std::string> of_one_level = keys();
  settings = R"("reps":3,"per_node":"gss")";
  const std::set<std::string> of_two_levels = keys();
  ASSERT_TRUE(problems.empty()) << problems.front();
  EXPECT_EQ(of_two_levels.size(), 6u);
  for (const std::string& key : of_two_levels) EXPECT_FALSE(of_one_level.contains(key));
  settings = R"("reps":3,"per_node":"gsss")";
  static_cast<void>(plan());
  ASSERT_FALSE(problems.empty());
  EXPECT_NE(problems.front().find("per_node: unknown policy 'gsss'"), std::string::npos)
      << problems.front();
}

TEST_F(Plan, HoldsAMillionRepetitionsWithoutAListOfThem) {
  settings = "\"reps\":1000000";
  const SweepPlan made = plan();
  ASSERT_EQ(made.points.size(), 2'000'000u);
  const Point last = made.points[1'999'999];
  EXPECT_EQ(last.repetition, 999'999u);
  EXPECT_EQ(last.policy, 1u);
  settings = "\"reps\":3";
  EXPECT_EQ(made.points[5].key, plan().points[5].key);
}

TEST_F(Plan, KeepsKeysWhileNothingChanges) {
  const std::set<std::string> before = keys();
  EXPECT_EQ(keys(), before);
  settings = "\"reps\":2";  // fewer repetitions, with the same keys
  const std::set<std::string> fewer = keys();
  EXPECT_EQ(fewer.size(), 4u);
  for (const std::string& key : fewer) EXPECT_TRUE(before.contains(key));
  policies = "\"greedy\"";
  for (const std::string& key : keys()) EXPECT_TRUE(before.contains(key));
}

TEST_F(Plan, ChangesEveryKeyWithAnythingThatNumbersDependOn) {
  std::set<std::string> seen = keys();
  const auto expect_new = [&](const char* what) {
    for (const std::string& key : keys()) EXPECT_TRUE(seen.insert(key).second) << what;
  };
  platform.insert(platform.find("<link id=") + 5, " bandwidth_file=\"bw.txt\"");
  for (const char* profile : {"0 1e9\n", "0 2e9\n"}) {
    scratch.write("bw.txt", profile);
    expect_new("platform and profile");
  }
  trace.insert(trace.find("\"provenance\":\"") + 14, "changed; ");
  expect_new("trace");
  workload = "chol_model_11:items=2e4";
  expect_new("workload");
  name = "f";
  expect_new("name");
  for (const char* setting : {"\"seed\":2", "\"noise\":false", "\"block_timeout_s\":3",
                              "\"dispatch_cost_s\":1e-3", "\"decision_cost\":\"paper\""}) {
    settings = std::string("\"reps\":3,") + setting;
    expect_new(setting);
  }
}

TEST_F(Plan, TellsEveryFileAndPolicyThatCannotBeUsed) {
  policies = "\"gredy\"";
  workload = "matmull:n=5";
  static_cast<void>(plan());
  ASSERT_EQ(problems.size(), 2u);
  EXPECT_NE(problems[0].find("c.json:1: experiment e: policies: unknown policy 'gredy'"),
            std::string::npos)
      << problems[0];
  EXPECT_NE(problems[1].find("unknown kernel 'matmull'"), std::string::npos) << problems[1];
}

TEST_F(Plan, TriesPoliciesBeforeAnythingRuns) {
  policies = "\"plb-hec:treshold=1\"";
  static_cast<void>(plan());
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_NE(problems[0].find("threshold"), std::string::npos) << problems[0];
}

TEST_F(Plan, RefusesAReferenceThatNoExperimentRuns) {
  top = "\"reference\":\"statik\",\n";
  plan();
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_NE(problems[0].find("c.json:1: "), std::string::npos) << problems[0];
  EXPECT_NE(problems[0].find("static"), std::string::npos) << problems[0];
  top = "\"reference\":\"static\",\n";
  plan();
  EXPECT_TRUE(problems.empty());
}

TEST_F(Plan, NamesEachPolicyOnceWhereNoExperimentRunsTheReference) {
  top = "\"reference\":\"plb-hec\",\n";
  name = "e{seed}\",\"for\":{\"seed\":[1,2]},\"seed\":\"{seed}";
  plan();
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_NE(problems[0].find("unknown policy of the campaign 'plb-hec'; known are: greedy, static"),
            std::string::npos)
      << problems[0];
  EXPECT_EQ(problems[0].find("greedy"), problems[0].rfind("greedy"));
}

TEST_F(Plan, LetsThePartThatDoesNotRunTheReferenceBeWithoutIt) {
  top = "\"reference\":\"static\",\n";
  policies = "\"{policy}\"";
  name = "{policy}\",\"for\":{\"policy\":[\"gss\",\"static\"]},\"group\":\"g";
  plan();  // writes the campaign
  EXPECT_TRUE(problems.empty());
  Campaign campaign = read_campaign(scratch.path("c.json"), problems);
  keep_only(campaign, {"gss"}, "--only");
  const SweepPlan part = plan_sweep(campaign, problems, [](std::size_t) {});
  EXPECT_TRUE(problems.empty()) << problems[0];
  EXPECT_EQ(part.experiments.size(), 1u);
}

TEST_F(Plan, RefusesPublishedFiguresOfWhatNoExperimentHas) {
  const std::string phase = workload;
  for (int more = 0; more < 3; ++more) workload += "\",\"" + phase;
  const std::string begin =
      "\"published\":[{\"figure\":\"f\",\"source\":\"s\",\"experiment\":\"e\",\"field\":";
  for (const char* field : {"blocks", "makespan_s.sd", "share_by_unit", "share_by_unit.cuda0",
                            "phases.4.duration_s", "phases.1.share_by_unit.cuda0"}) {
    top = begin + "\"" + field + "\",\"values\":{\"static\":1}}],\n";
    plan();
    EXPECT_TRUE(problems.empty()) << problems[0];
  }
  for (const char* field :
       {"block", "makespan_s.median", "share_by_unit.z", "share_by_unit.mean", "blocks.mean",
        "verified", "policy", "parameters", "phases", "phases.end_s", "phases.0.end_s",
        "phases.5.end_s", "phases.1.items", "phases.1.share_by_unit.z"}) {
    top = begin + "\"" + field + "\",\"values\":{\"static\":1}}],\n";
    plan();
    ASSERT_EQ(problems.size(), 1u) << field;
    EXPECT_NE(problems[0].find(std::string("no number '") + field + "'"), std::string::npos)
        << problems[0];
  }
  top = begin + "\"blocks\",\"values\":{\"statik\":1}}],\n";
  plan();
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_NE(problems[0].find("static"), std::string::npos) << problems[0];
}

TEST_F(Plan, DealsEveryPointAndSearchToOneShard) {
  policies = "\"greedy\",\"optimum\"";
  settings = "\"reps\":5";
  name = "e{seed}\",\"for\":{\"seed\":[1,2,3]},\"seed\":\"{seed}";
  const SweepPlan made = plan();
  ASSERT_TRUE(problems.empty()) << problems.front();
  ASSERT_EQ(made.experiments.size(), 3u);
  for (const PlannedExperiment& planned : made.experiments) {
    // The seed does not change the schedule.
    EXPECT_EQ(planned.schedule_key, made.experiments[0].schedule_key);
    EXPECT_EQ(planned.searched_by, 0u);
  }
  for (std::size_t i = 0; i < made.points.size(); ++i) {
    std::size_t holders = 0;
    for (std::size_t number = 1; number <= 4; ++number) {
      const Shard shard{number, 4};
      if (!shard.does(made, i)) continue;
      ++holders;
      const bool is_oracle = made.points[i].policy == 1;
      EXPECT_TRUE(!is_oracle || shard.searches(made, made.points[i].experiment));
    }
    EXPECT_EQ(holders, 1u) << i;
  }
}

TEST(CommittedCampaigns, NameNothingThatIsNotThere) {
  const std::filesystem::path folder = repository() / "tools/campaigns";
  std::size_t campaigns = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".json") continue;
    std::vector<std::string> problems;
    const Campaign campaign = read_campaign(entry.path(), problems);
    const SweepPlan plan = plan_sweep(campaign, problems, [](std::size_t) {});
    EXPECT_TRUE(problems.empty()) << problems.front();
    EXPECT_EQ(plan.experiments.size(), campaign.experiments.size());
    ++campaigns;
  }
  EXPECT_GE(campaigns, 2u);
}

TEST(Shards, HoldEveryPointOnce) {
  for (const std::size_t of : {1u, 2u, 3u, 7u, 16u, 100u}) {
    for (std::size_t point = 0; point < 50; ++point) {
      std::size_t holders = 0;
      for (std::size_t number = 1; number <= of; ++number) {
        holders += Shard{number, of}.holds(point) ? 1 : 0;
      }
      EXPECT_EQ(holders, 1u) << point << " of " << of;
    }
  }
}

TEST(Shards, AreReadAsUsersWriteThem) {
  EXPECT_EQ(parse_shard("3/16", "--shard").number, 3u);
  EXPECT_EQ(parse_shard("3/16", "--shard").of, 16u);
  for (const char* text : {"", "3", "0/4", "5/4", "a/b", "1/", "-1/3", "1/2/3"}) {
    EXPECT_EQ(
        refusal_of([&] { static_cast<void>(parse_shard(text, "--shard")); }).rfind("--shard: ", 0),
        0u)
        << text;
  }
}

TEST(ContentHashes, TellPartsApart) {
  const auto hash = [](const std::vector<std::string>& parts) {
    ContentHash all;
    for (const std::string& part : parts) all.add(part);
    return all.text();
  };
  EXPECT_EQ(hash({"ab", "c"}), hash({"ab", "c"}));
  EXPECT_NE(hash({"ab", "c"}), hash({"a", "bc"}));
  EXPECT_NE(hash({"ab"}), hash({"ab", ""}));
  EXPECT_EQ(hash({}), "cbf29ce484222325");  // FNV-1a of no bytes
  EXPECT_EQ(source_id().size(), 16u);
}

}  // namespace
}  // namespace equipoise::sweep_plan_test
