// Tests of machines as a user describes them to the program: whose times hosts have, traces in
// parts, limits of blocks, tables of shares, and known devices.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/support/program.hpp"
#include "tests/support/small_machine.hpp"

namespace equipoise::described_machine_test {
namespace {

using Json = nlohmann::json;

/// A trace of kernel k with one unit that does an item in `item_s`; `unit` and `header` are
/// members.
std::string one_unit(const std::string& name, double item_s, const std::string& unit = "",
                     const std::string& header = "") {
  const std::string time = std::to_string(item_s * 100.0);
  return R"({"schema":"equipoise.trace/1","source":"recorded","kernel":"k","item":"thing",)" +
         header + R"("units":[{"id":")" + name + R"(","kind":"cpu")" + unit + "}]}\n" +
         R"({"unit":")" + name + R"(","items":100,"compute_s":)" + time + "}\n";
}

class DescribedMachines : public testing::Test {
 protected:
  /// Simulates 600 items of k without noise on the small machine with these traces.
  [[nodiscard]] ProgramRun simulate(const std::vector<std::string>& traces,
                                    const std::vector<std::string>& more) const {
    std::vector<std::string> words = {
        "simulate", "--platform", machine.platform,  "--workload", "k:items=600",
        "--noise",  "off",        "--dispatch-cost", "0",          "--json"};
    for (const std::string& trace : traces) words.insert(words.end(), {"--trace", trace});
    return run_equipoise(with(words, more));
  }

  [[nodiscard]] static double makespan_s(const ProgramRun& run) {
    EXPECT_EQ(run.exit_code, 0) << run.err;
    return run.exit_code == 0 ? Json::parse(run.out).at("makespan_s").get<double>() : 0.0;
  }

  TemporaryFolder scratch;
  SmallMachine machine{scratch};
};

TEST_F(DescribedMachines, HaveTheTimesThatAMapGivesThem) {
  const std::string fast = scratch.write("fast.jsonl", one_unit("fast", 0.001));
  const std::string slow = scratch.write("slow.jsonl", one_unit("slow", 0.004));
  // 600 items on a and b at 1 ms and c at 4 ms each, in shares of 4 to 4 to 1: 600 / 2250 s.
  const std::string run_file = scratch.path("run.jsonl");
  const ProgramRun run = simulate({fast, slow}, {"--map", "fast=a,b", "--map", "slow=c", "--policy",
                                                 "fixed:shares=4/4/1", "--out", run_file});
  EXPECT_NEAR(makespan_s(run), 600.0 / 2250.0, 2e-3);
  EXPECT_NEAR(makespan_s(simulate({fast}, {"--map", "fast=[ab]", "--policy", "fixed:shares=1/1"})),
              0.3, 1e-9);
  const Json header = Json::parse(lines_of(read_text(run_file)).front());
  EXPECT_EQ(header.at("map"), (Json{"fast=a,b", "slow=c"}));
  const std::string again_file = scratch.path("again.jsonl");
  const ProgramRun again =
      run_equipoise({"replay", run_file, "--decisions", "--out", again_file, "--quiet"});
  EXPECT_EQ(again.exit_code, 0) << again.err;
  EXPECT_EQ(Json::parse(lines_of(read_text(again_file)).back()).at("makespan_s"), makespan_s(run));
  const auto refused = [&](const std::string& map, const std::string& why) {
    const ProgramRun typed = simulate({fast, slow}, {"--map", map, "--policy", "greedy"});
    EXPECT_EQ(typed.exit_code, 2);
    EXPECT_NE(typed.err.find("equipoise: error: --map: " + why), std::string::npos) << typed.err;
  };
  refused("fast", "'fast' is no map; write TRACE_UNIT=HOST");
  refused("fats=a", "unknown unit of the trace 'fats'; did you mean 'fast'?");
  refused("fast=d", "unknown host 'd'");
}

TEST_F(DescribedMachines, MayHaveTheirTimesInSeveralTraces) {
  const std::string a = scratch.write("a.jsonl", one_unit("a", 0.001));
  const std::string b =
      scratch.write("b.jsonl", one_unit("b", 0.002, "", R"("resident_bytes":1000,)"));
  const ProgramRun run = simulate({a, b}, {"--policy", "fixed:shares=2/1"});
  const Json result = Json::parse(run.out);
  EXPECT_GT(makespan_s(run), 0.4);  // the resident bytes are moved to both
  const std::string other =
      scratch.write("c.jsonl", one_unit("c", 0.002, "", R"("resident_bytes":2000,)"));
  const ProgramRun refused = simulate({a, b, other}, {"--policy", "greedy"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.err.find("c.jsonl: has resident_bytes 2000 for k, and " + b + " has 1000"),
            std::string::npos)
      << refused.err;
  const ProgramRun twice = simulate({a, a}, {"--policy", "greedy"});
  EXPECT_NE(twice.err.find("times k on a, as " + a + " does"), std::string::npos) << twice.err;
}

TEST_F(DescribedMachines, GiveNoUnitALargerBlockThanItsTimesHoldFor) {
  const std::string limited =
      scratch.write("a.jsonl", one_unit("a", 0.001, R"(,"max_block_items":100)"));
  const std::string run_file = scratch.path("run.jsonl");
  const ProgramRun run = simulate({limited}, {"--policy", "fixed:shares=1", "--out", run_file});
  EXPECT_NEAR(makespan_s(run), 0.6, 1e-9);
  std::size_t blocks = 0;
  for (const std::string& line : lines_of(read_text(run_file))) {
    const Json json = Json::parse(line);
    if (!json.contains("block") || !json.contains("first_item")) continue;
    EXPECT_LE(json.at("items").get<int>(), 100);
    ++blocks;
  }
  EXPECT_EQ(blocks, 6U);
  const ProgramRun check = run_equipoise({"replay", run_file, "--check"});
  EXPECT_EQ(check.exit_code, 0) << check.err;
}

TEST_F(DescribedMachines, AreToldFromOtherModels) {
  const std::string trace =
      scratch.write("t.jsonl", one_unit("a", 0.001, R"(,"model":"Tesla K40m")"));
  std::string platform = read_text(machine.platform);
  const std::string host = R"(<host id="a" speed="1Gf"/>)";
  platform.replace(platform.find(host), host.size(),
                   R"(<host id="a" speed="1Gf"><prop id="model" value="A100"/></host>)");
  const ProgramRun run =
      run_equipoise({"simulate", "--platform", scratch.write("q.xml", platform), "--trace", trace,
                     "--workload", "k:items=100", "--policy", "greedy"});
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_NE(run.err.find("a is a 'A100', and its times were taken on a 'Tesla K40m'"),
            std::string::npos)
      << run.err;
}

TEST_F(DescribedMachines, AreDisturbedByATableOfShares) {
  const std::string trace = scratch.write("t.jsonl", one_unit("a", 0.001));
  // 100 items in 0.1 s, 100 more at half speed until 0.3 s, and 400 from then on.
  const std::string table = scratch.write("shares.csv", "time_s,unit,share\n0.1,a,0.5\n0.3,a,1\n");
  EXPECT_NEAR(makespan_s(simulate({trace}, {"--scenario", table, "--policy", "fixed:shares=1"})),
              0.7, 1e-9);
  // The same by a pattern and a period: half speed for 0.1 s, twice.
  const std::string events = scratch.write(
      "s.json", R"({"schema":"equipoise.scenario/1","events":[{"at_s":"100 ms","until_s":0.2,)"
                R"("every_s":0.1,"times":2,"unit":"*","kind":"slow","factor":2}]})");
  EXPECT_NEAR(makespan_s(simulate({trace}, {"--scenario", events, "--policy", "fixed:shares=1"})),
              0.7, 1e-9);
}

TEST(GeneratedTraces, AreCalledMeasuredWhereTheirTimesAre) {
  const TemporaryFolder scratch;
  static_cast<void>(scratch.write("mine.csv", "n,s\n1,0.1\n10,0.5\n"));
  const std::string spec = scratch.write(
      "spec.json",
      R"({"schema":"equipoise.machines/1","source":"a test","machines":[{"id":"m","units":[)"
      R"({"id":"a","kind":"cpu","timings":{"k":{"file":"mine.csv","items_column":"n",)"
      R"("compute_column":"s"}}}]}],"platforms":[{"name":"p","machines":["m"]}],)"
      R"("traces":[{"name":"t","kernel":"k"}]})");
  const ProgramRun run =
      run_equipoise({"platform", "generate", "--spec", spec, "--out", scratch.path("out")});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_NE(run.out.find(": measured times of k on 1 unit\n"), std::string::npos) << run.out;
}

TEST(KnownDevices, AreListedWithTheirSources) {
  const ProgramRun one = run_equipoise({"list", "devices", "k40m"});
  EXPECT_EQ(one.exit_code, 0) << one.err;
  EXPECT_NE(one.out.find("4.29 TFLOP/s single, 1.43 TFLOP/s double precision"), std::string::npos);
  EXPECT_NE(one.out.find("source            NVIDIA"), std::string::npos);
  const Json all = Json::parse(run_equipoise({"list", "devices", "--json"}).out).at("devices");
  EXPECT_GT(all.size(), 20U);
  for (const Json& device : all) {
    EXPECT_FALSE(device.at("source").get<std::string>().empty()) << device;
    EXPECT_LE(device.value("double_flop_per_s", Json(0.0)).is_null()
                  ? 0.0
                  : device.at("double_flop_per_s").get<double>(),
              device.at("single_flop_per_s").get<double>());
  }
  EXPECT_NE(run_equipoise({"list", "devices", "k40"}).err.find("did you mean 'k40m'"),
            std::string::npos);
}

}  // namespace
}  // namespace equipoise::described_machine_test
