// Tests of platforms in the program: several zones, many hosts, and files that try to do harm.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <chrono>
#include <csignal>

#include "tests/support/program.hpp"
#include "tests/support/temporary_folder.hpp"

namespace equipoise::platform_test {
namespace {

const std::string head =
    "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
    "<platform version=\"4.1\">\n";

/// ram and a in one zone, b in a second, and c in a third, which has no route. `config` stands
/// before them.
std::string two_zones(const std::string& config) {
  return head + config +
         "<zone id=\"w\" routing=\"Full\">\n<zone id=\"x\" routing=\"Full\">\n"
         "<host id=\"ram\" speed=\"1Gf\"><prop id=\"master\" value=\"true\"/></host>\n"
         "<host id=\"a\" speed=\"1Gf\"/>\n"
         "<link id=\"l\" bandwidth=\"1GBps\" latency=\"0s\"/>\n"
         "<route src=\"ram\" dst=\"a\"><link_ctn id=\"l\"/></route>\n</zone>\n"
         "<zone id=\"y\" routing=\"Full\">\n<host id=\"b\" speed=\"1Gf\"/>\n</zone>\n"
         "<zone id=\"n\" routing=\"Full\">\n<host id=\"c\" speed=\"1Gf\"/>\n</zone>\n"
         "<link id=\"m\" bandwidth=\"1GBps\" latency=\"0s\"/>\n"
         "<zoneRoute src=\"x\" dst=\"y\" gw_src=\"ram\" gw_dst=\"b\"><link_ctn "
         "id=\"m\"/></zoneRoute>\n"
         "</zone>\n</platform>\n";
}

/// A trace in which each of `units` computes 100 items per second.
std::string trace_of(const std::vector<std::string>& units) {
  std::string names;
  std::string samples;
  for (const std::string& unit : units) {
    names += (names.empty() ? "" : ",") + ("{\"id\":\"" + unit + "\",\"kind\":\"cpu\"}");
    samples += "{\"unit\":\"" + unit + "\",\"items\":100,\"compute_s\":1.0}\n";
  }
  return R"({"schema":"equipoise.trace/1","source":"recorded","kernel":"k","item":"thing",)"
         R"("provenance":"a test","machine":{},"units":[)" +
         names + "]}\n" + samples;
}

/// A trace in which a and b copy for 4 s what they compute in 1 s, over a link of 1 GBps.
std::string copying_trace() {
  std::string trace = trace_of({"a", "b"});
  const std::string items = "\"items\":100";
  for (std::size_t at = trace.find(items); at != std::string::npos; at = trace.find(items, at)) {
    at += items.size();
    trace.insert(at, ",\"in_bytes\":4e9");
  }
  return trace;
}

class PlatformFiles : public testing::Test {
 protected:
  [[nodiscard]] std::vector<std::string> simulation(const std::string& platform,
                                                    const std::vector<std::string>& units) const {
    return {"simulate",
            "--platform",
            platform,
            "--trace",
            scratch.write("t.jsonl", trace_of(units)),
            "--workload",
            "k:items=300",
            "--policy",
            "static",
            "--noise",
            "off"};
  }

  TemporaryFolder scratch;
};

TEST_F(PlatformFiles, SayWhereRoutesWithAndWithoutLatencyMeet) {
  const auto check = [&](const std::string& latency_of_b, const std::string& sharing) {
    return run_equipoise(
        {"platform", "check",
         scratch.write(
             "p.xml",
             head +
                 "<zone id=\"w\" routing=\"Full\">\n<host id=\"ram\" speed=\"1Gf\">"
                 "<prop id=\"master\" value=\"true\"/></host>\n<host id=\"a\" speed=\"1Gf\"/>"
                 "<host id=\"b\" speed=\"1Gf\"/>\n<link id=\"bus\" bandwidth=\"1GBps\" "
                 "latency=\"0s\" sharing_policy=\"" +
                 sharing + "\"/>\n<link id=\"lb\" bandwidth=\"1GBps\" latency=\"" + latency_of_b +
                 "\"/>\n<route src=\"ram\" dst=\"a\"><link_ctn id=\"bus\"/></route>\n"
                 "<route src=\"ram\" dst=\"b\"><link_ctn id=\"bus\"/><link_ctn id=\"lb\"/>"
                 "</route>\n</zone>\n</platform>\n")});
  };
  const ProgramRun unequal = check("1ms", "SHARED");
  EXPECT_EQ(unequal.exit_code, 0) << unequal.err;
  EXPECT_EQ(lines_of(unequal.err).size(), 1U) << unequal.err;
  EXPECT_NE(unequal.err.find("p.xml: link bus is shared by the routes of b, which have a latency, "
                             "and of a, which have none"),
            std::string::npos)
      << unequal.err;
  EXPECT_EQ(check("0s", "SHARED").err, "");
  // There, too, SimGrid gives the one without latency a thousandth of the bandwidth beside the
  // other.
  EXPECT_EQ(check("1ms", "FATPIPE").err, unequal.err);
  EXPECT_EQ(check("0s", "FATPIPE").err, "");
}

TEST_F(PlatformFiles, MayNotWriteFiles) {
  const std::string victim = scratch.write("victim.txt", "precious");
  const std::string platform =
      scratch.write("p.xml", two_zones("<config><prop id=\"tracing\" value=\"yes\"/>\n<prop "
                                       "id=\"tracing/filename\" value=\"" +
                                       victim + "\"/></config>\n"));
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"platform", "check", platform},
        {"platform", "show", platform},
        simulation(platform, {"a"})}) {
    const ProgramRun run = run_equipoise(command);
    EXPECT_EQ(run.exit_code, 2) << run.err;
    EXPECT_EQ(run.err.rfind("equipoise: error: " + platform + ":4: a platform may not set", 0), 0U)
        << run.err;
    EXPECT_EQ(lines_of(run.err).size(), 1U) << run.err;
    EXPECT_EQ(read_text(victim), "precious");
  }
}

TEST_F(PlatformFiles, MayNotHideSettingsFromTheCheck) {
  const std::string victim = scratch.write("victim.txt", "precious");
  const std::string setting = "tracing:yes tracing/filename:" + victim;
  for (const std::string& config : std::vector<std::string>{
           "<config><prop id=\"network/weight-S\" value=\"0 " + setting + "\"/></config>\n",
           "<config><prop id=\"network/weight-S:0 " + setting + " x\" value=\"1\"/></config>\n",
           "<config><prop id=\"&#116;racing/filename\" value=\"" + victim + "\"/></config>\n",
           "<config><prop id=\"network/weight-S\" value=\"0\" "
           "id=\"tracing/filename\"/></config>\n"}) {
    const ProgramRun run =
        run_equipoise({"platform", "check", scratch.write("p.xml", two_zones(config))});
    EXPECT_EQ(run.exit_code, 2) << config << run.err;
    EXPECT_NE(run.err.find("p.xml:4: "), std::string::npos) << run.err;
    EXPECT_EQ(read_text(victim), "precious");
  }
}

TEST_F(PlatformFiles, MayNotEndTheProgram) {
  for (const char* setting :
       {"id=\"network/bandwidth-factor\" value=\"0\"", "id=\"maxmin/precision\" value=\"nan\"",
        "id=\"debug/breakpoint\" value=\"0\"", "id=\"contexts/nthreads\" value=\"-7\""}) {
    const std::string platform = scratch.write(
        "p.xml", two_zones("<config><prop " + std::string(setting) + "/></config>\n"));
    const ProgramRun run = run_equipoise(simulation(platform, {"a"}));
    EXPECT_EQ(run.exit_code, 2) << run.err;
    EXPECT_NE(run.err.find("p.xml:4: "), std::string::npos) << run.err;
  }
}

TEST_F(PlatformFiles, SayWhatTheyHaveSimulatedInAnotherWay) {
  const std::string platform = scratch.write(
      "p.xml", two_zones("<config><prop id=\"network/latency-factor\" value=\"2\"/></config>\n"));
  const ProgramRun run = run_equipoise(simulation(platform, {"a"}));
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_NE(run.err.find("equipoise: warning: " + platform +
                         ":4: the platform sets network/latency-factor = 2"),
            std::string::npos)
      << run.err;
}

TEST_F(PlatformFiles, ThatWriteADefaultSettingAreSimulatedLikeThoseThatDoNot) {
  std::vector<std::string> words = simulation(scratch.path("p.xml"), {"a", "b"});
  words[4] = scratch.write("t.jsonl", copying_trace());
  words.insert(words.end(), {"--json", "--out", scratch.path("run.jsonl")});
  const auto run_with = [&](const std::string& config) {
    scratch.write("p.xml", two_zones(config));
    const ProgramRun run = run_equipoise(words);
    EXPECT_EQ(run.exit_code, 0) << run.err;
    return run.out + scratch.read("run.jsonl");
  };
  const std::string plain = run_with("\n");
  EXPECT_NE(plain.find("\"lower_bound_s\":"), std::string::npos) << plain;
  for (const char* value : {"1", "1.0"}) {
    EXPECT_EQ(run_with("<config><prop id=\"network/latency-factor\" value=\"" + std::string(value) +
                       "\"/></config>\n"),
              plain);
  }
}

TEST_F(PlatformFiles, WithOneProfileOnTwoLinksAreSimulatedWithItsBandwidth) {
  scratch.write("slow.txt", "0 5e8\n");
  std::vector<std::string> makespans;
  for (const char* slow :
       {"bandwidth=\"1GBps\" bandwidth_file=\"slow.txt\"", "bandwidth=\"500MBps\""}) {
    const std::string fast = "bandwidth=\"1GBps\"";
    std::string text = two_zones("");
    for (std::size_t at = text.find(fast); at != std::string::npos;
         at = text.find(fast, at + std::string(slow).size())) {
      text.replace(at, fast.size(), slow);
    }
    std::vector<std::string> words = simulation(scratch.write("p.xml", text), {"a", "b"});
    words[4] = scratch.write("t.jsonl", copying_trace());
    const ProgramRun run = run_equipoise(words);
    EXPECT_EQ(run.exit_code, 0) << run.err;
    const std::size_t from = run.out.find("makespan ");
    ASSERT_NE(from, std::string::npos) << run.out;
    makespans.push_back(run.out.substr(from, run.out.find(',', from) - from));
  }
  EXPECT_EQ(makespans[0], makespans[1]);
}

TEST_F(PlatformFiles, OfSeveralZonesAreSimulated) {
  const std::string platform = scratch.write("p.xml", two_zones(""));
  const ProgramRun run = run_equipoise(simulation(platform, {"ram", "a", "b"}));
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_NE(run.out.find("makespan 1.0000 s"), std::string::npos) << run.out;  // 100 items each
}

TEST_F(PlatformFiles, AreRefusedByOneRuleAboutRoutes) {
  const std::string platform = scratch.write("p.xml", two_zones(""));
  const ProgramRun check = run_equipoise({"platform", "check", platform});
  EXPECT_EQ(check.exit_code, 0) << check.err;
  EXPECT_NE(
      check.out.find("valid platform: 3 hosts that a trace may time, including the master ram"),
      std::string::npos)
      << check.out;
  EXPECT_NE(check.out.find(
                "no route to the master and back: c; runs whose trace has times of it are refused"),
            std::string::npos)
      << check.out;
  const ProgramRun show = run_equipoise({"platform", "show", platform});
  EXPECT_EQ(show.exit_code, 0) << show.err;
  EXPECT_EQ(lines_of(show.out).size(), 8U)
      << show.out;  // the master's line, a blank line, the table's head, 4 hosts
  EXPECT_NE(show.out.find("no route"), std::string::npos) << show.out;
  EXPECT_EQ(run_equipoise(simulation(platform, {"a"})).exit_code, 0);
  const ProgramRun run = run_equipoise(simulation(platform, {"a", "c"}));
  EXPECT_EQ(run.exit_code, 2) << run.err;
  EXPECT_NE(run.err.find("p.xml:15: no route from ram to c; add one to the platform"),
            std::string::npos)
      << run.err;
}

/// A platform whose routes take Floyd's algorithm far longer than the time limit of a test.
std::string slow_platform() {
  std::string xml = head + "<zone id=\"z\" routing=\"Floyd\">\n";
  std::string routes;
  for (int i = 0; i < 4000; ++i) {
    const std::string n = std::to_string(i);
    xml += "<host id=\"h" + n + "\" speed=\"1Gf\"/>\n";
    routes += "<link id=\"l" + n + "\" bandwidth=\"1GBps\" latency=\"0s\"/>\n";
  }
  for (int i = 1; i < 4000; ++i) {
    const std::string n = std::to_string(i);
    routes += "<route src=\"h0\" dst=\"h" + n + "\"><link_ctn id=\"l" + n + "\"/></route>\n";
  }
  return xml + routes + "</zone>\n</platform>\n";
}

TEST_F(PlatformFiles, ThatTakeLongEndOnTheFirstSignal) {
  using Clock = std::chrono::steady_clock;
  const std::string platform = scratch.write("p.xml", slow_platform());
  const std::vector<std::string> simulate = simulation(platform, {"h1"});
  std::vector<std::string> compare = simulate;
  compare.front() = "compare";
  std::vector<std::string> run_paced = with(simulate, {"--on", "paced"});
  run_paced.front() = "run";
  const std::string campaign = scratch.write(
      "c.json", R"({"schema":"equipoise.campaign/1","reps":1,"experiments":[{"name":"e",)"
                R"("platform":"p.xml","traces":["t.jsonl"],"workloads":["k:items=300"],)"
                R"("policies":["greedy"]}]})");
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"platform", "check", platform},
        simulate,
        compare,
        run_paced,
        {"optimum", "--platform", platform, "--trace", scratch.path("t.jsonl"), "--workload",
         "k:items=300"},
        {"sweep", campaign, "--out", scratch.path("sweep")}}) {
    for (const int signal : {SIGINT, SIGTERM}) {
      const Clock::time_point begin = Clock::now();
      const ProgramRun run = signal_equipoise(
          command, signal, [&] { return Clock::now() - begin > std::chrono::milliseconds(500); });
      EXPECT_EQ(run.exit_code, 128 + signal) << command.front() << run.err;
      EXPECT_EQ(run.err, "equipoise: error: interrupted\n") << command.front();
    }
  }
}

TEST_F(PlatformFiles, AreNeitherNamedPipesNorDevices) {
  const std::string pipe = scratch.path("pipe");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  for (const std::string& file : {pipe, std::string("/dev/zero")}) {
    const ProgramRun run = run_equipoise({"platform", "check", file});
    EXPECT_EQ(run.exit_code, 2) << run.err;
    EXPECT_EQ(run.err.rfind("equipoise: error: " + file + ": is a ", 0), 0U) << run.err;
  }
}

TEST_F(PlatformFiles, HaveNamesThatATerminalCanShow) {
  const std::vector<std::pair<std::string, std::string>> names = {
      {"caf\xE9", "is not UTF-8, `caf\\xe9`"},
      {"a&#27;[2J", "has control characters, `a\\x1b[2J`"}};
  for (const auto& [name, why] : names) {
    std::string platform = two_zones("");
    platform.replace(platform.find("id=\"a\""), 6, "id=\"" + name + "\"");
    const std::string file = scratch.write("p.xml", platform);
    for (const std::vector<std::string>& command :
         {std::vector<std::string>{"platform", "check", file}, simulation(file, {"b"})}) {
      const ProgramRun run = run_equipoise(command);
      EXPECT_EQ(run.exit_code, 2) << run.err;
      EXPECT_NE(run.err.find("p.xml:7: id of <host> " + why), std::string::npos) << run.err;
    }
  }
}

}  // namespace
}  // namespace equipoise::platform_test
