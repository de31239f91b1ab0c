// Tests of campaign files: the experiments that they expand to, and their error messages.
#include <gtest/gtest.h>

#include "tests/support/refusal.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tools/sweep/campaign_file.hpp"

namespace equipoise::campaign_file_test {
namespace {

/// A folder with a campaign file.
class CampaignFile : public testing::Test {
 protected:
  Campaign read(const std::string& text) {
    problems.clear();
    return read_campaign(scratch.write("c/c.json", text), problems);
  }

  /// The message with which the whole file is refused, without the path of the folder.
  std::string refused(const std::string& text) {
    return without_folder(refusal_of([&] { static_cast<void>(read(text)); }));
  }

  /// The only problem of a file that can be read otherwise.
  std::string problem(const std::string& text) {
    static_cast<void>(read(text));
    return problems.size() == 1 ? without_folder(problems[0])
                                : std::to_string(problems.size()) + " problems";
  }

  std::string without_folder(std::string text) {
    const std::string folder = scratch.path("c/");
    const std::size_t at = text.find(folder);
    return at == std::string::npos ? text : text.erase(at, folder.size());
  }

  TemporaryFolder scratch;
  std::vector<std::string> problems;
};

const std::string head = "{\"schema\":\"equipoise.campaign/1\",\n";

std::string one_experiment(const std::string& members) {
  return head +
         "\"experiments\":[{\"name\":\"e\",\"platform\":\"p.xml\",\"traces\":\"t.jsonl\",\n" +
         "\"workloads\":\"k:items=5\",\"policies\":\"greedy\"" + members + "}]}";
}

TEST_F(CampaignFile, NamesFilesOfCostsRelativeToItsFolder) {
  const std::string text = one_experiment("");
  const auto workload_of = [&](const std::string& spelling) {
    std::string with = text;
    with.replace(with.find("k:items=5"), 9, spelling);
    return without_folder(read(with).experiments.at(0).options.workloads.at(0));
  };
  EXPECT_EQ(workload_of("k:items=5,costs=costs.csv"), "k:items=5,costs=costs.csv");
  EXPECT_EQ(read(text).experiments.at(0).options.workloads.at(0), "k:items=5");
  std::string with = text;
  with.replace(with.find("k:items=5"), 9, "k:costs=costs.csv,items=5");
  EXPECT_EQ(read(with).experiments.at(0).options.workloads.at(0),
            "k:costs=" + scratch.path("c/costs.csv") + ",items=5");
  EXPECT_EQ(workload_of("k:items=5,costs=gaussian"), "k:items=5,costs=gaussian");
}

TEST_F(CampaignFile, GivesEveryChoiceOfTheVariablesOnce) {
  const Campaign campaign =
      read(head +
           "\"reps\": 4, \"policies\": [\"greedy\", \"plb-hec\"], \"reference\": \"plb-hec\",\n"
           "\"experiments\": [{\"name\": \"{m}-{items}\", \"for\": {\"m\": [\"a\", \"b\"],\n"
           "\"items\": [10, \"2e3\"]}, \"platform\": \"../{m}.xml\", \"traces\": [\"{m}.jsonl\"],\n"
           "\"workloads\": [\"k:items={items}\", \"l:items=1\"], \"noise\": false, \"seed\": 9}]}");
  EXPECT_TRUE(problems.empty());
  EXPECT_EQ(campaign.title, "c");
  EXPECT_EQ(campaign.reference, "plb-hec");
  ASSERT_EQ(campaign.experiments.size(), 4u);
  const std::vector<std::string> names = {"a-10", "a-2e3", "b-10", "b-2e3"};
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(campaign.experiments[i].name, names[i]);
  const ComparisonOptions& o = campaign.experiments[3].options;
  EXPECT_TRUE(o.quiet);
  EXPECT_EQ(o.platform_file, scratch.path("b.xml"));  // relative to the folder of the campaign, c/
  EXPECT_EQ(o.trace_files, std::vector<std::string>{scratch.path("c/b.jsonl")});
  EXPECT_EQ(o.workloads, (std::vector<std::string>{"k:items=2e3", "l:items=1"}));
  EXPECT_EQ(o.policies, (std::vector<std::string>{"greedy", "plb-hec"}));
  EXPECT_EQ(o.reps, 4);
  EXPECT_EQ(o.seed, 9u);
  EXPECT_FALSE(o.noise);
  EXPECT_EQ(o.baseline, "greedy");
}

TEST_F(CampaignFile, SetsVariablesTogether) {
  const Campaign campaign =
      read(head +
           "\"experiments\":[{\"name\":\"{m}-{size}-{seed}\",\"for\":{\"row\":"
           "[{\"m\":\"a\",\"items\":\"1e3\",\"size\":\"small\"},"
           "{\"m\":\"b\",\"items\":5,\"size\":\"tiny\"}],\"seed\":[1,2]},\n"
           "\"platform\":\"{m}.xml\",\"traces\":\"t\",\"workloads\":\"k:items={items}\","
           "\"policies\":\"all\",\"without\":\"ss\",\"group\":\"of {m}\",\"seed\":\"{seed}\"}]}");
  ASSERT_TRUE(problems.empty()) << problems.front();
  ASSERT_EQ(campaign.experiments.size(), 4u);
  EXPECT_EQ(campaign.experiments[3].name, "b-tiny-2");
  EXPECT_EQ(campaign.experiments[3].group, "of b");
  EXPECT_EQ(campaign.experiments[3].options.workloads[0], "k:items=5");
  EXPECT_EQ(campaign.experiments[3].options.seed, 2u);
  EXPECT_EQ(campaign.experiments[3].options.without, std::vector<std::string>{"ss"});
}

TEST_F(CampaignFile, LetsAnExperimentOverrideTheCampaign) {
  const Campaign campaign =
      read(head +
           "\"reps\": 4, \"noise\": true, \"decision_cost\": \"paper\",\n\"experiments\":"
           "[{\"name\":\"e\",\"platform\":\"/p.xml\",\"traces\":[\"t\"],\"workloads\":[\"k\"],"
           "\"policies\":[\"all\"],\"reps\":2,\"noise\":false,\"dispatch_cost_s\":\"10 us\"}]}");
  ASSERT_EQ(campaign.experiments.size(), 1u);
  const ComparisonOptions& o = campaign.experiments[0].options;
  EXPECT_EQ(o.platform_file, "/p.xml");
  EXPECT_EQ(o.reps, 2);
  EXPECT_FALSE(o.noise);
  EXPECT_EQ(o.decision_cost, "paper");
  EXPECT_DOUBLE_EQ(o.dispatch_cost->value, 1e-5);
}

TEST_F(CampaignFile, TakesThePolicyOfNodesWithItsPathsFromTheCampaignsFolder) {
  const auto per_node = [this](const std::string& given) {
    return read(one_experiment(",\"for\":{\"p\":[\"" + given + "\"]},\"per_node\":\"{p}\""))
        .experiments.at(0)
        .options.per_node;
  };
  EXPECT_EQ(per_node("awf-c"), "awf-c");
  EXPECT_EQ(per_node(""), "");
  EXPECT_EQ(per_node("static:profile=t.jsonl"), "static:profile=" + scratch.path("c/t.jsonl"));
  EXPECT_EQ(per_node("./mine.so:part=0.5"), scratch.path("c/mine.so") + ":part=0.5");
}

/// One experiment, and published figures.
std::string with_published(const std::string& figures) {
  std::string text = one_experiment("");
  text.pop_back();
  return text + ",\n\"published\":[" + figures + "]}";
}

TEST_F(CampaignFile, ReadsPublishedFigures) {
  EXPECT_TRUE(read(one_experiment("")).published.empty());
  const Campaign campaign = read(with_published(
      "{\"figure\":\"Fig. 4\",\"experiment\":\"e\",\"over\":\"greedy\",\"source\":\"text\","
      "\"values\":{\"plb-hec\":2.2,\"hdss\":\"> 1.2\",\"acosta\":\"<1\",\"gss\":null,"
      "\"fac\":\"1.2..2.5\"}}"));
  ASSERT_TRUE(problems.empty()) << problems[0];
  ASSERT_EQ(campaign.published.size(), 1u);
  const PublishedFigure& figure = campaign.published[0];
  EXPECT_EQ(figure.figure, "Fig. 4");
  EXPECT_EQ(figure.field, "makespan_s");
  EXPECT_EQ(figure.over, "greedy");
  ASSERT_EQ(figure.policies.size(), 5u);
  EXPECT_EQ(figure.policies[0].spelling, "plb-hec");
  EXPECT_DOUBLE_EQ(figure.policies[0].printed->value, 2.2);
  EXPECT_EQ(figure.policies[0].printed->relation, PrintedValue::Relation::equal);
  EXPECT_DOUBLE_EQ(figure.policies[1].printed->value, 1.2);
  EXPECT_EQ(figure.policies[1].printed->relation, PrintedValue::Relation::more);
  EXPECT_EQ(figure.policies[2].printed->relation, PrintedValue::Relation::less);
  EXPECT_FALSE(figure.policies[3].printed.has_value());
  EXPECT_EQ(figure.policies[4].printed->relation, PrintedValue::Relation::within);
  EXPECT_DOUBLE_EQ(figure.policies[4].printed->value, 1.2);
  EXPECT_DOUBLE_EQ(figure.policies[4].printed->most, 2.5);
}

TEST_F(CampaignFile, RepeatsPublishedFiguresForVariables) {
  const Campaign campaign = read(
      with_published("{\"figure\":\"{t}\",\"for\":{\"case\":[{\"t\":\"II\",\"s\":233},"
                     "{\"t\":\"III\",\"s\":\"6.52\"}]},\"experiment\":\"e\",\"field\":\"blocks\","
                     "\"values\":{\"hdss:x={t}\":\"{s}\"},\"source\":\"Table {t}\"}"));
  ASSERT_TRUE(problems.empty()) << problems[0];
  ASSERT_EQ(campaign.published.size(), 2u);
  EXPECT_EQ(campaign.published[1].figure, "III");
  EXPECT_EQ(campaign.published[1].field, "blocks");
  EXPECT_EQ(campaign.published[1].source, "Table III");
  EXPECT_EQ(campaign.published[1].policies[0].spelling, "hdss:x=III");
  EXPECT_DOUBLE_EQ(campaign.published[1].policies[0].printed->value, 6.52);
}

TEST_F(CampaignFile, TellsWhatIsWrongWithAPublishedFigure) {
  const std::string begin = "{\"figure\":\"f\",\"source\":\"s\",\"experiment\":";
  EXPECT_EQ(problem(with_published(begin + "\"f\",\"values\":{\"p\":1}}"))
                .rfind("c.json:4: unknown experiment 'f'", 0),
            0u)
      << problems[0];
  EXPECT_EQ(problem(with_published(begin + "\"e\",\"values\":{}}"))
                .rfind("c.json:4: 'values' must be an object", 0),
            0u)
      << problems[0];
  EXPECT_EQ(
      problem(with_published(begin + "\"e\",\"values\":{\"p\":\"much\"}}")).rfind("c.json:4: ", 0),
      0u)
      << problems[0];
  EXPECT_EQ(problem(with_published(begin + "\"e\",\"values\":{\"p\":\"2.5..1.2\"}}")),
            "c.json:4: the interval '2.5..1.2' is empty; write LEAST..MOST");
}

TEST_F(CampaignFile, KeepsOnlyTheExperimentsThatAPatternNames) {
  const std::string text =
      head + "\"platform\":\"p.xml\",\"traces\":\"t.jsonl\",\"workloads\":\"k:items=5\"," +
      "\"policies\":\"greedy\",\"experiments\":[{\"name\":\"fig4-{n}\",\"for\":{\"n\":[1,2]}}," +
      "{\"name\":\"fig5\"}],\"published\":[{\"figure\":\"f\",\"for\":{\"e\":[\"fig4-2\",\"fig5\"]}"
      "," +
      "\"experiment\":\"{e}\",\"values\":{\"greedy\":1},\"source\":\"s\"}]}";
  const Campaign all = read(text);
  ASSERT_EQ(all.experiments.size(), 3u);
  Campaign some = all;
  keep_only(some, {}, "--only");
  EXPECT_EQ(some.experiments.size(), 3u);
  keep_only(some, {"fig4-*"}, "--only");
  ASSERT_EQ(some.experiments.size(), 2u);
  EXPECT_EQ(some.experiments[1].name, "fig4-2");
  ASSERT_EQ(some.published.size(), 1u);
  EXPECT_EQ(some.published[0].experiment, "fig4-2");
  some = all;
  keep_only(some, {"fig4-1", "fig5"}, "--only");
  EXPECT_EQ(some.experiments.size(), 2u);
  EXPECT_EQ(refusal_of([&] {
              keep_only(some, {"fig5", "fig6*"}, "--only");
            }).rfind("--only: no experiment", 0),
            0u);
  EXPECT_TRUE(refusal_of([&] {
                keep_only(some, {"fig4"}, "--only");
              }).ends_with("is called 'fig4'; did you mean 'fig4-*'?"));
  EXPECT_TRUE(refusal_of([&] {
                keep_only(some, {"fig6"}, "--only");
              }).ends_with("; write a name, or part of one with *"));
}

TEST_F(CampaignFile, RefusesTheWholeFileWithItsLine) {
  EXPECT_EQ(refused("{\n\"schema\":\"equipoise.campaign/2\",\"experiments\":[]}")
                .rfind("c.json:2: schema 'equipoise.campaign/2' is not", 0),
            0u);
  EXPECT_EQ(refused("{\"schema\":\"equipoise.campaign/1\"}"),
            "c.json:1: 'experiments' is missing; add it");
  EXPECT_EQ(refused(head + "\"experiments\":[]}"), "c.json:2: holds no experiment; add one");
  EXPECT_EQ(
      refused(head + "\"polices\":[],\n\"experiments\":[]}")
          .rfind("c.json:2: unknown member of a campaign 'polices'; did you mean 'policies'?", 0),
      0u);
  EXPECT_EQ(refused("{\"schema\":").rfind("c.json:1: malformed JSON", 0), 0u);
}

TEST_F(CampaignFile, TellsWhatIsWrongWithAnExperiment) {
  EXPECT_EQ(problem(one_experiment(",\n\"rep\":3")),
            "c.json:4: unknown member of an experiment 'rep'; did you mean 'reps'?");
  EXPECT_EQ(problem(one_experiment(",\n\"reps\":0")),
            "c.json:4: 'reps' is 0; it must be from 1 "
            "to 1000000");
  EXPECT_EQ(problem(one_experiment(",\n\"for\":{\"a\":[]}")),
            "c.json:4: variable 'a' needs a list of at least one value");
  EXPECT_EQ(problem(one_experiment(",\n\"for\":{\"a\":[1,2]}"))
                .rfind("c.json:2: a second experiment is called 'e'", 0),
            0u);
  EXPECT_EQ(problem(one_experiment(",\n\"baseline\":\"{b}\"")),
            "c.json:4: '{b}' is no variable; name it in 'for'");
  EXPECT_EQ(problem(one_experiment(",\n\"noise\":1")),
            "c.json:4: 'noise' is a number; it must be true or false");
  EXPECT_EQ(problem(one_experiment(",\n\"decision_cost\":\"lots\"")).rfind("c.json:4: ", 0), 0u);
  for (const char* cost : {"-1", "1000001", "1e308"}) {
    EXPECT_EQ(problem(one_experiment(std::string(",\n\"dispatch_cost_s\":") + cost)),
              "c.json:4: handing out a block costs from 0 to 1e6 seconds; give that");
  }
}

TEST_F(CampaignFile, TellsAllProblemsAtOnce) {
  const Campaign campaign =
      read(head +
           "\"experiments\":[\n{\"name\":\"a b\",\"platform\":\"p\",\"traces\":\"t\","
           "\"workloads\":\"k\",\"policies\":\"x\"},\n"
           "{\"name\":\"c\"},\n7,\n{\"name\":\"d\",\"platform\":\"p\",\"traces\":\"t\","
           "\"workloads\":\"k\",\"policies\":\"x\"}]}");
  EXPECT_EQ(campaign.experiments.size(), 1u);
  ASSERT_EQ(problems.size(), 3u);
  EXPECT_EQ(without_folder(problems[0]),
            "c.json:3: 'a b' cannot name a folder; use letters, digits, - and _");
  EXPECT_EQ(without_folder(problems[1]), "c.json:4: 'platform' is missing; add it");
  EXPECT_EQ(without_folder(problems[2]).rfind("c.json:5: an experiment must be an object", 0), 0u);
}

}  // namespace
}  // namespace equipoise::campaign_file_test
