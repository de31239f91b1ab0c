// Tests of work that commands do, on real units: where results go, what counts, and what failures
// cost.
#include "real/commands/command_kernel.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "shared_policies/model/failure.hpp"
#include "tests/support/real_runs.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/script.hpp"

namespace equipoise::command_kernel_test {
namespace {

namespace fs = std::filesystem;

/// Work of 12 items. `words`: of the command in a process for each block.
CommandWork exec_work(std::vector<std::string> words) {
  CommandWork work;
  work.name = "work";
  work.items = 12;
  work.all.words = std::move(words);
  return work;
}

/// Each item leaves a line with its number.
CommandWork numbers() { return exec_work({"sh", "-c", "seq {first} {last} >{out}"}); }

CommandWork serving(const std::string& body) {
  CommandWork work = exec_work({"sh", "-c", body});
  work.mode = CommandMode::serve;
  return work;
}

/// A run of all of `work` in blocks of `block_items`.
struct WorkRun {
  WorkRun(CommandWork work, const std::vector<std::string>& units, Items block_items)
      : kernel(make_command_kernel(std::move(work))) {
    kernel->allocate(1);
    RealSetup setup = setup_of(units, {kernel.get()});
    setup.warn = [this](const std::string& warning) { warnings += warning + "\n"; };
    outcome = run_all(std::move(setup), block_items, journal);
  }

  /// The names of what is among the results.
  [[nodiscard]] std::set<std::string> names() const {
    std::set<std::string> all;
    for (const fs::directory_entry& one : fs::directory_iterator(kernel->results_folder())) {
      all.insert(one.path().filename());
    }
    all.erase(".equipoise");
    return all;
  }
  [[nodiscard]] std::string text(const std::string& name) const {
    return text_in(kernel->results_folder() + "/" + name);
  }

  std::unique_ptr<Kernel> kernel;
  MemoryJournal journal;
  RunOutcome outcome;
  std::string warnings;
};

TEST(CommandKernel, MovesTheOutputOfEachBlockToTheResults) {
  const WorkRun run(numbers(), {"cpu", "external"}, 5);
  EXPECT_TRUE(run.outcome.complete);
  EXPECT_EQ(run.names(), (std::set<std::string>{"00-04", "05-09", "10-11"}));
  EXPECT_EQ(run.text("10-11"), "10\n11\n");
  EXPECT_TRUE(fs::is_empty(run.kernel->results_folder() + "/.equipoise/blocks"));
}

TEST(CommandKernel, MakesAFolderWhereTheCommandNamesAFileInIt) {
  const WorkRun run(exec_work({"sh", "-c", "touch {out}/item{first}"}), {"cpu"}, 6);
  EXPECT_EQ(run.names(), (std::set<std::string>{"00-05", "06-11"}));
  EXPECT_TRUE(fs::exists(run.kernel->results_folder() + "/06-11/item6"));
}

TEST(CommandKernel, FillsPlaceholdersIn) {
  CommandWork work =
      exec_work({"sh", "-c", "echo $V {unit} {index} {first} {last} {count} >{out}"});
  work.all.environment["V"] = "<{index}>";
  work.items = 2;
  const WorkRun run(work, {"external,id=big", "external,id=small"}, 1);
  EXPECT_EQ(run.text("0-0"), "<0> big 0 0 0 1\n");
  EXPECT_EQ(run.text("1-1"), "<1> small 1 1 1 1\n");
}

TEST(CommandKernel, UsesTheCommandOfTheFirstPatternThatMatches) {
  CommandWork work = numbers();
  work.items = 2;
  work.units = {{"b*", {{"sh", "-c", "echo pattern >{out}"}, {}}}, {"big", {{"false"}, {}}}};
  const WorkRun run(work, {"external,id=big", "external,id=small"}, 1);
  EXPECT_EQ(run.text("0-0"), "pattern\n");
  EXPECT_EQ(run.text("1-1"), "1\n");
}

TEST(CommandKernel, TellsACommandHowManyCoresItsUnitHas) {
  const WorkRun run(exec_work({"sh", "-c", "echo $OMP_NUM_THREADS; nproc >{out}"}), {"cpu"}, 12);
  EXPECT_EQ(run.text("00-11"), "1\n");
  EXPECT_EQ(run.text(".equipoise/cpu0.log"), "1\n");
}

TEST(CommandKernel, ReplacesResultsOfTheSameItems) {
  const TemporaryFolder scratch;
  // The first time a folder with a file, the second time a file.
  const std::string script = write_script(
      scratch, "twice", "if [ -e seen ]; then echo two >$1; else mkdir $1; touch $1/a seen; fi");
  CommandWork work = exec_work({script, "{out}"});
  work.folder = scratch.path("");
  work.items = 1;
  const auto kernel = make_command_kernel(work);
  kernel->allocate(1);
  const auto program = kernel->make_block_program({"cpu0", 0, {}});
  StagedBlock block;
  block.items = 1;
  const BlockWish wish{[] { return true; }, [] { return false; }};
  for (int time = 0; time < 2; ++time) {
    EXPECT_TRUE(program->compute(block, wish));
    program->keep_results(block);
  }
  EXPECT_EQ(text_in(kernel->results_folder() + "/0-0"), "two\n");
}

TEST(CommandKernel, KeepsNothingOfABlockThatDoesNotCount) {
  CommandWork work = numbers();
  const auto kernel = make_command_kernel(work);
  kernel->allocate(1);
  {
    const auto program = kernel->make_block_program({"cpu0", 0, {}});
    StagedBlock block;
    block.items = 1;
    EXPECT_TRUE(program->compute(block, {[] { return true; }, [] { return false; }}));
  }
  int files = 0;
  for (const auto& one : fs::recursive_directory_iterator(kernel->results_folder())) {
    files += one.is_regular_file() ? 1 : 0;
  }
  EXPECT_EQ(files, 0);
}

TEST(CommandKernel, KeepsTheResultsOfItemsOnceHoweverTheyAreCut) {
  const auto kernel = make_command_kernel(numbers());
  kernel->allocate(1);
  const auto program = kernel->make_block_program({"cpu0", 0, {}});
  for (const auto& [first, items] : {std::pair<Items, Items>{0, 6}, {6, 6}, {2, 2}, {4, 4}}) {
    StagedBlock block;
    block.first = first;
    block.items = items;
    ASSERT_TRUE(program->compute(block, {[] { return true; }, [] { return false; }}));
    program->keep_results(block);
  }
  std::set<std::string> names;
  for (const fs::directory_entry& one : fs::directory_iterator(kernel->results_folder())) {
    names.insert(one.path().filename());
  }
  EXPECT_EQ(names, (std::set<std::string>{".equipoise", "02-03", "04-07"}));
}

TEST(CommandKernel, RemovesATemporaryFolderWithTheKernelAndKeepsOneThatWasGiven) {
  const TemporaryFolder scratch;
  std::string temporary;
  {
    const WorkRun run(numbers(), {"cpu"}, 12);
    temporary = run.kernel->results_folder();
  }
  EXPECT_FALSE(fs::exists(temporary));
  const std::string given = scratch.path("new/results");
  {
    const auto kernel = make_command_kernel(numbers());
    kernel->keep_results_in(given, "--results");
    kernel->allocate(1);
    MemoryJournal journal;
    EXPECT_TRUE(run_all(setup_of({"cpu"}, {kernel.get()}), 12, journal).complete);
  }
  EXPECT_EQ(text_in(given + "/00-11").size(), 26u);
  EXPECT_FALSE(fs::exists(given + "/.equipoise"));
  const auto again = make_command_kernel(numbers());
  EXPECT_EQ(refusal_of([&] { again->keep_results_in(given, "--results"); }),
            "--results: " + given +
                " is there and not empty; give a new folder for the results, or remove it");
}

TEST(CommandKernel, DoesABlockAgainThatFailedOnce) {
  const TemporaryFolder scratch;
  const std::string script =
      write_script(scratch, "once", "[ -e $1 ] || { touch $1; echo no luck; exit 7; }");
  const WorkRun run(exec_work({script, scratch.path("seen")}), {"cpu"}, 4);
  EXPECT_TRUE(run.outcome.complete);
  EXPECT_EQ(run.journal.count<LostBlock>(), 1);
  EXPECT_EQ(run.warnings,
            "unit cpu0 could not do a block of 4 items: its command ended with exit code 7; its "
            "last words: no luck; from now on it gets at most 2\n");
}

TEST(CommandKernel, LosesAUnitWhoseCommandFailsTwice) {
  CommandWork work = numbers();
  work.units = {{"big", {{"sh", "-c", "echo broken >&2; kill -9 $$"}, {}}}};
  const WorkRun run(work, {"cpu", "external,id=big"}, 1);
  EXPECT_TRUE(run.outcome.complete);
  EXPECT_EQ(run.names().size(), 12u);
  EXPECT_NE(run.warnings.find("unit big is lost: its command ended with signal 9 (Killed); its "
                              "last words: broken; the others do its work"),
            std::string::npos)
      << run.warnings;
}

TEST(CommandKernel, EndsACommandThatTakesTooLong) {
  CommandWork work = exec_work({"sleep", "1000"});
  work.timeout = Seconds{0.05};
  const WorkRun run(work, {"cpu"}, 12);
  EXPECT_FALSE(run.outcome.complete);
  EXPECT_NE(run.warnings.find("its command took more than 0.05 s (timeout_s)"), std::string::npos)
      << run.warnings;
}

TEST(CommandKernel, ServesBlocksByOneProcessForEachUnit) {
  const WorkRun run(
      serving("echo $$ started >&2; while read f c; do seq $f $((f+c-1)) >{out}; echo done; done"),
      {"cpu", "external"}, 1);
  EXPECT_TRUE(run.outcome.complete);
  EXPECT_EQ(run.names().size(), 12u);
  EXPECT_EQ(run.text("11-11"), "11\n");
  for (const char* const unit : {"cpu0", "external0"}) {
    EXPECT_EQ(std::ranges::count(run.text(std::string(".equipoise/") + unit + ".log"), '\n'), 1);
  }
}

TEST(CommandKernel, WaitsForAServerThatSaysWhenItIsReady) {
  CommandWork work =
      serving("sleep 0.2; echo loading; echo ready; while read b; do echo done; done");
  work.says_ready = true;
  const WorkRun run(work, {"cpu"}, 12);
  ASSERT_EQ(run.journal.blocks.size(), 1u);
  EXPECT_LT(run.journal.blocks[0].times.compute, Seconds{0.2});
  EXPECT_EQ(run.text(".equipoise/cpu0.log"), "loading\n");
  work.all.words = {"sh", "-c", "echo no model; exit 5"};
  try {
    const WorkRun refused(work, {"cpu"}, 12);
    ADD_FAILURE() << "it started";
  } catch (const BackendError& failure) {
    EXPECT_STREQ(failure.what(),
                 "unit cpu0 cannot be started: its command ended before it was ready, with exit "
                 "code 5; its last words: no model");
  }
}

TEST(CommandKernel, GoesOnWithAServerThatSaysThatABlockFailed) {
  const WorkRun run(
      serving("n=0; while read f c; do n=$((n+1)); if [ $n = 2 ]; then echo failed no "
              "luck; else echo $f $n >{out}; echo done; fi; done"),
      {"cpu"}, 4);
  EXPECT_TRUE(run.outcome.complete);
  EXPECT_NE(run.warnings.find("its command says: failed no luck"), std::string::npos)
      << run.warnings;
  EXPECT_EQ(run.journal.count<LostBlock>(), 1);
  EXPECT_EQ(run.text("00-03"), "0 1\n");
}

TEST(CommandKernel, LosesAUnitWhoseServerAnswersTooOften) {
  CommandWork work = serving("while read f c; do echo done; echo done; done");
  const WorkRun run(work, {"cpu"}, 1);
  EXPECT_FALSE(run.outcome.complete);
  EXPECT_NE(run.warnings.find("its command answered more often than it was asked"),
            std::string::npos)
      << run.warnings;
}

TEST(CommandKernel, EndsAServerThatSaysOtherThingsForEver) {
  CommandWork work = serving("read b; while :; do echo still at it; done");
  work.timeout = Seconds{0.05};
  const WorkRun run(work, {"cpu"}, 12);
  EXPECT_FALSE(run.outcome.complete);
  EXPECT_NE(run.warnings.find("took more than 0.05 s"), std::string::npos) << run.warnings;
}

TEST(CommandKernel, LetsAServerEndItselfAfterItsLastBlock) {
  const TemporaryFolder scratch;
  const std::string left = scratch.path("left");
  {
    const WorkRun run(serving("while read b; do echo done; done; echo bye >" + left), {"cpu"}, 12);
    EXPECT_TRUE(run.outcome.complete);
  }
  EXPECT_EQ(text_in(left), "bye\n");
}

TEST(CommandKernel, StartsAServerAgainThatDied) {
  const TemporaryFolder scratch;
  const WorkRun run(serving("while read b; do [ -e " + scratch.path("seen") + " ] || { touch " +
                            scratch.path("seen") + "; exit 1; }; echo done; done"),
                    {"cpu"}, 4);
  EXPECT_TRUE(run.outcome.complete);
  EXPECT_EQ(run.journal.count<LostBlock>(), 1);
}

TEST(CommandKernel, IsUncheckedWithoutACheckAndJudgedByOneElse) {
  WorkRun run(numbers(), {"cpu"}, 12);
  EXPECT_TRUE(run.kernel->verify().passed);
  EXPECT_TRUE(run.kernel->verify().is_unchecked);
  CommandWork work = numbers();
  work.check = {"sh", "-c", "cat {results}/* | wc -l | grep -qx 12"};
  EXPECT_TRUE(WorkRun(work, {"cpu"}, 5).kernel->verify().passed);
  EXPECT_FALSE(WorkRun(work, {"cpu"}, 5).kernel->verify().is_unchecked);
  work.check = {"sh", "-c", "echo item 3 is wrong; exit 1"};
  const Verification judged = WorkRun(work, {"cpu"}, 5).kernel->verify();
  EXPECT_FALSE(judged.passed);
  EXPECT_EQ(judged.what, "the check ended with exit code 1; its last words: item 3 is wrong");
}

TEST(CommandKernel, RefusesUnitsThatCannotDoIt) {
  std::vector<std::unique_ptr<Kernel>> kernels;
  CommandWork work = numbers();
  work.units = {{"cpu*", work.all}};
  work.all.words.clear();
  kernels.push_back(make_command_kernel(work));
  check_programs(kernels, parse_units({"cpu"}));
  EXPECT_EQ(refusal_of([&] { check_programs(kernels, parse_units({"external,id=big"})); }),
            "--unit: the work file has no command for big; add \"run\" for all units, or a pattern "
            "to \"units\"");
  EXPECT_EQ(refusal_of([&] { check_programs(kernels, parse_units({"emulated"})); }),
            "--unit: emulated0 has no program for work; leave the unit out, or choose another "
            "kernel");
}

TEST(CommandKernel, DiffersByItsCommandsAndNotBySizeOrCheck) {
  const CommandWork work = numbers();
  CommandWork other = work;
  other.items = 5;
  other.check = {"true"};
  EXPECT_EQ(workload_of(work).problem, workload_of(other).problem);
  other.all.words.back() += " ";
  EXPECT_NE(workload_of(work).problem, workload_of(other).problem);
  other = work;
  other.mode = CommandMode::serve;
  EXPECT_NE(workload_of(work).problem, workload_of(other).problem);
  other = work;
  other.units = {{"gpu*", {{}, {{"A", "1"}}}}};
  EXPECT_NE(workload_of(work).problem, workload_of(other).problem);
}

}  // namespace
}  // namespace equipoise::command_kernel_test
