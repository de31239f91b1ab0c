// Tests of what is installed: a user installs the program, begins a policy with it, builds and
// tests that policy, and compares it; and builds programs whose loops it divides.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/places.hpp"
#include "tests/support/program.hpp"
#include "tests/support/temporary_folder.hpp"

namespace equipoise::installed_test {
namespace {

/// Types `command` in a shell.
ProgramRun type(const std::string& command) {
  ProgramRun run = run_copy("/bin/sh", {"-c", command});
  EXPECT_EQ(run.exit_code, 0) << command << "\n" << run.out << run.err;
  return run;
}

TEST(Installed, BuildsTestsAndComparesAPolicyOfOnesOwn) {
  const TemporaryFolder folder;
  const std::string prefix = folder.path("prefix");
  const std::string build = (folder_of_this_program() / "..").string();
  type("cmake --install " + build + " --prefix " + prefix);
  const std::string program = prefix + "/bin/equipoise";
  const ProgramRun elsewhere =
      run_copy("/bin/sh", {"-c", "cd / && " + program + " platform show platforms/sirocco.xml"});
  EXPECT_EQ(elsewhere.exit_code, 2);
  EXPECT_NE(elsewhere.err.find("or give " + prefix + "/share/equipoise/platforms/sirocco.xml"),
            std::string::npos)
      << elsewhere.err;

  const std::string mine = folder.path("my-policy");
  type(program + " new policy my-policy --out " + mine);
  EXPECT_NE(read_text(mine + "/my_policy.cpp").find("class MyPolicy final"), std::string::npos);

  // The build and its two tests: the contract, by the program, and the schedule worked out by hand.
  const ProgramRun built = type("cd " + mine + " && cmake --workflow --preset all");
  EXPECT_NE(built.out.find("100% tests passed, 0 tests failed out of 2"), std::string::npos)
      << built.out;

  // With the examples that are installed, simulated by the module that is installed.
  const ProgramRun compared = type(
      "cd " + prefix + "/share/equipoise && " + program +
      " compare --platform platforms/sirocco.xml --trace traces/sirocco-dgemm.jsonl --workload "
      "starpu_dgemm_gemm:items=2e5 --best-known off --reps 1 --policy " +
      mine + "/build/my-policy.so");
  EXPECT_NE(compared.out.find("\nmy-policy "), std::string::npos) << compared.out;

  // A name that Equipoise's headers have, too.
  const std::string event = folder.path("event");
  type(program + " new policy event --out " + event);
  type("cd " + event + " && cmake -B build && cmake --build build --target event");

  // Its schedule is no longer that of the test after a change.
  folder.write("my-policy/my_policy.cpp", [text = read_text(mine + "/my_policy.cpp")]() mutable {
    const std::string parts = "50 * ";
    return text.replace(text.find(parts), parts.size(), "20 * ");
  }());
  const ProgramRun changed =
      run_copy("/bin/sh", {"-c", "cd " + mine + " && cmake --build build && build/my_policy_test"});
  EXPECT_NE(changed.exit_code, 0);
  EXPECT_NE(changed.out.find("WRONG: gives idle units"), std::string::npos) << changed.out;
}

TEST(Installed, BuildsLoopsOfOnesOwnWithCMakeAndWithPkgConfig) {
  const TemporaryFolder folder;
  const std::string prefix = folder.path("prefix");
  type("cmake --install " + (folder_of_this_program() / "..").string() + " --prefix " + prefix);
  const std::string example = prefix + "/share/equipoise/examples/loop";
  const std::string build = folder.path("loops");
  type("cmake -S " + example + " -B " + build + " -DCMAKE_PREFIX_PATH=" + prefix +
       " && cmake --build " + build);
  const std::string prices = " --unit cpu --unit cpu,slowdown=3 --policy gss";
  const std::string at_the_money = "at the money: 11.";
  const ProgramRun run = type(build + "/prices" + prices);
  EXPECT_NE(run.out.find(at_the_money), std::string::npos) << run.out;
  const ProgramRun chunks = type("OMP_NUM_THREADS=2 " + build + "/chunks af");
  EXPECT_NE(chunks.out.find("837799 takes the most steps: 524"), std::string::npos) << chunks.out;

  type("export PKG_CONFIG_PATH=" + prefix + "/lib/pkgconfig && g++ -std=c++20 -O2 " + example +
       "/prices.cpp $(pkg-config --cflags --libs equipoise) -o " + folder.path("prices"));
  // Simulated by the program that is installed beside the library.
  const std::string own = folder.path("prices");
  const ProgramRun recorded =
      type(own + prices + " --record " + folder.path("t.jsonl") + " --platform-out " +
           folder.path("p.xml") + " --seconds-max 0.5 --quiet");
  EXPECT_NE(recorded.out.find(at_the_money), std::string::npos) << recorded.out;
  const ProgramRun compared =
      type(own + " compare --on both --unit cpu --unit cpu,slowdown=3 --trace " +
           folder.path("t.jsonl") + " --platform " + folder.path("p.xml") +
           " --policy gss --reps 1 --best-known off");
  EXPECT_NE(compared.out.find("predicted "), std::string::npos) << compared.out;
}

}  // namespace
}  // namespace equipoise::installed_test
