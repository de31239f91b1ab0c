// Tests of `equipoise record`: refused inputs, and the files of a recording that does not end
// normally.
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <filesystem>

#include "tests/support/full_disk.hpp"
#include "tests/support/program.hpp"
#include "tests/support/temporary_folder.hpp"

namespace equipoise::record_test {
namespace {

namespace fs = std::filesystem;

/// The arguments for recording two units at three sizes.
std::vector<std::string> record_to(const std::string& out, const std::string& workload) {
  return {"record", "--unit",  "cpu",   "--unit", "cpu", "--workload",
          workload, "--sizes", "1,2,4", "--out",  out};
}

TEST(RecordCommand, RefusesFewerItemsThanUnitsAtATimeAndWritesNothing) {
  const TemporaryFolder scratch;
  const std::string out = scratch.path("t.jsonl");
  const ProgramRun run = run_equipoise({"record", "--unit", "cpu", "--unit", "cpu", "--workload",
                                        "blackscholes:options=1", "--out", out});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_NE(run.err.find("equipoise: error: --workload: "), std::string::npos) << run.err;
  EXPECT_NE(run.err.find("2 units together need at least 2 items"), std::string::npos) << run.err;
  EXPECT_TRUE(fs::is_empty(fs::path(out).parent_path()));
}

TEST(RecordCommand, LeavesTheTraceAloneWhenItIsDone) {
  const TemporaryFolder scratch;
  const std::string out = scratch.path("t.jsonl");
  const ProgramRun run = run_equipoise(record_to(out, "blackscholes:options=100"));
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_FALSE(fs::exists(out + ".partial"));
  const ProgramRun check = run_equipoise({"trace", "check", out});
  EXPECT_EQ(check.exit_code, 0) << check.err;
  EXPECT_NE(read_text(out).find("all units at a time"), std::string::npos);
}

TEST(RecordCommand, TimesOneUnitAfterTheOtherWhenAsked) {
  const TemporaryFolder scratch;
  const std::string out = scratch.path("t.jsonl");
  std::vector<std::string> words = record_to(out, "blackscholes:options=6");
  const ProgramRun together = run_equipoise(words);
  EXPECT_EQ(together.exit_code, 2);  // each unit has three of the six items
  EXPECT_NE(together.err.find("cpu0 has no block of 4 items when all units are recorded at a time"),
            std::string::npos)
      << together.err;
  words.emplace_back("--alone");
  const ProgramRun alone = run_equipoise(words);
  ASSERT_EQ(alone.exit_code, 0) << alone.err;
  EXPECT_NE(read_text(out).find("each unit alone"), std::string::npos);
}

TEST(RecordCommand, SaysHowItemsDifferAndTheTraceAndSimulationsHaveIt) {
  // The rows in the middle of the picture go through the set, those at its borders do not.
  const TemporaryFolder scratch;
  const std::string trace = scratch.path("t.jsonl");
  const std::string platform = scratch.path("p.xml");
  const std::string workload = "mandelbrot:height=256,width=512,order=natural";
  const ProgramRun recorded =
      run_equipoise({"record", "--unit", "cpu", "--workload", workload, "--sizes", "4,16,64",
                     "--out", trace, "--platform-out", platform});
  ASSERT_EQ(recorded.exit_code, 0) << recorded.err;
  EXPECT_NE(recorded.err.find("note: items differ: from "), std::string::npos) << recorded.err;
  EXPECT_NE(recorded.out.find("\ncosts       items differ: from "), std::string::npos)
      << recorded.out;
  EXPECT_NE(read_text(trace).find(R"("costs":{"items":256,"ranges":[)"), std::string::npos);
  const ProgramRun simulated =
      run_equipoise({"compare", "--platform", platform, "--trace", trace, "--workload", workload,
                     "--policy", "greedy,gss", "--reps", "2", "--best-known", "off"});
  ASSERT_EQ(simulated.exit_code, 0) << simulated.err;
  EXPECT_NE(simulated.out.find("items of mandelbrot differ: they cost from "), std::string::npos)
      << simulated.out;
}

TEST(RecordCommand, LeavesAReadableTraceWhenItIsKilled) {
  const TemporaryFolder scratch;
  const std::string out = scratch.path("t.jsonl");
  const std::string partial = out + ".partial";
  // After its first block the second unit waits for a long time, because it is slowed down.
  const ProgramRun run = signal_equipoise(
      {"record", "--unit", "cpu", "--unit", "cpu,slowdown=1e6", "--workload",
       "blackscholes:options=1e5", "--sizes", "1000,10000", "--out", out},
      SIGKILL, [&] { return read_text(partial).find("\"items\":10000,") != std::string::npos; });
  EXPECT_EQ(run.exit_code, -SIGKILL) << run.err;
  EXPECT_FALSE(fs::exists(out));
  const ProgramRun check = run_equipoise({"trace", "check", partial});
  EXPECT_EQ(check.exit_code, 0) << check.err;
  EXPECT_NE(check.err.find("unit cpu1 has no samples"), std::string::npos) << check.err;
}

TEST(RecordCommand, KeepsWhatAFullDiskTook) {
  const TemporaryFolder scratch;
  const std::string out = scratch.path("t.jsonl");
  const ProgramRun run = [&] {
    const FileSizeLimit disk(1500);
    return run_equipoise(record_to(out, "blackscholes:options=1e5"));
  }();
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_NE(run.err.find("warning: " + out + ".partial holds what was recorded so far"),
            std::string::npos)
      << run.err;
  EXPECT_NE(run.err.find("error: " + out + ".partial: cannot be written any further: "),
            std::string::npos)
      << run.err;
  const ProgramRun check = run_equipoise({"trace", "check", out + ".partial"});
  EXPECT_EQ(check.exit_code, 0) << check.err;
  EXPECT_EQ(check.err.find("truncated"), std::string::npos) << check.err;
}

TEST(RecordCommand, SaysThatNothingWasRecordedWhenItIsInterruptedAtOnce) {
  const TemporaryFolder scratch;
  const std::string out = scratch.path("t.jsonl");
  // The first block takes longer than the second after which the signal comes.
  const auto begin = std::chrono::steady_clock::now();
  const ProgramRun run = signal_equipoise(
      {"record", "--unit", "cpu,slowdown=1e6", "--workload", "blackscholes:options=1e5", "--sizes",
       "100000", "--out", out},
      SIGINT, [&] { return std::chrono::steady_clock::now() - begin > std::chrono::seconds(1); });
  EXPECT_EQ(run.exit_code, 130);
  EXPECT_NE(run.err.find("interrupted before anything was recorded"), std::string::npos) << run.err;
  EXPECT_TRUE(fs::is_empty(fs::path(out).parent_path()));
}

TEST(RecordCommand, RecordsAnEmulatedAcceleratorThatIsThenSimulatedLikeAnyUnit) {
  const TemporaryFolder scratch;
  const std::string trace = scratch.path("t.jsonl");
  const std::string platform = scratch.path("p.xml");
  const ProgramRun recorded = run_equipoise(
      {"record", "--unit", "emulated,latency_s=1e-4,copy_engines=2,memory_bytes=1Mi,slots=3",
       "--workload", "matmul:n=64", "--sizes", "1,4,16,64", "--out", trace, "--platform-out",
       platform});
  ASSERT_EQ(recorded.exit_code, 0) << recorded.err;
  EXPECT_NE(read_text(trace).find(R"("kind":"gpu","model":"emulated")"), std::string::npos)
      << read_text(trace);
  for (const char* const property : {R"("copy_engines" value="2")", R"("slots" value="3")",
                                     R"("memory_bytes" value="1048576")"}) {
    EXPECT_NE(read_text(platform).find(property), std::string::npos) << property;
  }
  const ProgramRun simulated =
      run_equipoise({"simulate", "--platform", platform, "--trace", trace, "--workload",
                     "matmul:n=64", "--policy", "greedy", "--json"});
  ASSERT_EQ(simulated.exit_code, 0) << simulated.err;
  EXPECT_NE(simulated.out.find(R"("items":64)"), std::string::npos) << simulated.out;
}

TEST(RecordCommand, GivesUnitsOfOneDeviceOneLinkEachWay) {
  const TemporaryFolder scratch;
  const std::string trace = scratch.path("t.jsonl");
  const std::string platform = scratch.path("p.xml");
  const ProgramRun recorded = run_equipoise(
      {"record", "--unit", "emulated,device=card", "--unit", "emulated,device=card", "--workload",
       "matmul:n=64", "--sizes", "1,4,16", "--out", trace, "--platform-out", platform});
  ASSERT_EQ(recorded.exit_code, 0) << recorded.err;
  EXPECT_NE(read_text(trace).find(R"("device":"emulated:card")"), std::string::npos);
  const std::string text = read_text(platform);
  const auto count = [&](const std::string& part) {
    std::size_t found = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
      ++found;
    }
    return found;
  };
  EXPECT_EQ(count(R"(<prop id="device" value="emulated:card"/>)"), 2u) << text;
  EXPECT_EQ(count("<link id="), 2u) << text;
  EXPECT_EQ(count(R"(<link_ctn id="RAM-emulated:card"/>)"), 2u) << text;
  EXPECT_EQ(count(R"(<link_ctn id="emulated:card-RAM"/>)"), 2u) << text;
  const ProgramRun shown = run_equipoise({"platform", "show", platform});
  EXPECT_NE(shown.out.find("emulated:card"), std::string::npos) << shown.out;
  const std::string out = scratch.path("run.jsonl");
  const ProgramRun simulated =
      run_equipoise({"simulate", "--platform", platform, "--trace", trace, "--workload",
                     "matmul:n=64", "--policy", "greedy", "--out", out});
  ASSERT_EQ(simulated.exit_code, 0) << simulated.err;
  EXPECT_NE(read_text(out).find(R"("device":"emulated:card")"), std::string::npos);
}

}  // namespace
}  // namespace equipoise::record_test
