// Tests of work of the user's own through commands: run, recorded, simulated, compared, replayed,
// validated and begun; and that nothing is left of it, however it ends.
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/program.hpp"
#include "tests/support/script.hpp"
#include "tests/support/temporary_folder.hpp"

namespace equipoise::own_work_test {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

class OwnWork : public testing::Test {
 protected:
  /// Writes `name`, work of `items` items in the folder of the test, and returns its path. `run`
  /// and `more` are JSON: the command, and further members.
  std::string work(const std::string& name, const std::string& run, const std::string& more = "",
                   int items = 40) {
    return scratch_.write(
        name, "{\"schema\": \"equipoise.work/1\", \"name\": \"work\", \"items\": " +
                  std::to_string(items) + ", \"item\": \"line\", \"run\": " + run + more + "}");
  }
  std::string lines() {
    return work("lines.json", R"(["sh", "-c", "seq {first} {last} >\"{out}\""])");
  }

  static std::vector<std::string> on_two_units(const std::string& command,
                                               const std::string& file) {
    return {command, "--unit", "cpu", "--unit", "external,id=big", "--workload", file};
  }

  /// Waits for a file.
  static bool is_there(const std::string& path) {
    for (int tries = 0; tries < 10'000; ++tries, std::this_thread::sleep_for(2ms)) {
      if (fs::exists(path)) return true;
    }
    return false;
  }
  /// Waits until no process has `mark` among its arguments.
  static bool is_gone(const std::string& mark) {
    for (int tries = 0; tries < 5'000; ++tries, std::this_thread::sleep_for(2ms)) {
      bool is_any = false;
      for (const fs::directory_entry& process : fs::directory_iterator("/proc")) {
        if (process.path().filename().string().find_first_not_of("0123456789") != std::string::npos)
          continue;
        is_any = is_any || text_in(process.path() / "cmdline").find(mark) != std::string::npos;
      }
      if (!is_any) return true;
    }
    return false;
  }

  TemporaryFolder scratch_;
};

TEST_F(OwnWork, RunsAndKeepsItsResults) {
  const std::string results = scratch_.path("my results");
  const std::string out = scratch_.path("run.jsonl");
  const ProgramRun run = run_equipoise(with(
      on_two_units("run", lines()), {"--policy", "equipoise", "--results", results, "--out", out}));
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_NE(run.out.find("; unverified: there is no check of the results"), std::string::npos)
      << run.out;
  std::string all;
  std::vector<fs::path> files(fs::directory_iterator{results}, {});
  std::ranges::sort(files);
  std::string expected;
  for (int line = 0; line < 40; ++line) expected += std::to_string(line) + "\n";
  for (const fs::path& file : files) all += text_in(file);
  EXPECT_EQ(all, expected);
  EXPECT_NE(read_text(out).find("\"verified\":null"), std::string::npos);
  const ProgramRun shown = run_equipoise({"show", out});
  EXPECT_NE(shown.out.find("unverified"), std::string::npos) << shown.out;
}

TEST_F(OwnWork, IsVerifiedByItsCheck) {
  const std::string good =
      work("good.json", R"(["sh", "-c", "seq {first} {last} >\"{out}\""])",
           R"(, "check": ["sh", "-c", "test $(cat \"{results}\"/* | wc -l) = 40"])");
  const ProgramRun run = run_equipoise(with(on_two_units("run", good), {"--policy", "gss"}));
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_NE(run.out.find("; verified"), std::string::npos) << run.out;
  const std::string bad =
      work("bad.json", R"(["true"])", R"(, "check": ["sh", "-c", "echo nothing is there; false"])");
  const ProgramRun refused = run_equipoise(with(on_two_units("run", bad), {"--policy", "gss"}));
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_NE(refused.err.find("the run is not verified: the check ended with exit code 1; its last "
                             "words: nothing is there"),
            std::string::npos)
      << refused.err;
}

TEST_F(OwnWork, IsRecordedSimulatedComparedReplayedAndValidated) {
  const std::string file = work("sleep.json", R"(["sleep", "0.0{count}"])", "", 9);
  const std::string trace = scratch_.path("t.jsonl");
  const std::string platform = scratch_.path("p.xml");
  const ProgramRun recorded = run_equipoise(
      with(on_two_units("record", file),
           {"--sizes", "1,2,4", "--seconds-max", "1", "--out", trace, "--platform-out", platform}));
  ASSERT_EQ(recorded.exit_code, 0) << recorded.err;
  const std::vector<std::string> simulated = {"--platform", platform,     "--trace",
                                              trace,        "--workload", file};
  const std::string out = scratch_.path("run.jsonl");
  const ProgramRun run = run_equipoise(
      with(with({"simulate"}, simulated), {"--policy", "gss", "--noise", "off", "--out", out}));
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(
      run_equipoise({"replay", out, "--check", "--platform", platform, "--trace", trace}).exit_code,
      0);
  const std::string folder = scratch_.path("cmp");
  const ProgramRun compared = run_equipoise(
      with(with(on_two_units("compare", file), {"--platform", platform, "--trace", trace}),
           {"--on", "both", "--policy", "equipoise", "--reps", "2", "--out", folder}));
  EXPECT_EQ(compared.exit_code, 0) << compared.err;
  const std::string results = read_text(folder + "/results.json");
  EXPECT_NE(results.find("\"verified\": null"), std::string::npos);
  EXPECT_NE(results.find("\"verified\": true"), std::string::npos);  // the simulated ones
  EXPECT_NE(compared.out.find("unverified"), std::string::npos) << compared.out;
  const ProgramRun validated = run_equipoise(
      with(on_two_units("validate", file),
           {"--policy", "gss", "--reps", "1", "--seconds-max", "1", "--out", scratch_.path("v")}));
  EXPECT_EQ(validated.exit_code, 0) << validated.err;
}

TEST_F(OwnWork, IsNotPredictedByTheTraceOfAnotherCommand) {
  const std::string trace = scratch_.path("t.jsonl");
  ASSERT_EQ(run_equipoise({"record", "--unit", "cpu", "--workload", work("a.json", R"(["true"])"),
                           "--sizes", "1,4", "--seconds-max", "1", "--out", trace})
                .exit_code,
            0);
  const std::string other = work("b.json", R"(["true", "{first}"])");
  const ProgramRun run = run_equipoise({"run", "--unit", "paced,trace_unit=cpu0", "--trace", trace,
                                        "--workload", other, "--policy", "gss"});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_EQ(run.err, "equipoise: error: " + trace +
                         ":1: was recorded with another command, or other parameters of it, than "
                         "that of work; record it again\n");
}

TEST_F(OwnWork, SaysWhatTakesStartingACommand) {
  // Each block takes 50 ms, and next to nothing more for its items.
  const std::string file = work("slow.json", R"(["sleep", "0.05"])");
  const ProgramRun run =
      run_equipoise({"record", "--unit", "cpu", "--workload", file, "--sizes", "1,2,4,8",
                     "--seconds-max", "3", "--out", scratch_.path("t.jsonl")});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_NE(run.err.find("of each block are for starting the command, so that a block of"),
            std::string::npos)
      << run.err;
  EXPECT_NE(run.err.find("\"mode\": \"serve\""), std::string::npos) << run.err;
}

TEST_F(OwnWork, TakesNamesWithBlanksQuotesAndColons) {
  const std::string file = work("a \"file\": 'x' $(y).json",
                                R"(["sh", "-c", "echo \"'{unit}' $0\" >\"{out}\"", "a \"b\" c"])");
  const ProgramRun run = run_equipoise({"run", "--unit", "cpu", "--workload", file + ":items=3",
                                        "--policy", "gss", "--results", scratch_.path("r s't")});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(scratch_.read("r s't/0-2"), "'cpu0' a \"b\" c\n");
}

TEST_F(OwnWork, IsRefusedWithFileAndLine) {
  const auto refusal = [](const std::string& workload, const std::string& unit = "cpu") {
    const ProgramRun run =
        run_equipoise({"run", "--unit", unit, "--workload", workload, "--policy", "gss"});
    EXPECT_EQ(run.exit_code, 2) << run.err;
    return run.err;
  };
  EXPECT_NE(refusal(scratch_.path("none.json")).find("none.json: "), std::string::npos);
  EXPECT_NE(refusal(work("w.json", R"(["p", "{frist}"])")).find("w.json:1: unknown placeholder"),
            std::string::npos);
  EXPECT_NE(refusal(lines() + ":costs=increasing").find("so they cost what they cost"),
            std::string::npos);
  EXPECT_NE(refusal(lines(), "emulated").find("emulated0 has no program for work"),
            std::string::npos);
  EXPECT_NE(refusal("matmul:n=64", "external").find("external0 has no program for matmul"),
            std::string::npos);
  const ProgramRun missing = run_equipoise({"run", "--unit", "cpu", "--workload",
                                            work("m.json", R"(["./missing"])"), "--policy", "gss"});
  EXPECT_EQ(missing.exit_code, 1);
  EXPECT_NE(missing.err.find("/missing: there is no such file; correct \"run\""), std::string::npos)
      << missing.err;
}

TEST_F(OwnWork, LeavesNothingBehindAfterCtrlC) {
  const std::string mark = scratch_.path("mark");
  const std::string file = work("stubborn.json", R"(["sh", "-c", "trap '' TERM INT; touch )" +
                                                     mark + "; sleep 1000 & sleep 1000\"]");
  const std::string results = scratch_.path("results");
  const ProgramRun run =
      signal_equipoise(with(on_two_units("run", file), {"--policy", "gss", "--results", results}),
                       SIGINT, [&] { return fs::exists(mark); });
  EXPECT_EQ(run.exit_code, 130) << run.err;
  EXPECT_TRUE(is_gone(mark));
}

TEST_F(OwnWork, LeavesNothingBehindWhenTheProgramIsKilled) {
  const std::string mark = scratch_.path("mark");
  const std::string file =
      work("long.json", R"(["sh", "-c", "echo $0 {results} >)" + mark + ".new; mv " + mark +
                            ".new " + mark + R"(; sleep 1000", ")" + mark + "\"]");
  const ProgramRun run = signal_equipoise(with(on_two_units("run", file), {"--policy", "gss"}),
                                          SIGKILL, [&] { return fs::exists(mark); });
  EXPECT_NE(run.exit_code, 0);
  EXPECT_TRUE(is_gone(mark));
  const std::string said = text_in(mark);
  const std::string results = said.substr(said.rfind(' ') + 1, said.size() - said.rfind(' ') - 2);
  EXPECT_NE(results.find("equipoise-work-"), std::string::npos) << said;
  for (int tries = 0; fs::exists(results) && tries < 5'000; ++tries) {
    std::this_thread::sleep_for(2ms);
  }
  EXPECT_FALSE(fs::exists(results));
}

TEST_F(OwnWork, BeginsWithACommandThatWorks) {
  const std::string file = scratch_.path("squares.json");
  const ProgramRun begun = run_equipoise({"new", "work", "squares", "--items", "10", "--out", file,
                                          "--", "sh", "-c", "seq {first} {last} >\"{out}\""});
  EXPECT_EQ(begun.exit_code, 0) << begun.err;
  EXPECT_NE(begun.out.find("2 B at {out}"), std::string::npos) << begun.out;
  const ProgramRun run =
      run_equipoise({"run", "--unit", "cpu", "--workload", file, "--policy", "gss"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  const ProgramRun again = run_equipoise(
      {"new", "work", "squares", "--items", "10", "--out", file, "--", "true", "{first}"});
  EXPECT_EQ(again.exit_code, 2);
  EXPECT_NE(again.err.find("is there already"), std::string::npos) << again.err;
}

TEST_F(OwnWork, DoesNotBeginWithACommandThatFails) {
  const std::string file = scratch_.path("w.json");
  const auto begin = [&](const std::vector<std::string>& command) {
    std::vector<std::string> words = {"new", "work", "w", "--items", "10", "--out", file, "--"};
    return run_equipoise(with(std::move(words), command));
  };
  const ProgramRun failed = begin({"sh", "-c", "echo no {first}; exit 3"});
  EXPECT_EQ(failed.exit_code, 1);
  EXPECT_NE(failed.err.find("was not written: its command ended with exit code 3; its last words: "
                            "no 0"),
            std::string::npos)
      << failed.err;
  const ProgramRun alike = begin({"true"});
  EXPECT_EQ(alike.exit_code, 2);
  EXPECT_NE(alike.err.find("it does the same for every block"), std::string::npos) << alike.err;
  EXPECT_FALSE(fs::exists(file));
}

}  // namespace
}  // namespace equipoise::own_work_test
