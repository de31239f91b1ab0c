// Tests of policies in libraries: what loads, what is refused and how, and the contract on them.
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/places.hpp"
#include "tests/support/program.hpp"
#include "tests/support/temporary_folder.hpp"

namespace equipoise::own_policy_test {
namespace {

namespace fs = std::filesystem;

/// The library `name` that the build makes for these tests.
std::string library(const std::string& name) {
  return (folder_of_this_program() / "policies" / (name + ".so")).string();
}

const std::vector<std::string> sirocco = {"--platform", "platforms/sirocco.xml",
                                          "--trace",    "traces/sirocco-dgemm.jsonl",
                                          "--workload", "starpu_dgemm_gemm:items=2e5"};

class OwnPolicy : public testing::Test {
 protected:
  /// A copy of weighted-greedy.so in which `what` is replaced by `by`, which is as long.
  [[nodiscard]] std::string with(const std::string& what, const std::string& by) const {
    std::string bytes = read_text(greedy_);
    std::size_t found = 0;
    for (std::size_t at = bytes.find(what); at != std::string::npos; at = bytes.find(what, at)) {
      bytes.replace(at, what.size(), by);
      ++found;
    }
    EXPECT_GT(found, 0u) << what;
    return folder_.write("changed.so", bytes);
  }

  [[nodiscard]] ProgramRun simulate(const std::string& policy) const {
    return run_equipoise(equipoise::with({"simulate", "--policy", policy, "--out", out_}, sirocco));
  }

  /// Expects that a simulation with `policy` is refused at `where`, for a reason that contains
  /// `why`, and leaves no file.
  void expect_refusal(const std::string& policy, const std::string& where,
                      const std::string& why) const {
    const ProgramRun run = simulate(policy);
    EXPECT_EQ(run.exit_code, 2) << run.err;
    const std::string start = "equipoise: error: " + where + ": ";
    EXPECT_EQ(run.err.substr(0, start.size()), start);
    EXPECT_NE(run.err.find(why), std::string::npos) << run.err;
    EXPECT_EQ(lines_of(run.err).size(), 1u) << run.err;
    EXPECT_FALSE(fs::exists(out_));
  }

  /// The arguments of `simulate` on sirocco, or of `run` on a core.
  static std::vector<std::string> with_policy(const std::string& command,
                                              const std::string& policy) {
    const std::vector<std::string> core = {"--unit", "cpu,threads=1", "--workload",
                                           "blackscholes:options=1e4"};
    return equipoise::with({command, "--policy", policy}, command == "run" ? core : sirocco);
  }

  /// Expects that the command ended because of what the library did.
  static void expect_end(const ProgramRun& run, const std::string& library,
                         const std::string& why) {
    EXPECT_EQ(run.exit_code, 2);
    EXPECT_EQ(run.err, "equipoise: error: " + library + ": " + why + "\n");
  }

  TemporaryFolder folder_;
  std::string out_ = folder_.path("run.jsonl");
  std::string greedy_ = library("weighted-greedy");
  std::string unruly_ = library("unruly");
};

TEST_F(OwnPolicy, RunsInSimulationForRealAndInReplays) {
  const ProgramRun simulated = simulate(greedy_ + ":share=0.3");
  ASSERT_EQ(simulated.exit_code, 0) << simulated.err;
  EXPECT_NE(simulated.out.find("weighted-greedy:share=0.3: makespan "), std::string::npos)
      << simulated.out;
  const std::string header = lines_of(read_text(out_)).front();
  EXPECT_NE(header.find("\"spelling\":\"weighted-greedy:share=0.3\""), std::string::npos);
  EXPECT_NE(header.find("\"library\":\"" + greedy_ + "\""), std::string::npos);
  const ProgramRun checked = run_equipoise({"replay", out_, "--check"});
  EXPECT_EQ(checked.exit_code, 0) << checked.err;
  EXPECT_EQ(checked.err, "");
  EXPECT_EQ(run_equipoise({"replay", out_, "--decisions"}).exit_code, 0);

  const ProgramRun real = run_equipoise({"run", "--unit", "cpu,threads=1", "--workload",
                                         "blackscholes:options=1e5", "--policy", greedy_});
  EXPECT_EQ(real.exit_code, 0) << real.err;
}

TEST_F(OwnPolicy, DividesAmongNodesAndInEachNode) {
  // The master's time passes within its calls, and meanwhile agents call the library.
  const ProgramRun run = run_equipoise(
      {"simulate", "--platform", "platforms/gpu-clusters-3-100g.xml", "--trace",
       "traces/gpu-clusters-blackscholes.jsonl", "--workload", "blackscholes:options=2000",
       "--controller-cost", "6us,2us", "--policy", greedy_, "--per-node", greedy_, "--out", out_});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(run_equipoise({"replay", out_, "--check"}).exit_code, 0);
  const ProgramRun real =
      run_equipoise({"run", "--unit", "cpu,node=a", "--unit", "cpu,node=b", "--workload",
                     "blackscholes:options=2e4", "--policy", greedy_, "--per-node", greedy_});
  EXPECT_EQ(real.exit_code, 0) << real.err;
}

TEST_F(OwnPolicy, SaysThatAReplayHasAnotherLibrary) {
  const std::string mine = folder_.write("mine.so", read_text(greedy_));
  ASSERT_EQ(simulate(mine).exit_code, 0);
  folder_.write("mine.so", read_text(greedy_) + "newer");
  const ProgramRun checked = run_equipoise({"replay", out_, "--check"});
  EXPECT_EQ(checked.exit_code, 0) << checked.err;
  EXPECT_NE(checked.err.find("is not the library of the run (its hash was "), std::string::npos)
      << checked.err;
}

TEST_F(OwnPolicy, IsComparedUnderItsNameAndTheLibrarysIfThatDiffers) {
  const std::string old = folder_.write("old.so", read_text(greedy_));
  const std::string out = folder_.path("cmp");
  const ProgramRun run = run_equipoise(
      equipoise::with({"compare", "--policy", greedy_, "--policy", old + ":share=0.5", "--baseline",
                       greedy_, "--reps", "2", "--best-known", "off", "--out", out},
                      sirocco));
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(lines_of(run.out)[2].substr(0, 16), "weighted-greedy ");
  EXPECT_NE(run.out.find("\nweighted-greedy@old:share=0.5 "), std::string::npos) << run.out;
  // The baseline is the policy itself, and the other does the same.
  const std::string results = read_text(out + "/results.json");
  EXPECT_EQ(lines_of(results).size() > 10, true);
  EXPECT_NE(results.find("\"speedup_vs_baseline\": 1.0"), std::string::npos);
  EXPECT_NE(results.find("\"policy_libraries\""), std::string::npos);
  EXPECT_TRUE(fs::exists(out + "/runs/weighted-greedy-sim.jsonl"));
}

TEST_F(OwnPolicy, RefusesTwoLibrariesThatResultsWouldNotTellApart) {
  const std::string mine = folder_.write("weighted-greedy.so", read_text(greedy_) + "newer");
  const ProgramRun run = run_equipoise(
      equipoise::with({"compare", "--policy", greedy_, "--policy", mine, "--reps", "1"}, sirocco));
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_NE(run.err.find("would both be called weighted-greedy in results"), std::string::npos)
      << run.err;
}

TEST_F(OwnPolicy, IsListedWithItsParameters) {
  const ProgramRun run = run_equipoise({"list", "policies", greedy_});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(run.out.substr(0, 16), "weighted-greedy\n");
  EXPECT_NE(run.out.find("share"), std::string::npos);
  EXPECT_NE(run.out.find("0.5"), std::string::npos);
  const ProgramRun given = run_equipoise({"list", "policies", greedy_ + ":share=0.3"});
  EXPECT_NE(given.out.find("share=0.3"), std::string::npos) << given.out << given.err;
}

TEST_F(OwnPolicy, HasItsParametersChecked) {
  expect_refusal(greedy_ + ":shaer=0.3", "--policy", "'share'");
  expect_refusal(greedy_ + ":share=2", "--policy", "share");
}

TEST_F(OwnPolicy, IsRefusedIfTheFileIsNoneOfAPolicy) {
  expect_refusal("./nowhere.so", "./nowhere.so", "no such file");
  expect_refusal("nowhere.so", "nowhere.so", "no such file");
  const std::string text = folder_.write("text.so", "no library");
  expect_refusal(text, text, "is no shared library");
  const std::string other = module_file("equipoise_ipopt", "shared_policies");
  expect_refusal(other, other, "has no policy");
  const std::string without = with("equipoise_policy", "equipoise_polity");
  expect_refusal(without, without, "exports no function equipoise_policy");
}

TEST_F(OwnPolicy, IsRefusedIfItWasBuiltForAnotherVersion) {
  const std::string begin = "built for equipoise ";
  const std::string bytes = read_text(greedy_);
  const std::string version = bytes.substr(bytes.find(begin) + begin.size(), 5);
  const std::string older = with(begin + version, begin + "0.0.7");
  expect_refusal(older, older, "was built for equipoise 0.0.7, headers ");
  expect_refusal(older, older, "; this program is equipoise " + version);
  const std::string other_compiler = with(", libstdc++ 1", ", libstdc++ 9");
  expect_refusal(other_compiler, other_compiler, "; build the library again");
}

TEST_F(OwnPolicy, IsRefusedIfWhatItNeedsIsMissing) {
  const std::string changed = with("libstdc++.so.6", "libnowher.so.6");
  expect_refusal(changed, changed, "cannot be opened: libnowher.so.6: ");
}

TEST_F(OwnPolicy, IsRefusedIfItThrows) {
  const std::string nameless = library("nameless");
  expect_refusal(nameless, nameless, "threw while it told of its policy: no name yet");
  expect_refusal(unruly_ + ":does=throws_when_made", unruly_,
                 "threw while its policy was made: not made");
  expect_refusal(unruly_ + ":does=throws", unruly_,
                 "threw while it decided at 0 s: nothing comes to mind");
}

TEST_F(OwnPolicy, IsRefusedIfItEndsTheProgram) {
  const std::string why = "ended the program instead of answering; correct the policy";
  expect_end(simulate(unruly_ + ":does=exits"), unruly_, why);
  expect_end(run_equipoise(with_policy("run", unruly_ + ":does=exits")), unruly_, why);
  const ProgramRun at_once = simulate(unruly_ + ":does=exits_at_once");
  EXPECT_EQ(at_once.exit_code, 1);
  EXPECT_EQ(at_once.err, "equipoise: error: the simulation of " + unruly_ +
                             ":does=exits_at_once has no result: its process ended with 0 before "
                             "it had one\n");
}

TEST_F(OwnPolicy, LosesOnlyItsOwnRunsOfAComparisonIfItEndsTheProgram) {
  const ProgramRun run =
      run_equipoise(equipoise::with({"compare", "--policy", unruly_ + ":does=exits", "--policy",
                                     "gss", "--reps", "2", "--best-known", "off"},
                                    sirocco));
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_NE(run.err.find("unruly:does=exits, repetition 0: no result: " + unruly_ +
                         ": ended the program"),
            std::string::npos)
      << run.err;
  EXPECT_NE(run.out.find("\ngss "), std::string::npos) << run.out;
}

TEST_F(OwnPolicy, IsRefusedIfItNamesUnitsThatAreNotThere) {
  for (const char* deed : {"assigns_nowhere", "hides_failures"}) {
    expect_refusal(unruly_ + ":does=" + deed, unruly_,
                   "assigned items to a unit with index 12345 where there are 24 units; ");
  }
  expect_refusal(unruly_ + ":does=estimates_nowhere", unruly_,
                 "estimated the cost of a unit with index 12345 where ");
}

TEST_F(OwnPolicy, IsRefusedIfItDoesNotAnswer) {
  const std::string silent = library("silent");
  const std::string why =
      "has not answered for 0.5 s; correct the policy, or let it ask for more "
      "(answer_limit_s)";
  expect_end(simulate(silent), silent, why);
  expect_end(simulate(silent + ":when_made=true"), silent, why);
  expect_end(run_equipoise(with_policy("run", silent)), silent, why);
}

TEST_F(OwnPolicy, LetsTheUserStopThoughItDoesNotAnswer) {
  const std::string silent = library("silent-for-ever");
  const std::string sign = folder_.path("sign");
  const auto is_silent = [&] { return fs::exists(sign); };
  const std::string policy = silent + ":sign=" + sign;
  for (const int signal : {SIGINT, SIGTERM}) {
    for (const char* command : {"simulate", "run"}) {
      const ProgramRun run = signal_equipoise(with_policy(command, policy), signal, is_silent);
      EXPECT_EQ(run.exit_code, 128 + signal) << command << run.err;
      EXPECT_NE(run.err.find("interrupted"), std::string::npos) << command << run.err;
      fs::remove(sign);
    }
  }
}

TEST_F(OwnPolicy, MayProbeAndItsRunsAreCheckedRepeatedAndDrawn) {
  const std::string probing = library("probing");
  for (const char* command : {"simulate", "run"}) {
    SCOPED_TRACE(command);
    const ProgramRun run =
        run_equipoise(equipoise::with(with_policy(command, probing), {"--out", out_, "--quiet"}));
    ASSERT_EQ(run.exit_code, 0) << run.err;
    const auto count = [&](const std::string& path, const std::string& word) {
      std::size_t lines = 0;
      for (const std::string& line : lines_of(read_text(path))) {
        lines += line.starts_with("{\"event\":\"" + word + "\"") ? 1 : 0;
      }
      return lines;
    };
    const std::size_t units = std::string(command) == "run" ? 1 : 24;
    EXPECT_EQ(count(out_, "probe"), units);
    EXPECT_EQ(count(out_, "probed"), units);
    const ProgramRun check = run_equipoise({"replay", out_, "--check"});
    EXPECT_EQ(check.exit_code, 0) << check.out << check.err;
    const std::string again = folder_.path("again.jsonl");
    const ProgramRun repeated =
        run_equipoise({"replay", out_, "--decisions", "--out", again, "--quiet"});
    EXPECT_EQ(repeated.exit_code, 0) << repeated.err;
    EXPECT_EQ(count(again, "probed"), units);
    for (const char* format : {"--svg", "--csv", "--perfetto", "--paje"}) {
      const ProgramRun drawn = run_equipoise({"report", out_, format, folder_.path("drawn")});
      EXPECT_EQ(drawn.exit_code, 0) << drawn.err;
      fs::remove(folder_.path("drawn"));
    }
    fs::remove(out_);
    fs::remove(again);
  }
}

TEST_F(OwnPolicy, IsRefusedUnderANameOfOurs) {
  const std::string named = library("named-greedy");
  expect_refusal(named, named, "is called greedy, as one of Equipoise's own");
}

TEST_F(OwnPolicy, IsPartOfTheKeysOfASweep) {
  fs::create_directory(folder_.path("campaign"));
  folder_.write("campaign/mine.so", read_text(greedy_));
  const std::string campaign = folder_.write(
      "campaign/campaign.json",
      R"({
    "schema": "equipoise.campaign/1", "reps": 2, "reference": "./mine.so",
    "experiments": [{"name": "one", "platform": ")" +
          (repository() / "platforms/sirocco.xml").string() + R"(", "traces": [")" +
          (repository() / "traces/sirocco-dgemm.jsonl").string() +
          R"("], "workloads": ["starpu_dgemm_gemm:items=2e5"], "policies": ["./mine.so"]}]})");
  const std::string out = folder_.path("out");
  const auto points = [&] {
    const ProgramRun run = run_equipoise({"sweep", campaign, "--out", out, "--quiet"});
    EXPECT_EQ(run.exit_code, 0) << run.err;
    return lines_of(read_text(out + "/points.jsonl")).size();
  };
  const std::size_t first = points();
  EXPECT_EQ(points(), first);
  folder_.write("campaign/mine.so", read_text(greedy_) + "newer");
  EXPECT_EQ(points(), first + 2);  // not those of greedy, the baseline
}

class CheckPolicy : public OwnPolicy {
 protected:
  /// What `check policy` prints for an unruly policy, which breaks the promises of these names.
  static std::string broken(const std::string& deed, const std::string& names) {
    const ProgramRun run =
        run_equipoise({"check", "policy", library("unruly") + ":does=" + deed, "--machines", "10"});
    EXPECT_EQ(run.exit_code, 1) << deed << run.out;
    EXPECT_NE(run.err.find(": does not keep " + names + "; "), std::string::npos) << run.err;
    EXPECT_EQ(lines_of(run.err).size(), 1u) << run.err;
    return run.out;
  }
};

TEST_F(CheckPolicy, FindsNothingInAPolicyThatKeepsAll) {
  const ProgramRun run = run_equipoise({"check", "policy", greedy_, "--machines", "10"});
  EXPECT_EQ(run.exit_code, 0) << run.err << run.out;
  ASSERT_EQ(lines_of(run.out).size(), 7u) << run.out;
  for (const std::string& line : lines_of(run.out)) EXPECT_EQ(line.substr(0, 8), "kept    ");
  EXPECT_EQ(lines_of(run.out).front().substr(8, 12), "DoesAllItems");
}

TEST_F(CheckPolicy, NamesWhatAPolicyBreaks) {
  EXPECT_NE(broken("stalls",
                   "DoesAllItems, DoesPhases, SurvivesLosses, SurvivesScenarios, "
                   "UsesLateUnits, SurvivesTakeBacks")
                .find("the policy left work undone"),
            std::string::npos);
  EXPECT_NE(broken("hangs",
                   "DoesAllItems, DoesPhases, SurvivesLosses, SurvivesScenarios, "
                   "UsesLateUnits, SurvivesTakeBacks")
                .find("the policy left work undone"),
            std::string::npos)
      << "the run loop ends a policy that only sets timers";
  EXPECT_NE(broken("differs", "DecidesTheSame").find("in a repetition of the same run"),
            std::string::npos);
  const std::string all =
      "DoesAllItems, DoesPhases, SurvivesLosses, SurvivesScenarios, UsesLateUnits, "
      "SurvivesTakeBacks, DecidesTheSame";
  EXPECT_NE(broken("crashes", all).find("the policy crashed: signal 9 "), std::string::npos);
  EXPECT_NE(broken("throws", all).find("nothing comes to mind"), std::string::npos);
  EXPECT_NE(broken("exits", all).find("ended the program instead of answering"), std::string::npos);
  EXPECT_NE(broken("exits_at_once", all).find("the policy ended its process with 0"),
            std::string::npos);
  EXPECT_NE(broken("assigns_nowhere", all).find("a unit with index 12345"), std::string::npos);
}

TEST_F(CheckPolicy, DoesNotWaitForAPolicyThatNeverAnswers) {
  const ProgramRun run = run_equipoise({"check", "policy", library("silent"), "--machines", "1"});
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_NE(run.out.find("BROKEN  DoesAllItems "), std::string::npos) << run.out;
  EXPECT_NE(run.out.find("        has not answered for 0.5 s; "), std::string::npos) << run.out;
  const ProgramRun patient = run_equipoise(
      {"check", "policy", library("silent-for-ever"), "--machines", "1", "--seconds-max", "0.2"});
  EXPECT_EQ(patient.exit_code, 1);
  EXPECT_NE(patient.out.find("        did not end in 0.2 s; "), std::string::npos) << patient.out;
}

}  // namespace
}  // namespace equipoise::own_policy_test
