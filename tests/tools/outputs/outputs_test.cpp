// Tests of outputs: input files are never overwritten, all files are written or none, and output
// that cannot be printed is a failure.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include "tests/support/places.hpp"
#include "tests/support/program.hpp"
#include "tests/support/small_machine.hpp"
#include "tests/support/temporary_folder.hpp"

namespace equipoise::outputs_test {
namespace {

class Outputs : public testing::Test {
 protected:
  /// Expects that the command is refused because `file` is one of its inputs, and that `file` is
  /// unchanged.
  void expect_kept(const std::vector<std::string>& arguments, const std::string& file) const {
    const std::string before = read_text(file);
    const ProgramRun run = run_equipoise(arguments);
    EXPECT_EQ(run.exit_code, 2) << run.err;
    EXPECT_NE(run.err.find("is read by this command"), std::string::npos) << run.err;
    EXPECT_EQ(read_text(file), before);
  }

  [[nodiscard]] std::vector<std::string> with(std::vector<std::string> words,
                                              const std::vector<std::string>& more) const {
    words.insert(words.end(),
                 {"--platform", platform, "--trace", trace, "--workload", "k:items=1000"});
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }

  [[nodiscard]] std::set<std::string> names_in(const std::string& folder) const {
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      names.insert(entry.path().filename().string());
    }
    return names;
  }

  TemporaryFolder scratch;
  SmallMachine machine{scratch};
  std::string platform = machine.platform;
  std::string trace = machine.trace_k;
};

TEST_F(Outputs, OfASimulationSpareTraceAndPlatformAndProfileAndScenario) {
  std::string xml = read_text(platform);
  xml.insert(xml.find("<link id=") + 5, " bandwidth_file=\"bw.txt\"");
  scratch.write("p.xml", xml);
  const std::string profile = scratch.write("bw.txt", "0 1e6\n");
  const std::string csv = scratch.write("speed.csv", "0,0.5\n");
  const std::string scenario = scratch.write(
      "s.json",
      R"({"schema":"equipoise.scenario/1","events":[{"at_s":0,"unit":"a","kind":"profile","file":"speed.csv"}]})");
  for (const std::string& file : {trace, platform, profile, scenario, csv}) {
    expect_kept(with({"simulate"}, {"--policy", "greedy", "--scenario", scenario, "--out", file}),
                file);
  }
}

TEST_F(Outputs, SpareFilesThatAreNamedAndNotRead) {
  expect_kept({"run", "--unit", "cpu", "--platform", platform, "--workload", "matmul:n=16",
               "--policy", "greedy", "--out", platform},
              platform);
}

TEST_F(Outputs, SpareTheProfileOfAPolicy) {
  const std::string profile = scratch.write("profile.jsonl", read_text(trace));
  for (const char* policy : {"static", "fsc", "wf", "energy-alpha", "pareto"}) {
    expect_kept(with({"simulate"},
                     {"--policy", std::string(policy) + ":profile=" + profile, "--out", profile}),
                profile);
  }
}

TEST_F(Outputs, OfAComparisonSpareWhatItReads) {
  for (const char* name : {"results.json", "results.csv", "report.html", "runs/greedy-sim.jsonl"}) {
    const std::string file = scratch.write(std::string("cmp/") + name, read_text(trace));
    expect_kept({"compare", "--platform", platform, "--trace", file, "--workload", "k:items=1000",
                 "--policy", "greedy", "--reps", "2", "--out", scratch.path("cmp")},
                file);
    std::filesystem::remove(file);
  }
}

TEST_F(Outputs, OfAComparisonHoldOneExperiment) {
  const std::string out = scratch.path("cmp");
  const auto compare = [&](const std::string& policy, const std::string& runs) {
    const ProgramRun run = run_equipoise(
        {"compare", "--platform", platform, "--trace", trace, "--workload", "k:items=1000",
         "--policy", policy, "--reps", "1", "--best-known", "off", "--runs", runs, "--out", out});
    EXPECT_EQ(run.exit_code, 0) << run.err;
  };
  compare("gss", "small");
  scratch.write("cmp/runs/mine.jsonl", "not of the comparison");
  compare("fac2", "small");
  EXPECT_FALSE(std::filesystem::exists(out + "/runs/gss-sim.jsonl"));
  EXPECT_TRUE(std::filesystem::exists(out + "/runs/fac2-sim.jsonl"));
  EXPECT_TRUE(std::filesystem::exists(out + "/runs/mine.jsonl"));
  compare("fac2", "none");
  EXPECT_FALSE(std::filesystem::exists(out + "/runs/fac2-sim.jsonl"));
  EXPECT_TRUE(std::filesystem::exists(out + "/runs/mine.jsonl"));
}

TEST_F(Outputs, OfAComparisonHoldLargeRunsOnlyWhenAsked) {
  const std::string file = scratch.path("cmp/runs/ss-sim.jsonl");
  for (const char* runs : {"small", "all"}) {
    const ProgramRun run =
        run_equipoise({"compare", "--platform", platform, "--trace", trace, "--workload",
                       "k:items=80000", "--policy", "ss", "--reps", "1", "--best-known", "off",
                       "--runs", runs, "--out", scratch.path("cmp")});
    EXPECT_EQ(run.exit_code, 0) << run.err;
    const bool is_small = std::string(runs) == "small";
    EXPECT_EQ(std::filesystem::exists(file), !is_small) << run.err;
    EXPECT_EQ(run.err.find("no run file is kept of ss (80000 blocks)") != std::string::npos,
              is_small)
        << run.err;
  }
}

TEST_F(Outputs, OfSweepsAndComparisonsHaveFoldersOfTheirOwn) {
  const std::vector<std::string> compare = {
      "compare",      "--platform", platform, "--trace", trace, "--workload",
      "k:items=1000", "--policy",   "gss",    "--reps",  "1",   "--out"};
  const std::vector<std::string> sweep = {
      "sweep",
      scratch.write("c.json",
                    R"({"schema":"equipoise.campaign/1","reps":1,"experiments":[{"name":"e",)"
                    R"("platform":")" +
                        platform + R"(","traces":")" + trace +
                        R"(","workloads":"k:items=1000","policies":"greedy"}]})"),
      "--out"};
  const std::string first = scratch.path("first");
  const std::string second = scratch.path("second");
  ASSERT_EQ(run_equipoise(equipoise::with(compare, {first})).exit_code, 0);
  ASSERT_EQ(run_equipoise(equipoise::with(sweep, {second})).exit_code, 0);
  const ProgramRun over_comparison = run_equipoise(equipoise::with(sweep, {first}));
  EXPECT_EQ(over_comparison.exit_code, 2);
  EXPECT_NE(over_comparison.err.find("holds a comparison"), std::string::npos);
  const ProgramRun over_sweep = run_equipoise(equipoise::with(compare, {second}));
  EXPECT_EQ(over_sweep.exit_code, 2);
  EXPECT_NE(over_sweep.err.find("holds a sweep"), std::string::npos);
}

TEST_F(Outputs, OfASweepSpareWhatItReads) {
  for (const char* name : {"summary.json", "table.md", "points.jsonl", "experiments/e/results.json",
                           "campaign.json"}) {
    const std::string file = scratch.write(std::string("sweep/") + name, read_text(trace));
    const std::string campaign = scratch.write(
        "c.json", R"({"schema":"equipoise.campaign/1","reps":1,"experiments":[{"name":"e",)"
                  R"("platform":"p.xml","traces":["sweep/)" +
                      std::string(name) +
                      R"("],"workloads":["k:items=1000"],"policies":["greedy"]}]})");
    const std::vector<std::string> sweep = {"sweep", campaign, "--out", scratch.path("sweep")};
    if (std::string(name) == "campaign.json") {  // a sweep writes no file of this name
      const ProgramRun run = run_equipoise(sweep);
      EXPECT_EQ(run.exit_code, 0) << run.err;
    } else {
      expect_kept(sweep, file);
    }
    std::filesystem::remove(file);
  }
}

TEST_F(Outputs, OfAnImportSpareTheTable) {
  const std::string csv = scratch.write("x.csv", "size,time\n1,0.1\n2,0.2\n");
  std::filesystem::create_symlink(csv, scratch.path("link.csv"));
  for (const std::string& out : {csv, scratch.path("link.csv")}) {
    expect_kept({"trace", "import", "csv", csv, "--items-column", "size", "--compute-column",
                 "time", "--out", out},
                csv);
  }
}

TEST_F(Outputs, OfGenerateSpareTheSpec) {
  const std::string spec =
      scratch.write("desk.xml", read_text(repository() / "platforms/example.json"));
  expect_kept({"platform", "generate", "--spec", spec, "--out", scratch.path("")}, spec);
  EXPECT_EQ(names_in(scratch.path("")),
            (std::set<std::string>{"desk.xml", "k.jsonl", "l.jsonl", "p.xml"}));
}

TEST_F(Outputs, OfGenerateAreAllReadableOrNoneIsWritten) {
  const std::vector<std::pair<std::pair<std::string, std::string>, std::string>> cases = {
      {{"\"n\": 8192", "\"n\": 8192000000000000"}, "spec.json:33: "},
      {{"\"in_bytes_per_item\": 8", "\"in_bytes_per_item\": 8e12"}, "spec.json:34: "},
      {{"\"flop_per_item\": 10", "\"flop_per_item\": 1e-300"}, "spec.json:34: "},
      {{"\"bytes_per_s\": 1.25e8", "\"bytes_per_s\": 1e-9"}, "spec.json:4: 'bytes_per_s'"},
      {{"\"latency_s\": 5e-5", "\"latency_s\": 5e-324"}, "spec.json:4: 'latency_s'"},
      {{"\"source\": \"", "\"source\": \"\\u0000"}, "spec.json:3: "}};
  for (const auto& [change, said] : cases) {
    std::string text = read_text(repository() / "platforms/example.json");
    const std::size_t at = text.find(change.first);
    ASSERT_NE(at, std::string::npos) << change.first;
    text.replace(at, change.first.size(), change.second);
    const ProgramRun run =
        run_equipoise({"platform", "generate", "--spec", scratch.write("spec.json", text), "--out",
                       scratch.path("made")});
    EXPECT_EQ(run.exit_code, 2) << said;
    EXPECT_NE(run.err.find(said), std::string::npos) << run.err;
    EXPECT_EQ(run.out, "");
    EXPECT_FALSE(std::filesystem::exists(scratch.path("made")));
  }
}

/// The model of one kernel on one CPU core, in the format of StarPU.
const char* const starpu_model =
    "###\n# version\n45\n# combinations\n1\n####\n# COMB\n1\n# type\n0\n# id\n0\n# cores\n1\n"
    "# implementations\n1\n# entries\n1\n# sums\n0 0 0 0 nan nan 0 0 0\n# a b c\nnan nan nan\n"
    "# not multiple-regression-base\n0\n# hash size flops mean dev sum sum2 n\n"
    "0b 7372800 2.621440e+08 1.0e+04 1.0e+03 1.0e+05 1e9 10\n";

TEST_F(Outputs, OfAnImportFromStarpuAreOneFileForEachKernelOrNoneIsWritten) {
  const std::filesystem::path bus = scratch.write("bus/toy.config",
                                                  "2 # Number of CPUs\n"
                                                  "0 # Number of CUDA devices\n");
  const std::string models = bus.parent_path().parent_path().string();
  for (const char* kernel : {"starpu_dgemm_gemm", "dgemm", "starpu_chol"}) {
    scratch.write(std::string("codelets/45/") + kernel + ".toy", starpu_model);
  }
  const auto import = [&](const std::vector<std::string>& kernels) {
    std::vector<std::string> words = {"trace",     "import", "starpu", "--perfmodels",      models,
                                      "--machine", "toy",    "--out",  scratch.path("made")};
    for (const std::string& kernel : kernels) words.insert(words.end(), {"--kernel", kernel});
    return run_equipoise(words);
  };
  for (const std::vector<std::string>& same :
       {std::vector<std::string>{"starpu_dgemm_gemm", "starpu_chol", "dgemm"}, {}}) {
    const ProgramRun refused = import(same);
    EXPECT_EQ(refused.exit_code, 2) << refused.err;
    EXPECT_NE(refused.err.find("would both be written to"), std::string::npos) << refused.err;
    EXPECT_EQ(refused.out, "");
    EXPECT_FALSE(std::filesystem::exists(scratch.path("made")));
  }
  const ProgramRun twice = import({"starpu_dgemm_gemm", "starpu_chol", "starpu_dgemm_gemm"});
  EXPECT_EQ(twice.exit_code, 0) << twice.err;
  EXPECT_EQ(names_in(scratch.path("made")),
            (std::set<std::string>{"toy.xml", "toy-chol.jsonl", "toy-dgemm.jsonl"}));
}

TEST_F(Outputs, OfAReplaySpareTheRun) {
  const std::string run = scratch.path("run.jsonl");
  ASSERT_EQ(run_equipoise(with({"simulate"}, {"--policy", "gss", "--out", run})).exit_code, 0);
  for (const std::string& file : {run, trace, platform}) {
    expect_kept({"replay", run, "--decisions", "--out", file}, file);
  }
}

TEST_F(Outputs, OfARecordingAreTwoFiles) {
  const std::string trace_out = scratch.path("new.jsonl");
  const ProgramRun run = run_equipoise(
      {"record", "--unit", "cpu", "--workload", "matmul:n=16", "--seconds-max", "0.05", "--out",
       trace_out, "--platform-out",
       scratch.path("../" +
                    std::filesystem::path(scratch.path("")).parent_path().filename().string() +
                    "/new.jsonl")});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_NE(run.err.find("is also what --out writes"), std::string::npos) << run.err;
  EXPECT_FALSE(std::filesystem::exists(trace_out));
}

TEST_F(Outputs, OfARunAndItsPageAreTwoFiles) {
  const std::string out = scratch.path("z");
  for (const std::string& same : {out, scratch.path("./z")}) {
    const ProgramRun run =
        run_equipoise(with({"simulate", "--policy", "greedy"}, {"--out", out, "--report", same}));
    EXPECT_EQ(run.exit_code, 2);
    EXPECT_EQ(run.err, "equipoise: error: --report: " + same +
                           " is also what --out writes; give each a file of its own\n");
    EXPECT_EQ(run.out, "");
    EXPECT_FALSE(std::filesystem::exists(out));
  }
}

TEST_F(Outputs, OfARunStayWithoutItsPageIfThatIsInterrupted) {
  // The page of 300,000 blocks takes a second or more, in which the program ends at once.
  const std::string out = scratch.path("run.jsonl");
  const std::string page = scratch.path("run.html");
  const auto is_run_complete = [&] {
    std::ifstream file(out, std::ios::binary | std::ios::ate);
    const auto size = static_cast<std::streamoff>(file.tellg());
    if (size < 2000) return false;
    file.seekg(size - 2000);
    const std::string end{std::istreambuf_iterator<char>(file), {}};
    return end.ends_with('\n') && end.find("\"summary\":true") != std::string::npos;
  };
  const ProgramRun run =
      signal_equipoise({"simulate", "--platform", platform, "--trace", trace, "--workload",
                        "k:items=300000", "--policy", "ss", "--out", out, "--report", page},
                       SIGTERM, is_run_complete);
  EXPECT_EQ(run.exit_code, 128 + SIGTERM) << run.err;
  EXPECT_NE(run.err.find("equipoise: error: interrupted\n"), std::string::npos) << run.err;
  EXPECT_FALSE(std::filesystem::exists(page));
  EXPECT_EQ(run_equipoise({"show", out}).exit_code, 0);
}

TEST_F(Outputs, OfManyRunsNeedAFolder) {
  const std::string file = scratch.write("notes.txt", "mine");
  for (const std::vector<std::string>& command :
       {with({"compare"}, {"--policy", "greedy", "--out", file}),
        {"validate", "--unit", "cpu", "--workload", "matmul:n=16", "--policy", "greedy", "--out",
         file}}) {
    const ProgramRun run = run_equipoise(command);
    EXPECT_EQ(run.exit_code, 2);
    EXPECT_EQ(run.err, "equipoise: error: --out: " + file + " is a file; give a folder\n");
  }
  EXPECT_EQ(scratch.read("notes.txt"), "mine");
}

TEST_F(Outputs, HaveTemporaryNamesOfTheirOwn) {
  const std::string csv = scratch.write("x.csv", "size,time\n1,0.1\n2,0.2\n");
  scratch.write("made/t.jsonl.part", "mine");
  EXPECT_EQ(run_equipoise({"trace", "import", "csv", csv, "--items-column", "size",
                           "--compute-column", "time", "--out", scratch.path("made/t.jsonl")})
                .exit_code,
            0);
  EXPECT_EQ(scratch.read("made/t.jsonl.part"), "mine");
  EXPECT_EQ(names_in(scratch.path("made")), (std::set<std::string>{"t.jsonl", "t.jsonl.part"}));
}

TEST_F(Outputs, GoIntoADeviceAndLeaveItThere) {
  const std::string fifo = scratch.path("fifo");
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  const int reader = ::open(fifo.c_str(), O_RDONLY | O_NONBLOCK);
  const std::string csv = scratch.write("x.csv", "size,time\n1,0.1\n2,0.2\n");
  const ProgramRun run = run_equipoise({"trace", "import", "csv", csv, "--items-column", "size",
                                        "--compute-column", "time", "--out", fifo});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_TRUE(std::filesystem::is_fifo(fifo));
  char first = 0;
  EXPECT_EQ(::read(reader, &first, 1), 1);
  EXPECT_EQ(first, '{');
  ::close(reader);
}

TEST_F(Outputs, ThatCannotBePrintedAreAFailure) {
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"list", "policies", "--json"},
        {"--help"},
        {"--version"},
        {"platform", "check", platform},
        {"trace", "show", trace},
        with({"simulate"}, {"--policy", "greedy"}),
        with({"compare"}, {"--policy", "greedy", "--reps", "2"}),
        with({"optimum"}, {})}) {
    const ProgramRun run = run_equipoise(command, Stdout::full);
    EXPECT_EQ(run.exit_code, 1) << command.front();
    EXPECT_NE(run.err.find("the output could not be written"), std::string::npos) << run.err;
  }
}

TEST_F(Outputs, IntoAPipeThatNobodyReadsEndQuietlyWithEveryFileWritten) {
  const std::string out = scratch.path("cmp");
  const ProgramRun run = run_equipoise(
      with({"compare"}, {"--policy", "greedy", "--reps", "2", "--out", out}), Stdout::unread);
  EXPECT_EQ(run.exit_code, 128 + SIGPIPE) << run.err;
  EXPECT_EQ(run.err, "");
  EXPECT_TRUE(std::filesystem::exists(out + "/results.json"));
}

TEST_F(Outputs, DoNotLandInFilesWhereStdoutIsClosed) {
  const std::string campaign = scratch.write(
      "c.json", R"({"schema":"equipoise.campaign/1","reps":1,"experiments":[{"name":"e",)"
                R"("platform":"p.xml","traces":["k.jsonl"],"workloads":["k:items=1000"],)"
                R"("policies":["greedy"]}]})");
  const ProgramRun run =
      run_equipoise({"sweep", campaign, "--out", scratch.path("sweep")}, Stdout::closed);
  EXPECT_EQ(run.exit_code, 0) << run.err;
  for (const std::string& line : lines_of(scratch.read("sweep/points.jsonl"))) {
    EXPECT_EQ(line.front(), '{') << line;
  }
}

}  // namespace
}  // namespace equipoise::outputs_test
