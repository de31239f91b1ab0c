// Tests of help, near misses and messages, as a user sees them.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/places.hpp"
#include "tests/support/program.hpp"
#include "tests/support/temporary_folder.hpp"

namespace equipoise::messages_test {
namespace {

const std::vector<std::string> sirocco = {"--platform", "platforms/sirocco.xml",
                                          "--trace",    "traces/sirocco-dgemm.jsonl",
                                          "--workload", "starpu_dgemm_gemm:items=1e4"};

/// The message of a refusal, without its beginning and its line end.
std::string refusal(const std::vector<std::string>& arguments) {
  const ProgramRun run = run_equipoise(arguments);
  EXPECT_EQ(run.exit_code, 2) << run.err;
  EXPECT_EQ(run.out, "");
  const std::string begin = "equipoise: error: ";
  EXPECT_TRUE(run.err.starts_with(begin)) << run.err;
  return run.err.substr(begin.size(), run.err.size() - begin.size() - 1);
}

TEST(Help, IsACommandToo) {
  EXPECT_EQ(run_equipoise({"help"}).out, run_equipoise({"--help"}).out);
  const std::string compare = run_equipoise({"help", "compare"}).out;
  EXPECT_NE(compare.find("Usage: equipoise compare "), std::string::npos) << compare;
  EXPECT_NE(compare.find("all: every policy"), std::string::npos) << compare;
  EXPECT_NE(run_equipoise({"help", "trace", "import", "csv"}).out.find("--items-column"),
            std::string::npos);
  EXPECT_EQ(refusal({"help", "compar"}), "help: unknown command 'compar'; did you mean 'compare'?");
}

TEST(Messages, SuggestOptionsAndNameTheCommandsThatHaveOthers) {
  EXPECT_EQ(refusal({"--verion"}),
            "unknown option '--verion'; did you mean '--version'?; see equipoise --help");
  EXPECT_EQ(refusal({"trace"}), "say what to do: check, show, import; see equipoise trace --help");
  EXPECT_EQ(
      refusal({"run", "--reps", "3"}),
      "equipoise run has no option --reps; these have: equipoise compare, equipoise validate; "
      "see equipoise run --help");
}

TEST(Messages, LookAtTheFirstWordFirst) {
  EXPECT_EQ(refusal({"version"}),
            "unknown command 'version'; did you mean '--version'?; see equipoise --help");
  const std::string man = refusal({"man", "compare"});
  EXPECT_TRUE(man.starts_with("unknown command 'man'; known are: simulate, run,")) << man;
  EXPECT_NE(man.find("; 'equipoise help compare' shows what that does"), std::string::npos) << man;
  EXPECT_NE(run_equipoise({"help", "list", "policies"}).out.find("Usage: equipoise list "),
            std::string::npos);
}

TEST(Messages, SayWhereTheFilesOfTheManualAre) {
  const TemporaryFolder scratch;
  const ProgramRun run =
      run_copy("/bin/bash", {"-c", "cd '" + scratch.path(".") + "' && exec '" + program_file() +
                                       "' platform check platforms/sirocco.xml"});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_NE(run.err.find("there is no folder platforms here: commands of the manual are typed in "),
            std::string::npos)
      << run.err;
}

TEST(Messages, SayAllErrorsOfAScenarioAtOnce) {
  const TemporaryFolder scratch;
  const auto refused = [&](const std::string& events) {
    const std::string file = scratch.write(
        "s.json", "{\"schema\":\"equipoise.scenario/1\",\"events\":[\n" + events + "]}");
    const std::string text =
        refusal(with(with({"simulate"}, sirocco), {"--policy", "gss", "--scenario", file}));
    return text.substr(file.size());
  };
  EXPECT_EQ(refused("{\"at_s\":0,\"unit\":\"cpu0\",\"kind\":\"fial\"},\n"
                    "{\"at_s\":-1,\"unit\":\"cpu0\",\"kind\":\"fail\"},\n"
                    "{\"at_\":0,\"unt\":\"cpu0\",\"kind\":\"fail\"}"),
            ":2: unknown kind of event 'fial'; did you mean 'fail'?; line 3: 'at_s' is -1; it must "
            "be 0 or more; line 4: unknown member of an event 'at_'; did you mean 'at_s'?; line 4: "
            "unknown member of an event 'unt'; did you mean 'unit'?");
  const std::string units = refused(
      "{\"at_s\":0,\"unit\":\"gpuA\",\"kind\":\"fail\"},\n"
      "{\"at_s\":0,\"unit\":\"gpuB\",\"kind\":\"fail\"}");
  EXPECT_TRUE(units.starts_with(":2: no unit that takes part is called 'gpuA'; there are cpu0, "));
  EXPECT_TRUE(units.ends_with("; line 3: no unit that takes part is called 'gpuB'")) << units;
}

TEST(Messages, SayThatACsvFileNeedsCommas) {
  const TemporaryFolder scratch;
  const std::string file = scratch.write("t.csv", "n;s\n1;0,5\n");
  EXPECT_EQ(refusal({"trace", "import", "csv", file, "--unit", "cpu0", "--items-column", "n",
                     "--compute-column", "s", "--out", scratch.path("t.jsonl")}),
            file +
                ":1: semicolons stand between the fields, but commas are expected; save the "
                "table with commas between fields and points in numbers (if it has points "
                "already: tr ';' ',' <OLD.csv >NEW.csv)");
}

TEST(Messages, SayWhatAnswersTheCommandNeeds) {
  const std::vector<std::string> run = {"run", "--workload", "matmul:n=256"};
  EXPECT_EQ(refusal(with(run, {"--policy", "greedy"})),
            "run: to run for real, give --unit for each unit, such as --unit cpu --unit "
            "cpu,slowdown=3 (see equipoise list units); or say --on paced");
  EXPECT_EQ(refusal(with(run, {"--unit", "cpu", "--policy", "static"})),
            "--policy: static has to know block times beforehand, and nothing tells those of cpu0; "
            "give a trace with its times of this kernel (equipoise record makes one), or leave "
            "the unit out");
  const std::string gpu = refusal(with(run, {"--unit", "gpu", "--policy", "greedy"}));
  EXPECT_TRUE(gpu.starts_with("--unit gpu: a GPU of this machine is --unit cuda; ")) << gpu;
  EXPECT_NE(gpu.find("can be simulated"), std::string::npos) << gpu;
}

TEST(Messages, SayWhatADecisionMayCost) {
  const std::vector<std::string> words =
      with(with({"simulate"}, sirocco), {"--policy", "greedy", "--decision-cost"});
  EXPECT_EQ(
      refusal(with(words, {"cheap"})),
      "--decision-cost: unknown cost 'cheap'; known are: none, paper, measured, or a time such "
      "as 5e-6 or 5us");
  EXPECT_EQ(
      refusal(with(words, {"5 parsec"})),
      "--decision-cost: '5 parsec' is not a number of seconds; write 5e-6, 5 us, 20 ms, 3 s or "
      "2 min");
}

TEST(Messages, TellAReplayElsewhereWhichOptionToGive) {
  const TemporaryFolder scratch;
  const std::string text = read_text((repository() / "traces/runs/sirocco-gss.jsonl").string());
  std::string moved = text;
  const std::string platform = "platforms/sirocco.xml";
  moved.replace(moved.find(platform), platform.size(), "elsewhere/machine.xml");
  const std::string run = scratch.write("run.jsonl", moved);
  EXPECT_EQ(refusal({"replay", run, "--decisions"}),
            "elsewhere/machine.xml: is not here, and the run in " + run +
                " used it; start from the folder in which that run was made, or give --platform "
                "FILE");
  EXPECT_EQ(run_equipoise({"replay", run, "--decisions", "--platform", platform}).exit_code, 0);
}

TEST(Messages, RefuseNamesOfPoliciesThatCMakeHas) {
  const TemporaryFolder scratch;
  for (const char* name : {"all", "test", "help", "clean", "install"}) {
    EXPECT_EQ(
        refusal({"new", "policy", name, "--out", scratch.path("p")}),
        std::string("NAME: ") + name +
            " is what CMake calls something of its own in every project; choose another name");
  }
}

TEST(Messages, QuoteTheFolderOfANewPolicyForTheShell) {
  const TemporaryFolder scratch;
  const std::string folder = scratch.path("my own's");
  const ProgramRun run = run_equipoise({"new", "policy", "event", "--out", folder});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const std::string quoted = "'" + scratch.path("my own'\\''s");
  EXPECT_NE(run.out.find("  cd " + quoted + "' && cmake"), std::string::npos) << run.out;
  EXPECT_NE(run.out.find("--policy " + quoted + "/build/event.so'\n"), std::string::npos)
      << run.out;
  EXPECT_NE(read_text(folder + "/event.cpp").find("class EventPolicy final : public Policy"),
            std::string::npos);
}

TEST(Messages, SayThatAFileCannotBeRead) {
  // A file of the system that is there and regular, and whose first byte cannot be read.
  EXPECT_TRUE(refusal({"trace", "check", "/proc/self/mem"})
                  .starts_with("/proc/self/mem:1: cannot be read: "));
}

TEST(Policies, CanBeSeveralInOneOption) {
  const ProgramRun run = run_equipoise(with(
      with({"compare"}, sirocco), {"--policy", "gss,plb-hec:threshold=0.2,step_fraction=0.1,tss",
                                   "--reps", "1", "--best-known", "off", "--color", "never"}));
  EXPECT_EQ(run.exit_code, 0) << run.err;
  for (const char* name :
       {"\ngreedy ", "\ngss ", "\nplb-hec:threshold=0.2,step_fraction=0.1 ", "\ntss "}) {
    EXPECT_NE(run.out.find(name), std::string::npos) << run.out;
  }
  EXPECT_EQ(refusal(with(with({"compare"}, sirocco), {"--policy", "greedy,gs"})),
            "--policy: unknown policy 'gs'; did you mean 'ss'?");
}

TEST(Options, TakeTimesAndBytesWithUnits) {
  const auto makespan = [](const std::string& cost) {
    const ProgramRun run = run_equipoise(
        with(with({"simulate"}, sirocco), {"--policy", "gss", "--json", "--dispatch-cost", cost}));
    return nlohmann::json::parse(run.out).at("makespan_s");
  };
  EXPECT_EQ(makespan("20 us"), makespan("2e-5"));
  EXPECT_EQ(refusal({"run", "--unit", "emulated,in_bytes_per_s=25mb/s", "--workload",
                     "matmul:n=256", "--policy", "greedy"}),
            "--unit emulated,in_bytes_per_s=25mb/s: in_bytes_per_s: '25mb/s' is not a number of "
            "bytes/s; write 3e9, 3 GB/s or, in bits, 25 Gb/s");
}

TEST(Colors, AreThereWhenTheyAreAskedForAndNotInAPipe) {
  EXPECT_EQ(run_equipoise({"explain", "idle"}).out.find('\033'), std::string::npos);
  EXPECT_TRUE(run_equipoise({"explain", "idle", "--color", "always"}).out.starts_with("\033[1m"));
  EXPECT_NE(run_equipoise({"list", "policies", "gs", "--color", "always"}).err.find('\033'),
            std::string::npos);
}

TEST(Messages, HelpComesBeforeComplaintsAboutValues) {
  const ProgramRun run = run_equipoise({"simulate", "--dispatch-cost", "much", "--help"});
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_NE(run.out.find("--dispatch-cost"), std::string::npos);
}

TEST(Explain, PrintsASentence) {
  EXPECT_EQ(run_equipoise({"explain", "ends", "apart"}).out,
            "ends apart (finish_spread_s in files)\n"
            "    The time from the first unit's end to the last's.\n");
  EXPECT_EQ(run_equipoise({"explain", "late_max_s"}).out,
            "late_max_s\n    Summary of a run file, in pacing: the longest delay with which an end "
            "of a block was noticed, in\n    s.\n");
  EXPECT_EQ(run_equipoise({"explain", "grain", "--json"}).out,
            "{\"schema\":\"equipoise.glossary/"
            "1\",\"words\":[{\"word\":\"grain\",\"name\":null,\"sentence\":\"Block sizes are "
            "multiples of so many items.\"}]}\n");
  EXPECT_EQ(run_equipoise({"explain", "recorded", "means"}).out,
            "recorded means\n    Cause of an interval: few samples leave the mean block times "
            "uncertain.\n");
  EXPECT_NE(run_equipoise({"explain", "interval95"}).out.find("a single real run"),
            std::string::npos);
  EXPECT_GT(lines_of(run_equipoise({"explain"}).out).size(), 100u);
}

TEST(Messages, NameFailedRealRunsInOneLine) {
  const TemporaryFolder scratch;
  const std::string scenario = scratch.write(
      "s.json",
      R"({"schema":"equipoise.scenario/1","events":[{"at_s":0,"unit":"cpu0","kind":"fail"}]})");
  const ProgramRun run = run_equipoise({"compare", "--on", "real", "--unit", "cpu", "--scenario",
                                        scenario, "--workload", "blackscholes:options=1e6",
                                        "--policy", "gss", "--reps", "3", "--meters", "off"});
  EXPECT_EQ(run.exit_code, 1);
  std::size_t lines = 0;
  for (const std::string& line : lines_of(run.err)) {
    lines += line.find("not verified") != std::string::npos ? 1 : 0;
  }
  EXPECT_EQ(lines, 1U) << run.err;
  EXPECT_NE(run.err.find("6 runs failed: greedy, repetition 0: not verified"), std::string::npos)
      << run.err;
}

}  // namespace
}  // namespace equipoise::messages_test
