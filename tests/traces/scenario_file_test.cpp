// Tests of scenario files: valid files, and messages with the line of each mistake.
#include "traces/scenario_file.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "tests/support/mutations.hpp"
#include "tests/support/places.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/temporary_folder.hpp"

namespace equipoise::scenario_file_test {
namespace {

/// A scenario of these events, one per line from line 2 on.
std::string scenario(const std::vector<std::string>& events) {
  std::string text = R"({"schema":"equipoise.scenario/1","events":[)";
  for (std::size_t i = 0; i < events.size(); ++i) text += (i == 0 ? "\n" : ",\n") + events[i];
  return text + "]}\n";
}

const std::string profile = "time_s,factor\n0,0.5\n10,2\n";

ScenarioFile read(const std::string& text, const std::string& speeds = profile) {
  const TemporaryFolder folder;
  folder.write("speed.csv", speeds);
  return read_scenario(folder.write("s.json", text));
}

/// The message with which a file of `text` is refused, without the name of its folder.
std::string refusal(const std::string& text, const std::string& speeds = profile) {
  const TemporaryFolder folder;
  folder.write("speed.csv", speeds);
  const std::string path = folder.write("s.json", text);
  std::string why = refusal_of([&] { (void)read_scenario(path); });
  const std::string where = folder.path("");
  if (why.starts_with(where)) why.erase(0, where.size());
  return why;
}

std::string event_refusal(const std::string& event) { return refusal(scenario({event})); }

TEST(ScenarioFile, ReadsEveryKindOfEvent) {
  const ScenarioFile file =
      read(scenario({R"({"at_s":142,"unit":"gpuA","kind":"compete","share":0.5,"until_s":400})",
                     R"({"at_s":10,"unit":"cpu0","kind":"slow","factor":3.0,"note":"throttled"})",
                     R"({"at_s":30,"link":"pcie0","kind":"bandwidth","factor":0.5})",
                     R"({"at_s":0,"unit":"cpu1","kind":"profile","file":"speed.csv"})",
                     R"({"at_s":60,"unit":"gpuB","kind":"fail"})",
                     R"({"at_s":90,"unit":"gpuB","kind":"join"})"}));
  const std::vector<Disturbance>& events = file.scenario.events;
  ASSERT_EQ(events.size(), 6u);
  EXPECT_TRUE(file.scenario.name.ends_with("s.json"));
  EXPECT_TRUE(file.where[2].ends_with("s.json:4"));
  EXPECT_EQ(events[0].kind, DisturbanceKind::compete);
  EXPECT_EQ(events[0].target, "gpuA");
  EXPECT_EQ(events[0].at.value, 142);
  EXPECT_EQ(events[0].until.value, 400);
  EXPECT_EQ(events[0].amount, 0.5);
  EXPECT_EQ(events[1].kind, DisturbanceKind::slow);
  EXPECT_EQ(events[1].amount, 3.0);
  EXPECT_EQ(events[1].until, Seconds::infinity());
  EXPECT_EQ(events[2].kind, DisturbanceKind::bandwidth);
  EXPECT_EQ(events[2].target, "pcie0");
  EXPECT_EQ(events[3].kind, DisturbanceKind::profile);
  ASSERT_EQ(events[3].profile.size(), 2u);
  EXPECT_EQ(events[3].profile[0].since.value, 0);
  EXPECT_EQ(events[3].profile[0].factor, 0.5);
  EXPECT_EQ(events[3].profile[1].since.value, 10);
  EXPECT_EQ(events[3].profile[1].factor, 2);
  EXPECT_EQ(events[4].kind, DisturbanceKind::fail);
  EXPECT_EQ(events[5].kind, DisturbanceKind::join);
}

TEST(ScenarioFile, ReadsAScenarioWithoutEventsAndLaterMinorVersions) {
  EXPECT_TRUE(read(R"({"schema":"equipoise.scenario/1.3","note":"calm","events":[]})")
                  .scenario.events.empty());
}

TEST(ScenarioFile, ReadsAProfileWithoutAHeaderLine) {
  const std::string event = R"({"at_s":0,"unit":"a","kind":"profile","file":"speed.csv"})";
  EXPECT_EQ(read(scenario({event}), "0, 0.5\r\n\r\n 1.5,1\r\n").scenario.events[0].profile.size(),
            2u);
}

TEST(ScenarioFile, SaysWhichEventNamesAFileThatIsNotThere) {
  const std::string why =
      event_refusal(R"({"at_s":0,"unit":"a","kind":"profile","file":"no.csv"})");
  EXPECT_TRUE(why.starts_with("no.csv: no such file; ")) << why;
  EXPECT_TRUE(why.ends_with("s.json:2 names it, and paths begin in its folder")) << why;
}

TEST(ScenarioFile, RefusesFilesThatAreNotScenarios) {
  EXPECT_EQ(refusal(R"({"schema":"equipoise.trace/1","events":[]})"),
            "s.json:1: schema 'equipoise.trace/1' is not 'equipoise.scenario/1'; is this the "
            "right file, and made for this version?");
  EXPECT_TRUE(refusal("{\n\"schema\":\"equipoise.scenario/12\",\"events\":[]}")
                  .starts_with("s.json:2: schema"));
  EXPECT_TRUE(refusal("[]").starts_with("s.json:1: a scenario must be an object"));
  EXPECT_TRUE(refusal("").starts_with("s.json:1: malformed JSON"));
  EXPECT_TRUE(
      refusal(R"({"schema":"equipoise.scenario/1"})").starts_with("s.json:1: 'events' is missing"));
  EXPECT_TRUE(refusal(R"({"schema":"equipoise.scenario/1","events":{}})")
                  .starts_with("s.json:1: 'events' is an object; it must be a list"));
  EXPECT_TRUE(refusal_of([] { (void)read_scenario("/none.json"); }).starts_with("/none.json: "));
  EXPECT_TRUE(refusal(scenario({"7"})).starts_with("s.json:2: an event must be an object"));
  EXPECT_TRUE(refusal(scenario({R"({"at_s":1)", "}"})).starts_with("s.json:3: malformed JSON"));
}

TEST(ScenarioFile, NamesTheNearestKindAndMember) {
  EXPECT_EQ(event_refusal(R"({"at_s":1,"unit":"a","kind":"slwo","factor":2})"),
            "s.json:2: unknown kind of event 'slwo'; did you mean 'slow'?");
  EXPECT_EQ(event_refusal(R"({"at_s":1,"unit":"a","kind":"slow","factor":2,"untl_s":3})"),
            "s.json:2: unknown member of an event 'untl_s'; did you mean 'until_s'?");
  EXPECT_TRUE(event_refusal(R"({"at_s":1,"unit":"a","kind":"slow","share":0.5})")
                  .starts_with("s.json:2: unknown member of a slow event 'share'"));
  EXPECT_TRUE(event_refusal(R"({"at_s":1,"link":"a","kind":"fail"})")
                  .starts_with("s.json:2: unknown member of a fail event 'link'"));
  EXPECT_TRUE(event_refusal(R"({"at_s":1,"unit":"a","kind":"join","until_s":3})")
                  .starts_with("s.json:2: unknown member of a join event 'until_s'"));
}

TEST(ScenarioFile, RefusesEventsThatLackAMember) {
  EXPECT_EQ(event_refusal(R"({"unit":"a","kind":"fail"})"), "s.json:2: 'at_s' is missing; add it");
  EXPECT_EQ(event_refusal(R"({"at_s":1,"kind":"fail"})"), "s.json:2: 'unit' is missing; add it");
  EXPECT_EQ(event_refusal(R"({"at_s":1,"unit":"a"})"), "s.json:2: 'kind' is missing; add it");
  EXPECT_EQ(event_refusal(R"({"at_s":1,"unit":"a","kind":"compete"})"),
            "s.json:2: 'share' is missing; add it");
  EXPECT_EQ(event_refusal(R"({"at_s":1,"unit":"a","kind":"slow"})"),
            "s.json:2: 'factor' is missing; add it");
  EXPECT_EQ(event_refusal(R"({"at_s":1,"unit":"a","kind":"profile"})"),
            "s.json:2: 'file' is missing; add it");
  EXPECT_EQ(event_refusal(R"({"at_s":1,"kind":"bandwidth","factor":1})"),
            "s.json:2: 'link' is missing; add it");
}

TEST(ScenarioFile, RefusesNumbersThatCannotBe) {
  EXPECT_EQ(event_refusal(R"({"at_s":-1,"unit":"a","kind":"fail"})"),
            "s.json:2: 'at_s' is -1; it must be 0 or more");
  EXPECT_EQ(event_refusal(R"({"at_s":5,"unit":"a","kind":"fail","until_s":5})"),
            "s.json:2: 'until_s' is 5; it must be later than 'at_s'");
  EXPECT_EQ(event_refusal(R"({"at_s":5,"unit":"a","kind":"compete","share":1})"),
            "s.json:2: 'share' is 1; it must be from 0 on and less than 1");
  EXPECT_EQ(event_refusal(R"({"at_s":5,"unit":"a","kind":"compete","share":-0.1})"),
            "s.json:2: 'share' is -0.1; it must be from 0 on and less than 1");
  EXPECT_EQ(event_refusal(R"({"at_s":5,"unit":"a","kind":"slow","factor":0})"),
            "s.json:2: 'factor' is 0; it must be more than 0");
  EXPECT_EQ(event_refusal(R"({"at_s":5,"link":"a","kind":"bandwidth","factor":-2})"),
            "s.json:2: 'factor' is -2; it must be more than 0");
  EXPECT_TRUE(event_refusal(R"({"at_s":NaN,"unit":"a","kind":"fail"})")
                  .starts_with("s.json:2: malformed JSON"));
  EXPECT_TRUE(event_refusal(R"({"at_s":1e999,"unit":"a","kind":"fail"})")
                  .starts_with("s.json:2: a number overflows"));
  EXPECT_TRUE(event_refusal(R"({"at_s":true,"unit":"a","kind":"fail"})")
                  .starts_with("s.json:2: 'at_s' is true or false; it must be a number"));
  EXPECT_TRUE(event_refusal(R"({"at_s":"1 kg","unit":"a","kind":"fail"})")
                  .starts_with("s.json:2: 'at_s': '1 kg' is not a number of seconds"));
  EXPECT_TRUE(event_refusal(R"({"at_s":1,"unit":"","kind":"fail"})")
                  .starts_with("s.json:2: 'unit' is empty"));
}

TEST(ScenarioFile, SaysTheLineOfAMemberOfAnEventOfManyLines) {
  EXPECT_EQ(
      event_refusal("{\"at_s\": 1,\n \"unit\": \"a\",\n \"kind\": \"slow\",\n\"factor\":0\n}"),
      "s.json:5: 'factor' is 0; it must be more than 0");
}

TEST(ScenarioFile, RefusesMembersAndEventsThatStandTwice) {
  EXPECT_TRUE(event_refusal(R"({"at_s":1,"at_s":2,"unit":"a","kind":"fail"})")
                  .starts_with("s.json:2: 'at_s' is given twice"));
  const std::string slow = R"({"at_s":1,"unit":"a","kind":"slow","factor":2})";
  const std::string later = R"({"at_s":2,"unit":"a","kind":"slow","factor":2})";
  EXPECT_TRUE(refusal(scenario({slow, later, slow})).starts_with("s.json:4: the same event"));
  EXPECT_EQ(read(scenario({slow, later})).scenario.events.size(), 2u);
}

TEST(ScenarioFile, RefusesAUnitThatGoesTwiceOrComesTwice) {
  const std::string fail = R"({"at_s":10,"unit":"a","kind":"fail"})";
  const std::string again = R"({"at_s":20,"unit":"a","kind":"fail"})";
  const std::string join = R"({"at_s":15,"unit":"a","kind":"join"})";
  EXPECT_EQ(
      refusal(scenario({fail, again})),
      "s.json:3: a fails at 10 s and fails at 20 s; `fail` and `join` of a unit must alternate");
  EXPECT_EQ(read(scenario({fail, again, join})).scenario.events.size(), 3u);
  EXPECT_EQ(
      refusal(scenario({R"({"at_s":10,"unit":"a","kind":"fail","until_s":30})", again})),
      "s.json:3: a fails at 10 s and fails at 20 s; `fail` and `join` of a unit must alternate");
  EXPECT_EQ(
      refusal(scenario({R"({"at_s":12,"unit":"a","kind":"join"})", join})),
      "s.json:3: a joins at 12 s and joins at 15 s; `fail` and `join` of a unit must alternate");
  EXPECT_EQ(
      refusal(scenario({fail, R"({"at_s":10,"unit":"a","kind":"join"})"})),
      "s.json:3: a fails at 10 s and joins at 10 s; `fail` and `join` of a unit must alternate");
}

TEST(ScenarioFile, RefusesWhatTogetherLeavesNothingOfASpeed) {
  EXPECT_TRUE(
      refusal(scenario({R"({"at_s":1,"unit":"a","kind":"slow","factor":1e7})",
                        R"({"at_s":5,"unit":"a","kind":"slow","factor":1e6})"}))
          .starts_with(
              "s.json:3: from 5 s on the speed of a is 1e-13 times the original; keep it from "
              "1e-12 to 1e+12"));
  EXPECT_TRUE(event_refusal(R"({"at_s":1,"link":"l","kind":"bandwidth","factor":1e13})")
                  .starts_with("s.json:2: from 1 s on the bandwidth of l is 1e+13"));
}

TEST(ScenarioFile, RefusesProfilesWithTheirLine) {
  const std::string text =
      scenario({R"({"at_s":0,"unit":"a","kind":"profile","file":"speed.csv"})"});
  EXPECT_TRUE(refusal(text, "time_s,factor\n0,1\n0,2\n").starts_with("speed.csv:3: time_s is 0; "));
  EXPECT_TRUE(refusal(text, "-1,1\n").starts_with("speed.csv:1: time_s is -1; "));
  EXPECT_TRUE(refusal(text, "0,0\n").starts_with("speed.csv:1: factor is 0; it must be more"));
  EXPECT_TRUE(refusal(text, "0,nan\n").starts_with("speed.csv:1: `factor` is not finite"));
  EXPECT_TRUE(refusal(text, "t,f\n0,1\n").starts_with("speed.csv:1: `time_s` is not a number"));
  EXPECT_TRUE(refusal(text, "0,1,2\n").starts_with("speed.csv:1: 3 fields"));
  EXPECT_TRUE(refusal(text, "time_s,factor\n").starts_with("speed.csv: the speed profile has no"));
  EXPECT_TRUE(event_refusal(R"({"at_s":0,"unit":"a","kind":"profile","file":"none.csv"})")
                  .starts_with("none.csv: no such file"));
}

TEST(ScenarioFile, RefusesUnitsAndLinksThatAreNotThereAndSaysWhichAre) {
  ScenarioFile file = read(scenario({R"({"at_s":1,"unit":"a","kind":"fail"})",
                                     R"({"at_s":1,"link":"l","kind":"bandwidth","factor":2})"}));
  const std::vector<std::string> others = {"b", "c"};
  EXPECT_EQ(refusal_of([&] { find_targets(file, {"a", "b"}, {{.name = "l"}}); }), "not refused");
  EXPECT_EQ(refusal_of([&] { find_targets(file, others, {{.name = "l"}}); }),
            file.where[0] + ": no unit that takes part is called 'a'; there are b, c");
  EXPECT_EQ(refusal_of([&] { find_targets(file, {"a"}, {{.name = "m"}}); }),
            file.where[1] + ": no link of the platform is called 'l'; there is m");
}

TEST(ScenarioFile, RepeatsEvents) {
  const ScenarioFile file = read(scenario(
      {R"({"at_s":1,"until_s":3,"every_s":"10 s","times":3,"unit":"a","kind":"slow","factor":2})"}));
  ASSERT_EQ(file.scenario.events.size(), 3u);
  EXPECT_EQ(file.scenario.events[2].at.value, 21);
  EXPECT_EQ(file.scenario.events[2].until.value, 23);
  EXPECT_TRUE(file.where[2].ends_with("s.json:2"));
  EXPECT_EQ(file.scenario.speed_of("a").at(Seconds{22}), 0.5);
  EXPECT_EQ(file.scenario.speed_of("a").at(Seconds{24}), 1.0);
  const auto why = [](const std::string& members) {
    return event_refusal(R"({"at_s":1,"unit":"a","kind":"slow","factor":2,)" + members + "}");
  };
  EXPECT_EQ(why(R"("every_s":5,"times":2)"),
            "s.json:2: an event that is repeated needs an end; add until_s");
  EXPECT_EQ(why(R"("every_s":1,"times":2,"until_s":3)"),
            "s.json:2: 'every_s' is 1; it must be at least the 2 s from at_s to until_s");
  EXPECT_EQ(why(R"("every_s":5,"until_s":3)"), "s.json:2: 'times' is missing; add it");
  EXPECT_TRUE(event_refusal(R"({"at_s":1,"unit":"a","kind":"join","every_s":5,"times":2})")
                  .starts_with("s.json:2: unknown member of a join event 'every_s'"));
}

TEST(ScenarioFile, MeansAllUnitsOfAPatternOrAList) {
  ScenarioFile file =
      read(scenario({R"({"at_s":1,"unit":"*","kind":"slow","factor":2})",
                     R"({"at_s":2,"unit":["n0.cpu","n1.g*"],"kind":"compete","share":0.5})",
                     R"({"at_s":3,"link":"n?.in","kind":"bandwidth","factor":0.5})"}));
  find_targets(file, {"n0.cpu", "n0.gpu", "n1.gpu"},
               {{.name = "n0.in"}, {.name = "n1.in"}, {.name = "n1.out"}});
  std::vector<std::string> targets;
  for (const Disturbance& event : file.scenario.events) targets.push_back(event.target);
  EXPECT_EQ(targets, (std::vector<std::string>{"n0.cpu", "n0.gpu", "n1.gpu", "n0.cpu", "n1.gpu",
                                               "n0.in", "n1.in"}));
  EXPECT_TRUE(file.where[6].ends_with("s.json:4"));
  ScenarioFile twice = read(scenario(
      {R"({"at_s":1,"unit":"*","kind":"fail"})", R"({"at_s":2,"unit":"a","kind":"fail"})"}));
  EXPECT_NE(refusal_of([&] { find_targets(twice, {"a"}, {}); }).find("must alternate"),
            std::string::npos);
}

TEST(ScenarioFile, ReadsBandwidthsOverTime) {
  const std::string event = R"({"at_s":5,"link":"l","kind":"bandwidth","file":"speed.csv"})";
  const ScenarioFile file = read(scenario({event}));
  const StepFunction bandwidth = file.scenario.bandwidth_of("l");
  EXPECT_EQ(bandwidth.at(Seconds{4}), 1.0);
  EXPECT_EQ(bandwidth.at(Seconds{6}), 0.5);
  EXPECT_EQ(bandwidth.at(Seconds{15}), 2.0);
  EXPECT_EQ(
      event_refusal(R"({"at_s":5,"link":"l","kind":"bandwidth","file":"speed.csv","factor":2})"),
      "s.json:2: 'factor' is 2; it stands beside 'file'; keep one");
}

TEST(ScenarioFile, ReadsProfilesOfSimGrid) {
  const std::string lines = "# night and day\n0.0 1.0\n11.0\t0.5\n20.0 0.8\nLOOPAFTER 10\n";
  const std::string of_unit =
      R"({"at_s":100,"until_s":150,"unit":"a","kind":"profile","file":"speed.csv"})";
  const ScenarioFile file = read(scenario({of_unit}), lines);
  const StepFunction speed = file.scenario.speed_of("a");
  EXPECT_EQ(speed.at(Seconds{112}), 0.5);
  EXPECT_EQ(speed.at(Seconds{125}), 0.8);
  EXPECT_EQ(speed.at(Seconds{131}), 1.0);  // it begins again 10 s after 120
  EXPECT_EQ(speed.at(Seconds{142}), 0.5);
  EXPECT_EQ(speed.at(Seconds{151}), 1.0);
  EXPECT_EQ(
      refusal(scenario({R"({"at_s":0,"unit":"a","kind":"profile","file":"speed.csv"})"}), lines),
      "s.json:2: its profile repeats for ever; add until_s");
  const std::string of_link = R"({"at_s":0,"link":"l","kind":"bandwidth","file":"speed.csv"})";
  ScenarioFile bytes = read(scenario({of_link}), "0 1e9\n10 5e8\n");
  ScenarioFile unknown = bytes;
  find_targets(bytes, {}, {{.name = "l", .bandwidth_bytes_per_s = 2e9}});
  EXPECT_EQ(bytes.scenario.bandwidth_of("l").at(Seconds{1}), 0.5);
  EXPECT_EQ(bytes.scenario.bandwidth_of("l").at(Seconds{11}), 0.25);
  EXPECT_EQ(refusal_of([&] { find_targets(unknown, {}, {{.name = "l"}}); }),
            unknown.where[0] +
                ": the profile of SimGrid has bytes/s, and the bandwidth of l is "
                "not known; give rows of time_s,factor");
  EXPECT_TRUE(refusal(scenario({of_link}), "0 1\nLOOPAFTER 1\n2 1\n")
                  .starts_with("speed.csv:3: a line behind LOOPAFTER"));
}

/// The scenario of a table, or the message with which it is refused.
ScenarioFile table(const std::string& text) {
  const TemporaryFolder folder;
  return read_scenario(folder.write("t.csv", text));
}

std::string table_refusal(const std::string& text) {
  const std::string why = refusal_of([&] { (void)table(text); });
  return why.substr(why.find("t.csv"));
}

TEST(ScenarioFile, ReadsATableOfShares) {
  const ScenarioFile file =
      table("time_s,unit,share\n0,a,0\n5,b,0.5\n10,a,1\n20,b,0\n30,b,0\n40,b,0.25\n50,b,1\n");
  const Scenario& s = file.scenario;
  ASSERT_EQ(s.events.size(), 3u);
  EXPECT_FALSE(s.presence_of("a").at_start);
  ASSERT_EQ(s.presence_of("a").changes.size(), 1u);
  EXPECT_EQ(s.presence_of("a").changes[0].at.value, 10);
  EXPECT_TRUE(s.speed_of("a").is_one());
  EXPECT_EQ(s.speed_of("b").at(Seconds{1}), 1.0);
  EXPECT_EQ(s.speed_of("b").at(Seconds{6}), 0.5);
  EXPECT_EQ(s.speed_of("b").at(Seconds{45}), 0.25);
  EXPECT_EQ(s.speed_of("b").at(Seconds{55}), 1.0);
  const Presence b = s.presence_of("b");
  EXPECT_TRUE(b.at_start);
  ASSERT_EQ(b.changes.size(), 2u);
  EXPECT_EQ(b.changes[0].at.value, 20);
  EXPECT_EQ(b.changes[1].at.value, 40);
  EXPECT_EQ(table("time_s,link,share\n3,l,0.1\n").scenario.bandwidth_of("l").at(Seconds{3}), 0.1);
}

TEST(ScenarioFile, RefusesTablesWithTheLine) {
  EXPECT_EQ(table_refusal("time,unit,share\n"),
            "t.csv:1: a table as a scenario begins with the header row time_s,unit,share or "
            "time_s,link,share; add it");
  const std::string head = "time_s,unit,share\n";
  EXPECT_EQ(table_refusal(head + "0,a,1.5\n"),
            "t.csv:2: share is 1.5; it must be from 0 (absent) to 1");
  EXPECT_EQ(table_refusal(head + "-1,a,1\n"), "t.csv:2: time_s is below 0; a run starts at 0");
  EXPECT_TRUE(table_refusal(head + "2,a,1\n1,a,0.5\n").starts_with("t.csv:3: time_s is 1, and"));
  EXPECT_EQ(table_refusal("time_s,link,share\n0,l,0\n"),
            "t.csv:2: the share of a link must be above 0; give a small one");
  EXPECT_TRUE(table_refusal(head + "0,a\n").starts_with("t.csv:2: 2 fields"));
}

TEST(ScenarioFile, ReadsOrRefusesDamagedFiles) {
  constexpr std::uint64_t seed = 20250311;
  SCOPED_TRACE(seed);
  std::mt19937_64 random(seed);
  const TemporaryFolder folder;
  const std::string text =
      scenario({R"({"at_s":142,"unit":"gpuA","kind":"compete","share":0.5,"until_s":400})",
                R"({"at_s":10,"unit":"cpu0","kind":"slow","factor":3.0,"note":"x"})",
                R"({"at_s":30,"link":"pcie0","kind":"bandwidth","factor":0.5})",
                R"({"at_s":0,"unit":"cpu1","kind":"profile","file":"speed.csv"})",
                R"({"at_s":60,"unit":"gpuB","kind":"fail","until_s":70})",
                R"({"at_s":90,"unit":"gpuB","kind":"join"})"});
  const std::string beginning = folder.path("");
  for (int i = 0; i < 1000; ++i) {
    folder.write("speed.csv", i % 3 == 0 ? mutate(profile, random) : profile);
    const std::string path = folder.write("s.json", i % 3 == 0 ? text : mutate(text, random));
    const std::string why = refusal_of([&] { (void)read_scenario(path); });
    EXPECT_TRUE(why == "not refused" || why.starts_with(beginning)) << why;
  }
}

TEST(ScenarioFile, ReadsEveryCommittedScenario) {
  int scenarios = 0;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(repository() / "traces/scenarios")) {
    if (entry.path().extension() != ".json") continue;
    EXPECT_FALSE(read_scenario(entry.path().string()).scenario.events.empty()) << entry.path();
    ++scenarios;
  }
  EXPECT_GE(scenarios, 6);
}

}  // namespace
}  // namespace equipoise::scenario_file_test
