// Tests of the program without its SimGrid module or without SimGrid: everything except simulation
// works.
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/support/program.hpp"
#include "tests/support/temporary_folder.hpp"

namespace equipoise::without_simgrid_test {
namespace {

namespace fs = std::filesystem;

/// A copy of the program in a folder without its module.
class WithoutSimGrid : public testing::Test {
 protected:
  WithoutSimGrid() { fs::copy_file(program_file(), program_); }

  /// Expects that every command that simulates fails with `reason` and prints nothing else.
  void expect_refusals(const std::string& reason) const {
    const std::vector<std::string> inputs = {"--platform", "platforms/sirocco.xml",
                                             "--trace",    "traces/sirocco-dgemm.jsonl",
                                             "--workload", "starpu_dgemm_gemm:items=2e6"};
    const std::vector<std::vector<std::string>> commands = {
        {"simulate", "--policy", "greedy", "--out", folder_.path("run.jsonl")},
        {"compare", "--policy", "greedy", "--out", folder_.path("cmp")},
        {"optimum"},
    };
    for (std::vector<std::string> command : commands) {
      command.insert(command.end(), inputs.begin(), inputs.end());
      expect_refusal(command, reason);
    }
    expect_refusal({"platform", "check", "platforms/sirocco.xml"}, reason);
  }

  void expect_refusal(const std::vector<std::string>& command, const std::string& reason) const {
    const ProgramRun run = run_copy(program_, command);
    EXPECT_EQ(run.exit_code, 1) << command.front();
    const std::string start = "equipoise: error: cannot simulate: " + reason;
    EXPECT_EQ(run.err.substr(0, start.size()), start) << command.front();
    EXPECT_NE(run.err.find("; install SimGrid"), std::string::npos) << run.err;
    EXPECT_EQ(lines_of(run.err).size(), 1u) << run.err;
    EXPECT_EQ(run.out, "") << command.front();
  }

  TemporaryFolder folder_;
  std::string program_ = folder_.path("equipoise");
};

TEST_F(WithoutSimGrid, SaysThatItHasNoModuleAndHowToGetOne) {
  expect_refusals("this program was built without SimGrid");
  EXPECT_NE(run_copy(program_, {"--version"}).out.find("(without SimGrid, "), std::string::npos);
}

TEST_F(WithoutSimGrid, ListsRecordsAndRuns) {
  EXPECT_EQ(run_copy(program_, {"list", "policies"}).exit_code, 0);
  const std::vector<std::string> work = {"--unit", "cpu,threads=1", "--workload",
                                         "blackscholes:options=1e5"};
  std::vector<std::string> record = {
      "record",         "--seconds-max",         "0.5", "--out", folder_.path("here.jsonl"),
      "--platform-out", folder_.path("here.xml")};
  record.insert(record.end(), work.begin(), work.end());
  const ProgramRun recorded = run_copy(program_, record);
  EXPECT_EQ(recorded.exit_code, 0) << recorded.err;
  std::vector<std::string> run = {"run", "--policy", "greedy", "--out", folder_.path("run.jsonl")};
  run.insert(run.end(), work.begin(), work.end());
  const ProgramRun ran = run_copy(program_, run);
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
}

TEST_F(WithoutSimGrid, NamesTheLibraryThatTheModuleMisses) {
  // A module that needs a library which does not exist: the name of SimGrid's library is changed.
  std::string module = read_text(EQUIPOISE_SIMGRID_MODULE);
  const std::string library = "libsimgrid.so";
  const std::size_t at = module.find(library);
  ASSERT_NE(at, std::string::npos);
  folder_.write("equipoise_simgrid.so", module.replace(at, library.size(), "libnowhere.so"));
  expect_refusals("libnowhere.so");
}

TEST_F(WithoutSimGrid, FindsAModuleBesideIt) {
  fs::copy_file(EQUIPOISE_SIMGRID_MODULE, folder_.path("equipoise_simgrid.so"));
  const ProgramRun run = run_copy(program_, {"platform", "check", "platforms/sirocco.xml"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
}

TEST_F(WithoutSimGrid, IsNotLinkedWithSimGrid) {
  EXPECT_EQ(read_text(program_).find("libsimgrid.so"), std::string::npos);
}

}  // namespace
}  // namespace equipoise::without_simgrid_test
