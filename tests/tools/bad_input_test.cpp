// Tests of bad input to the program: exit code 2, one line that names the place and the reason, and
// no output file.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "tests/support/program.hpp"
#include "tests/support/temporary_folder.hpp"

namespace equipoise::bad_input_test {
namespace {

const char* const platform =
    "<?xml version='1.0'?>\n"
    "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
    "<platform version=\"4.1\">\n"
    "<zone id=\"z\" routing=\"Full\">\n"
    "<host id=\"ram\" speed=\"1Gf\"><prop id=\"master\" value=\"true\"/></host>\n"
    "<host id=\"a\" speed=\"1Gf\"/>\n"
    "<host id=\"b\" speed=\"1Gf\"/>\n"
    "<link id=\"l\" bandwidth=\"1GBps\" latency=\"1us\"/>\n"
    "<route src=\"ram\" dst=\"a\"><link_ctn id=\"l\"/></route>\n"
    "<route src=\"ram\" dst=\"b\"><link_ctn id=\"l\"/></route>\n"
    "</zone>\n</platform>\n";

const std::string head =
    R"({"schema":"equipoise.trace/1","source":"recorded","kernel":"k","item":"thing","provenance":"a test","machine":{},"units":[{"id":"a","kind":"cpu"},{"id":"b","kind":"cpu"}]})"
    "\n";
const std::string samples =
    "{\"unit\":\"a\",\"items\":1,\"compute_s\":0.1}\n"
    "{\"unit\":\"a\",\"items\":100,\"compute_s\":1.0}\n"
    "{\"unit\":\"b\",\"items\":1,\"compute_s\":0.2}\n"
    "{\"unit\":\"b\",\"items\":100,\"compute_s\":2.0}\n";

/// A valid simulation. Each test damages one part of it.
class BadInput : public testing::Test {
 protected:
  [[nodiscard]] std::vector<std::string> simulation() const {
    return {"simulate", "--platform", platform_file, "--trace", trace_file, "--workload",
            workload,   "--policy",   policy,        "--out",   out};
  }

  void expect_refused(const std::vector<std::string>& words) const {
    const ProgramRun run = run_equipoise(simulation());
    EXPECT_EQ(run.exit_code, 2) << run.err;
    std::vector<std::string> errors;
    for (const std::string& line : lines_of(run.err)) {
      if (line.rfind("equipoise: warning: ", 0) != 0) errors.push_back(line);
    }
    ASSERT_EQ(errors.size(), 1u) << run.err;
    EXPECT_EQ(errors[0].rfind("equipoise: error: ", 0), 0u) << run.err;
    for (const std::string& word : words) {
      EXPECT_NE(errors[0].find(word), std::string::npos) << "'" << word << "' in: " << run.err;
    }
    EXPECT_FALSE(std::filesystem::exists(out));
  }

  void expect_trace_refused(const std::string& text, const std::vector<std::string>& words) {
    trace_file = scratch.write("bad.jsonl", text);
    expect_refused(words);
  }

  void expect_platform_refused(const std::string& text, const std::vector<std::string>& words) {
    platform_file = scratch.write("bad.xml", text);
    expect_refused(words);
  }

  /// Expects that the simulation succeeds, and returns the warnings.
  [[nodiscard]] std::string warnings_of_a_good_run() const {
    const ProgramRun run = run_equipoise(simulation());
    EXPECT_EQ(run.exit_code, 0) << run.err;
    EXPECT_TRUE(std::filesystem::exists(out));
    return run.err;
  }

  TemporaryFolder scratch;
  std::string platform_file = scratch.write("p.xml", platform);
  std::string trace_file = scratch.write("t.jsonl", head + samples);
  std::string workload = "k:items=1000";
  std::string policy = "greedy";
  std::string out = scratch.path("run.jsonl");
};

TEST_F(BadInput, StartsFromFilesWithoutWarnings) { EXPECT_EQ(warnings_of_a_good_run(), ""); }

TEST_F(BadInput, RefusesAMissingTrace) {
  trace_file = scratch.path("none.jsonl");
  expect_refused({"none.jsonl"});
}

TEST_F(BadInput, RefusesAMissingPlatform) {
  platform_file = scratch.path("none.xml");
  expect_refused({"none.xml"});
}

TEST_F(BadInput, RefusesAnEmptyTrace) { expect_trace_refused("", {"bad.jsonl"}); }

TEST_F(BadInput, RefusesAnEmptyPlatform) { expect_platform_refused("", {"bad.xml"}); }

TEST_F(BadInput, RefusesMalformedJson) {
  expect_trace_refused(head + "{\"unit\":\"a\",\n" + samples, {"bad.jsonl:2"});
}

TEST_F(BadInput, RefusesAbsurdlyNestedJson) {
  expect_trace_refused(head + std::string(200'000, '[') + "\n" + samples, {"bad.jsonl:2"});
}

TEST_F(BadInput, RefusesATimeThatIsNotANumber) {
  expect_trace_refused(head + "{\"unit\":\"a\",\"items\":1,\"compute_s\":NaN}\n" + samples,
                       {"bad.jsonl:2"});
}

TEST_F(BadInput, RefusesANegativeTime) {
  expect_trace_refused(head + "{\"unit\":\"a\",\"items\":1,\"compute_s\":-1}\n" + samples,
                       {"bad.jsonl:2"});
}

TEST_F(BadInput, RefusesATimeOfZero) {
  expect_trace_refused(head + "{\"unit\":\"a\",\"items\":1,\"compute_s\":0}\n" + samples,
                       {"bad.jsonl:2"});
}

TEST_F(BadInput, RefusesASizeThatOverflows) {
  expect_trace_refused(head + "{\"unit\":\"a\",\"items\":1e300,\"compute_s\":1}\n" + samples,
                       {"bad.jsonl:2"});
}

TEST_F(BadInput, RefusesAnotherSchema) {
  std::string other = head;
  other.replace(other.find("trace/1"), 7, "trace/2");
  expect_trace_refused(other + samples, {"bad.jsonl:1", "schema"});
}

TEST_F(BadInput, RefusesAnUnknownSource) {
  std::string other = head;
  other.replace(other.find("recorded"), 8, "imagined");
  expect_trace_refused(other + samples, {"bad.jsonl:1", "imagined"});
}

TEST_F(BadInput, RefusesAnUnknownKindOfUnit) {
  std::string other = head;
  other.replace(other.find("\"cpu\""), 5, "\"cpx\"");
  expect_trace_refused(other + samples, {"bad.jsonl:1", "cpx"});
}

TEST_F(BadInput, RefusesATraceWhoseUnitsThePlatformLacks) {
  expect_trace_refused(
      R"({"schema":"equipoise.trace/1","source":"recorded","kernel":"k","item":"thing","provenance":"a test","machine":{},"units":[{"id":"x","kind":"cpu"}]})"
      "\n{\"unit\":\"x\",\"items\":10,\"compute_s\":0.1}\n",
      {"bad.jsonl", "none of its units"});
}

TEST_F(BadInput, RefusesAProblemSizeThatTheTraceWasNotMadeFor) {
  std::string other = head;
  other.replace(other.find("\"kernel\":\"k\""), 12,
                "\"kernel\":\"matmul\",\"problem\":{\"n\":512}");
  workload = "matmul:n=1024";
  expect_trace_refused(other + samples, {"bad.jsonl", "n=512", "n=1024"});
}

TEST_F(BadInput, RefusesAPlatformOfVersionThree) {
  std::string other = platform;
  other.replace(other.find("4.1"), 3, "3");
  expect_platform_refused(other, {"bad.xml:3", "version 3"});
}

TEST_F(BadInput, RefusesHostsWithoutARoute) {
  std::string other = platform;
  const std::string route = "<route src=\"ram\" dst=\"b\"><link_ctn id=\"l\"/></route>\n";
  other.erase(other.find(route), route.size());
  expect_platform_refused(other, {"bad.xml", "route", "ram", "b"});
}

TEST_F(BadInput, RefusesAPlatformThatIsNotXml) {
  expect_platform_refused("<platform version=\"4.1\">\n<zone\n", {"bad.xml:"});
}

TEST_F(BadInput, NamesThePolicyThatWasMeant) {
  policy = "plb-hek";
  expect_refused({"plb-hek", "plb-hec"});
}

TEST_F(BadInput, NamesTheParameterThatWasMeant) {
  policy = "plb-hec:treshold=1";
  expect_refused({"treshold", "threshold"});
}

TEST_F(BadInput, RefusesAParameterThatIsNoNumber) {
  policy = "plb-hec:threshold=lots";
  expect_refused({"threshold", "lots"});
}

TEST_F(BadInput, NamesTheKernelThatWasMeant) {
  workload = "blackschols:options=5";
  expect_refused({"blackschols", "blackscholes"});
}

TEST_F(BadInput, NamesTheUnitThatWasMeant) {
  const ProgramRun run = run_equipoise(
      {"run", "--unit", "cpux,threads=1", "--workload", "matmul:n=64", "--policy", "greedy"});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_NE(run.err.find("'cpu'"), std::string::npos) << run.err;
}

TEST_F(BadInput, RefusesAWorkloadOfNoItems) {
  workload = "k:items=0";
  expect_refused({"--workload"});
}

TEST_F(BadInput, RefusesAWorkloadThatOverflows) {
  workload = "k:items=1e30";
  expect_refused({"--workload"});
}

TEST_F(BadInput, RefusesAnOutputThatCannotBeWritten) {
  out = scratch.path("no/such/folder/run.jsonl");
  expect_refused({"no/such/folder"});
}

TEST_F(BadInput, RefusesAnUnknownOption) {
  const ProgramRun run = run_equipoise({"simulate", "--plattform", "x"});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_EQ(run.err.rfind("equipoise: error: ", 0), 0u) << run.err;
}

TEST_F(BadInput, RefusesTwoTracesThatTimeTheSameUnitAndKernel) {
  const std::string other = scratch.write(
      "other.jsonl",
      R"({"schema":"equipoise.trace/1","source":"recorded","kernel":"k","item":"thing","provenance":"a test","machine":{},"units":[{"id":"c","kind":"cpu"},{"id":"b","kind":"cpu"}]})"
      "\n{\"unit\":\"b\",\"items\":1,\"compute_s\":5}\n");
  const std::string first = trace_file;
  for (const char* command : {"simulate", "compare", "optimum", "run"}) {
    std::vector<std::string> words = {command,   "--platform", platform_file, "--trace", first,
                                      "--trace", other,        "--workload",  workload};
    if (words.front() != "optimum") words.insert(words.end(), {"--policy", policy});
    if (words.front() == "run") words.insert(words.end(), {"--on", "paced"});
    const ProgramRun run = run_equipoise(words);
    EXPECT_EQ(run.exit_code, 2) << command;
    EXPECT_NE(run.err.find(other + ": times k on b, as " + first + " does"), std::string::npos)
        << run.err;
  }
}

TEST_F(BadInput, TakesTracesOfOneKernelThatTimeDifferentUnits) {
  const std::string units = head + "{\"unit\":\"a\",\"items\":100,\"compute_s\":1}\n";
  const std::string a = scratch.write("a.jsonl", units);
  std::string text = units;
  text.replace(text.find("\"unit\":\"a\""), 10, "\"unit\":\"b\"");
  const std::string b = scratch.write("b.jsonl", text);
  const ProgramRun run = run_equipoise({"simulate", "--platform", platform_file, "--trace", a,
                                        "--trace", b, "--workload", workload, "--policy", policy});
  EXPECT_EQ(run.exit_code, 0) << run.err;
}

TEST_F(BadInput, RefusesNamesThatAreNotUtf8) {
  std::string other = head;
  other.replace(other.find("\"b\""), 3, "\"caf\xE9\"");
  expect_trace_refused(other + samples, {"bad.jsonl:1", "UTF-8"});
  trace_file = scratch.write("caf\xE9.jsonl", head + samples);
  expect_refused({"argument 5", "caf\\xe9.jsonl", "UTF-8"});
  trace_file = scratch.write("t.jsonl", head + samples);
  workload = "caf\xE9:items=1000";
  expect_refused({"argument 7", "caf\\xe9", "UTF-8"});
}

TEST_F(BadInput, EchoesNoControlCharactersAndNoEndlessNames) {
  trace_file = scratch.write("none\x1B[31m.jsonl", head + samples);
  expect_refused({"argument 5", "none\\x1b[31m"});
  trace_file = scratch.write("t.jsonl", head + samples);
  policy = std::string(10'000, 'x');
  const ProgramRun run = run_equipoise(simulation());
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_LT(run.err.size(), 1000u);
  EXPECT_NE(run.err.find("xxx..."), std::string::npos) << run.err;
  EXPECT_NE(run.err.find("known are"), std::string::npos) << run.err;  // the advice is complete
}

TEST_F(BadInput, ReadsNoDevicesAndNoNamedPipes) {
  const std::string fifo = scratch.path("fifo");
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  for (const std::string& file : {fifo, std::string("/dev/zero")}) {
    const std::string words = file == fifo ? "is a named pipe" : "is a device";
    trace_file = file;
    expect_refused({file, words});
    trace_file = scratch.write("t.jsonl", head + samples);
    const std::string before = platform_file;
    platform_file = file;
    expect_refused({file, words});
    platform_file = before;
    for (const std::vector<std::string>& command :
         {std::vector<std::string>{"sweep", file, "--out", scratch.path("s")},
          {"replay", file, "--check"},
          {"platform", "generate", "--spec", file, "--out", scratch.path("g")},
          {"trace", "import", "csv", file, "--items-column", "a", "--compute-column", "b", "--out",
           out}}) {
      const ProgramRun run = run_equipoise(command);
      EXPECT_EQ(run.exit_code, 2) << command.front();
      EXPECT_NE(run.err.find(words), std::string::npos) << run.err;
    }
  }
}

TEST_F(BadInput, RefusesNumbersThatMeanNothing) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {{"--decision-cost", "1e308"}, "--decision-cost: a decision costs from 0 to 1e6 seconds"},
      {{"--dispatch-cost", "1e308"}, "--dispatch-cost: handing out a block costs from 0 to 1e6"},
      {{"--controller-cost", "1e308"},
       "--controller-cost: a report or a block costs from 0 to 1e6"},
      {{"--controller-cost", "1us,1us,2"}, "--controller-cost: a byte costs from 0 to 1 second"},
      {{"--controller-cost", "1us,"}, "--controller-cost: '' is not"},
      {{"--controller-cost", "1,1,0,1"}, "1,1,0,1 has more than three times"},
      {{"--seed", "9007199254740993"}, "--seed: '9007199254740993' is not a whole number below"}};
  for (const auto& [words, said] : cases) {
    std::vector<std::string> command = simulation();
    command.insert(command.end(), words.begin(), words.end());
    const ProgramRun run = run_equipoise(command);
    EXPECT_EQ(run.exit_code, 2) << run.err;
    EXPECT_NE(run.err.find(said), std::string::npos) << run.err;
  }
  const ProgramRun run =
      run_equipoise({"validate", "--unit", "cpu", "--workload", "matmul:n=64", "--policy", "greedy",
                     "--max-error", "-1", "--out", scratch.path("v")});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_NE(run.err.find("--max-error: an error is not negative"), std::string::npos) << run.err;
}

TEST_F(BadInput, WarnsOfAUnitThatOnlyThePlatformHas) {
  trace_file = scratch.write(
      "t.jsonl",
      R"({"schema":"equipoise.trace/1","source":"recorded","kernel":"k","item":"thing","provenance":"a test","machine":{},"units":[{"id":"a","kind":"cpu"}]})"
      "\n{\"unit\":\"a\",\"items\":10,\"compute_s\":0.1}\n");
  EXPECT_NE(warnings_of_a_good_run().find("b not used: the trace has no times for it"),
            std::string::npos);
}

TEST_F(BadInput, NotesAUnitThatOnlyTheTraceHas) {
  std::string other = head;
  other.replace(other.find("\"b\""), 3, "\"c\"");
  trace_file = scratch.write("t.jsonl", other +
                                            "{\"unit\":\"a\",\"items\":10,\"compute_s\":0.1}\n"
                                            "{\"unit\":\"c\",\"items\":10,\"compute_s\":0.1}\n");
  EXPECT_NE(warnings_of_a_good_run().find(
                "equipoise: note: the trace also has times of c, which is not on this platform\n"),
            std::string::npos);
  std::vector<std::string> quiet = simulation();
  quiet.emplace_back("--quiet");
  EXPECT_EQ(run_equipoise(quiet).err.find("note:"), std::string::npos);
}

TEST_F(BadInput, WarnsOfAUnitWhoseMemoryHoldsLessThanAGrain) {
  std::string other = platform;
  other.replace(other.find("<host id=\"b\" speed=\"1Gf\"/>"), 26,
                "<host id=\"b\" speed=\"1Gf\"><prop id=\"memory_bytes\" value=\"100\"/></host>");
  platform_file = scratch.write("p.xml", other);
  workload = "k:items=1000,memory_bytes_per_item=101";
  EXPECT_NE(warnings_of_a_good_run().find("b takes no part"), std::string::npos);
}

TEST_F(BadInput, WarnsOfATruncatedLastTraceLine) {
  trace_file = scratch.write("t.jsonl", head + samples + "{\"unit\":\"a\",\"ite");
  EXPECT_NE(warnings_of_a_good_run().find("t.jsonl:6"), std::string::npos);
}

TEST_F(BadInput, SaysHowMuchWasExtrapolated) {
  policy = "static";  // the blocks have some hundred items, the recorded sizes are 1 to 100
  const ProgramRun run = run_equipoise(simulation());
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_NE(run.out.find("100.0 % of the items in blocks whose times are extrapolated"),
            std::string::npos)
      << run.out;
  EXPECT_NE(
      run.err.find(
          "equipoise: warning: static did 100 % of the items in blocks smaller or larger than "
          "any whose time is known; extrapolated times are less certain\n"),
      std::string::npos)
      << run.err;
}

TEST_F(BadInput, RefusesADecisionCostBeforeAnythingIsWritten) {
  const std::string folder = scratch.path("cmp");
  const ProgramRun run =
      run_equipoise({"compare", "--platform", platform_file, "--trace", trace_file, "--workload",
                     workload, "--policy", "greedy", "--decision-cost", "lots", "--out", folder});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_FALSE(std::filesystem::exists(folder));
}

TEST_F(BadInput, DoesNotIncludeOneItemOneUnitOrMoreUnitsThanItems) {
  workload = "k:items=1";
  EXPECT_EQ(warnings_of_a_good_run(), "");
  for (const char* name : {"greedy", "static", "plb-hec", "optimum"}) {
    policy = name;
    EXPECT_EQ(run_equipoise(simulation()).exit_code, 0) << name;
  }
}

}  // namespace
}  // namespace equipoise::bad_input_test
