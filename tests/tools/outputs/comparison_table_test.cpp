// Tests of what `compare` leaves out or limits, and of tables that `show` prints again.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/program.hpp"
#include "tests/support/small_machine.hpp"
#include "tests/support/temporary_folder.hpp"

namespace equipoise::comparison_table_test {
namespace {

class ComparisonTable : public testing::Test {
 protected:
  [[nodiscard]] ProgramRun compare(const std::vector<std::string>& more,
                                   const std::string& items = "1000") const {
    return run_equipoise(with(with({"compare"}, machine.words()),
                              with({"--workload", "k:items=" + items, "--reps", "2"}, more)));
  }

  /// What `compare` printed of a table, without the lines about files.
  static std::string table_of(const ProgramRun& run) {
    return run.out.substr(0, run.out.find("\nresults: "));
  }

  TemporaryFolder scratch;
  SmallMachine machine{scratch};
  std::string out = scratch.path("c");
};

TEST_F(ComparisonTable, IsShownAgainFromItsFolder) {
  const std::vector<std::vector<std::string>> variants = {
      {"--policy", "greedy,static,plb-hec,optimum,gss:min_block_items=3"},
      {"--policy", "greedy,equipoise", "--noise", "off"},
      {"--policy", "greedy,gss", "--decision-cost", "1ms", "--top", "1"},
      {"--policy", "greedy,gss,fac2", "--sort", "speedup", "--brief"},
      {"--policy", "greedy,gss", "--on", "both", "--unit", "paced,trace_unit=a,id=a", "--unit",
       "paced,trace_unit=b,id=b", "--unit", "paced,trace_unit=c,id=c", "--quiet"}};
  for (const std::vector<std::string>& variant : variants) {
    const ProgramRun printed = compare(with({"--out", out}, variant), "200");
    ASSERT_EQ(printed.exit_code, 0) << printed.err;
    std::vector<std::string> show = {"show", out};
    for (std::size_t i = 0; i < variant.size(); ++i) {
      const std::string& word = variant[i];
      if (word == "--brief" || word == "--quiet") show.push_back(word);
      if (word == "--top" || word == "--sort") {
        show.insert(show.end(), {word, variant[i + 1]});
      }
    }
    const ProgramRun again = run_equipoise(show);
    EXPECT_EQ(again.exit_code, 0) << again.err;
    EXPECT_EQ(again.out, table_of(printed));
  }
}

TEST_F(ComparisonTable, IsShownAsResultsJsonForPrograms) {
  ASSERT_EQ(compare({"--policy", "gss", "--out", out}).exit_code, 0);
  EXPECT_EQ(run_equipoise({"show", out + "/results.json", "--json"}).out,
            read_text(out + "/results.json"));
  const ProgramRun refused = run_equipoise({"show", scratch.path("")});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.err.find("neither a run file nor a comparison"), std::string::npos);
}

TEST_F(ComparisonTable, IsSortedOnlyByColumnsThatThereAre) {
  const ProgramRun refused = compare({"--policy", "gss", "--sort", "speedups"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.err.find("--sort: unknown column 'speedups'; did you mean 'speedup'?"),
            std::string::npos)
      << refused.err;
}

TEST_F(ComparisonTable, SaysThatItCannotBeSortedByAColumnWithoutValues) {
  const ProgramRun run = compare({"--policy", "gss", "--sort", "energy_j"});
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_NE(run.err.find("--sort energy_j: no result of sim has a value there"), std::string::npos)
      << run.err;
}

TEST_F(ComparisonTable, LeavesOutWhatMakesTooManyBlocks) {
  // ss makes a block of each item; that is known beforehand.
  const ProgramRun known =
      compare({"--policy", "ss,gss", "--blocks-max", "500", "--best-known", "off"});
  EXPECT_EQ(known.exit_code, 0) << known.err;
  EXPECT_NE(known.err.find("ss is left out: a run of it makes more than 500 blocks, 1000; give it "
                           "a parameter for larger ones (see 'equipoise list policies ss'), or say "
                           "--blocks-max none\n"),
            std::string::npos)
      << known.err;
  EXPECT_EQ(known.out.find("\nss "), std::string::npos) << known.out;
  EXPECT_NE(known.out.find("\ngss "), std::string::npos) << known.out;
  // How many gss makes is seen only in its runs.
  const ProgramRun seen = compare(
      {"--policy", "gss", "--blocks-max", "10", "--best-known", "off", "--baseline", "static"});
  EXPECT_EQ(seen.exit_code, 0) << seen.err;
  EXPECT_NE(seen.err.find("gss is left out: a run of it makes more than 10 blocks; give"),
            std::string::npos)
      << seen.err;
  EXPECT_EQ(seen.out.find("\ngss "), std::string::npos) << seen.out;
  EXPECT_NE(seen.out.find("\nstatic "), std::string::npos) << seen.out;
  const ProgramRun all = compare({"--policy", "ss", "--blocks-max", "none"});
  EXPECT_NE(all.out.find("\nss "), std::string::npos) << all.out;
  EXPECT_EQ(compare({"--policy", "ss", "--blocks-max", "0"}).exit_code, 2);
}

TEST_F(ComparisonTable, LeavesOutOfAllWhatMakesAMillionBlocksUnlessItIsNamed) {
  const std::vector<std::string> quick = {"--policy",     "all", "--without",  "[a-rt-z]*,st*",
                                          "--best-known", "off", "--baseline", "gss"};
  const ProgramRun some = compare(quick, "1000001");
  EXPECT_EQ(some.exit_code, 0) << some.err;
  EXPECT_NE(some.err.find("ss is left out: a run of it makes more than 1000000 blocks, 1000001;"),
            std::string::npos)
      << some.err;
  EXPECT_NE(some.out.find("\ngss "), std::string::npos) << some.out;
}

TEST_F(ComparisonTable, LeavesOutOfAllWhatWithoutNames) {
  const ProgramRun some = compare({"--policy", "all", "--without", "ss,[a-fh-z]*", "--without",
                                   "greedy", "--best-known", "off"});
  EXPECT_EQ(some.exit_code, 0) << some.err;
  EXPECT_NE(some.out.find("\ngreedy "), std::string::npos) << "the baseline always runs";
  EXPECT_NE(some.out.find("\ngss "), std::string::npos) << some.out;
  EXPECT_EQ(some.out.find("\nss "), std::string::npos) << some.out;
  const ProgramRun unknown = compare({"--policy", "all", "--without", "gsss"});
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_NE(unknown.err.find("--without: unknown policy 'gsss'; did you mean 'gss'?"),
            std::string::npos)
      << unknown.err;
}

TEST_F(ComparisonTable, WarnsOnceOfEventsThatComeAfterAllRuns) {
  const std::string scenario = scratch.write(
      "s.json",
      R"({"schema":"equipoise.scenario/1","events":[{"at_s":100,"unit":"a","kind":"slow","factor":2},
          {"at_s":0.01,"unit":"b","kind":"slow","factor":2}]})");
  const std::string said =
      "s.json: 1 of 2 events took no effect: 'slow' of a comes at 100.0 s, and "
      "the last run ended at ";
  const ProgramRun compared = compare({"--policy", "gss", "--scenario", scenario});
  EXPECT_EQ(compared.exit_code, 0) << compared.err;
  const std::size_t at = compared.err.find(said);
  EXPECT_NE(at, std::string::npos) << compared.err;
  EXPECT_EQ(compared.err.find(said, at + 1), std::string::npos) << compared.err;
  const ProgramRun simulated = run_equipoise(
      with(with({"simulate"}, machine.words()),
           {"--workload", "k:items=1000", "--policy", "gss", "--scenario", scenario}));
  EXPECT_NE(simulated.err.find(said), std::string::npos) << simulated.err;
}

TEST_F(ComparisonTable, WarnsOfADispatchCostOfSecondsThatWasTypedWithoutAUnit) {
  const std::string said = "--dispatch-cost 5 is 5 s for each block; for microseconds write 5us";
  EXPECT_NE(compare({"--policy", "static", "--dispatch-cost", "5"}).err.find(said),
            std::string::npos);
  for (const char* const plain : {"5us", "5s", "5e-6"}) {
    EXPECT_EQ(compare({"--policy", "static", "--dispatch-cost", plain}).err.find("--dispatch-cost"),
              std::string::npos);
  }
}

TEST_F(ComparisonTable, WarnsOfAControllerCostOfSecondsThatWasTypedWithoutAUnit) {
  const std::string err = compare({"--policy", "static", "--controller-cost", "3us,5"}).err;
  EXPECT_NE(err.find("--controller-cost 5 is 5 s for each block; for microseconds write 5us"),
            std::string::npos)
      << err;
  EXPECT_EQ(
      compare({"--policy", "static", "--controller-cost", "3us,1us"}).err.find("--controller"),
      std::string::npos);
}

}  // namespace
}  // namespace equipoise::comparison_table_test
