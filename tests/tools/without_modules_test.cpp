// Tests of the program without its modules, or without SimGrid: everything except simulating and
// solving with Ipopt works.
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/support/program.hpp"
#include "tests/support/temporary_folder.hpp"

namespace equipoise::without_modules_test {
namespace {

namespace fs = std::filesystem;

/// A copy of the program in a folder without its modules.
class WithoutModules : public testing::Test {
 protected:
  WithoutModules() { fs::copy_file(program_file(), program_); }

  /// Runs blackscholes on one core with `policy`.
  [[nodiscard]] ProgramRun run_with(const std::string& policy) const {
    return run_copy(program_,
                    {"run", "--unit", "cpu,threads=1", "--workload", "blackscholes:options=1e5",
                     "--policy", policy, "--out", folder_.path("run.jsonl")});
  }

  /// Expects that every command that simulates fails with `reason`, says `remedy` and prints
  /// nothing else.
  void expect_refusals(const std::string& reason, const std::string& remedy) const {
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
      expect_refusal(command, reason, remedy);
    }
    expect_refusal({"platform", "check", "platforms/sirocco.xml"}, reason, remedy);
  }

  void expect_refusal(const std::vector<std::string>& command, const std::string& reason,
                      const std::string& remedy) const {
    const ProgramRun run = run_copy(program_, command);
    EXPECT_EQ(run.exit_code, 1) << command.front();
    const std::string start = "equipoise: error: cannot simulate: " + reason;
    EXPECT_EQ(run.err.substr(0, start.size()), start) << command.front();
    EXPECT_NE(run.err.find("; " + remedy), std::string::npos) << run.err;
    EXPECT_EQ(lines_of(run.err).size(), 1u) << run.err;
    EXPECT_EQ(run.out, "") << command.front();
  }

  const std::string not_beside = "equipoise_simgrid.so is not beside the program";
  const std::string from_its_folder =
      "run it from its build folder, or install it with cmake --install";
  TemporaryFolder folder_;
  std::string program_ = folder_.path("equipoise");
};

TEST_F(WithoutModules, SaysThatItHasNoModuleAndHowToGetOne) {
  expect_refusals(not_beside, from_its_folder);
  EXPECT_NE(run_copy(program_, {"--version"}).out.find("(without SimGrid, "), std::string::npos);
}

TEST_F(WithoutModules, ValidatesNothingAndSaysSoBeforeItRecords) {
  const std::string out = folder_.path("validated");
  expect_refusal({"validate", "--unit", "cpu,threads=1", "--workload", "blackscholes:options=1e5",
                  "--policy", "greedy", "--out", out},
                 not_beside, from_its_folder);
  EXPECT_FALSE(fs::exists(out));
}

TEST_F(WithoutModules, ListsRecordsAndRuns) {
  EXPECT_EQ(run_copy(program_, {"list", "policies"}).exit_code, 0);
  const ProgramRun recorded =
      run_copy(program_, {"record", "--unit", "cpu,threads=1", "--workload",
                          "blackscholes:options=1e5", "--seconds-max", "0.5", "--out",
                          folder_.path("here.jsonl"), "--platform-out", folder_.path("here.xml")});
  EXPECT_EQ(recorded.exit_code, 0) << recorded.err;
  const ProgramRun ran = run_with("greedy");
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
}

TEST_F(WithoutModules, NamesTheLibraryThatTheModuleMisses) {
  // A module that needs a library which does not exist: the name of SimGrid's library is changed.
  std::string module = read_text(module_file("equipoise_simgrid", "sim"));
  const std::string library = "libsimgrid.so";
  const std::size_t at = module.find(library);
  ASSERT_NE(at, std::string::npos);
  folder_.write("equipoise_simgrid.so", module.replace(at, library.size(), "libnowhere.so"));
  expect_refusals("libnowhere.so", "install SimGrid");
}

TEST_F(WithoutModules, FindsAModuleBesideIt) {
  fs::copy_file(module_file("equipoise_simgrid", "sim"), folder_.path("equipoise_simgrid.so"));
  const ProgramRun run = run_copy(program_, {"platform", "check", "platforms/sirocco.xml"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
}

TEST_F(WithoutModules, SolvesWithIpoptOnlyWithItsModule) {
  const ProgramRun refused = run_with("plb-hec:solver=ipopt");
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_EQ(refused.err,
            "equipoise: error: cannot solve with Ipopt: equipoise_ipopt.so is not beside the "
            "program; run it from its build folder, or install it with cmake --install, or choose "
            "solver=direct\n");
  EXPECT_FALSE(fs::exists(folder_.path("run.jsonl")));
  EXPECT_EQ(run_with("plb-hec").exit_code, 0);
  fs::copy_file(module_file("equipoise_ipopt", "shared_policies"),
                folder_.path("equipoise_ipopt.so"));
  const ProgramRun solved = run_with("plb-hec:solver=ipopt");
  EXPECT_EQ(solved.exit_code, 0) << solved.err;
}

TEST_F(WithoutModules, MultipliesMatricesOnlyWithItsModule) {
  const std::vector<std::string> matmul = {"run",        "--unit",      "cpu,threads=1",
                                           "--workload", "matmul:n=64", "--policy",
                                           "greedy",     "--out",       folder_.path("run.jsonl")};
  const ProgramRun refused = run_copy(program_, matmul);
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_EQ(refused.err,
            "equipoise: error: cannot multiply matrices: equipoise_blas.so is not beside the "
            "program; run it from its build folder, or install it with cmake --install, or choose "
            "another kernel\n");
  fs::copy_file(module_file("equipoise_blas", "real"), folder_.path("equipoise_blas.so"));
  const ProgramRun multiplied = run_copy(program_, matmul);
  EXPECT_EQ(multiplied.exit_code, 0) << multiplied.err;
}

TEST_F(WithoutModules, IsNotLinkedWithLibrariesThatStartSomething) {
  // What the loader would load, with the libraries of libraries.
  const std::string libraries =
      run_copy("/usr/bin/env", {"LD_TRACE_LOADED_OBJECTS=1", program_}).out;
  EXPECT_NE(libraries.find("libhwloc.so"), std::string::npos) << libraries;
  for (const char* library : {"libsimgrid.so", "libipopt.so", "libmpi.so", "libClp.so",
                              "libopenblas.so", "libblas.so", "liblapack.so"}) {
    EXPECT_EQ(libraries.find(library), std::string::npos) << library;
  }
}

}  // namespace
}  // namespace equipoise::without_modules_test
