// Tests of processes of the user's: how they start and end, what is read of them, and that nothing
// is left of them, whatever they do.
#include "real/commands/command_process.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "real/commands/process_guard.hpp"
#include "real/threads/this_thread.hpp"
#include "tests/support/script.hpp"

namespace equipoise::command_process_test {
namespace {

using namespace std::chrono_literals;
using Clock = CommandProcess::Clock;
using Waited = CommandProcess::Waited;

constexpr auto patience = 60s;

ProcessStart shell(const std::string& commands) { return {.words = {"sh", "-c", commands}}; }

bool always() { return true; }

/// Runs it to its end.
ProcessEnd end_of(const ProcessStart& start, ProcessWords& words) {
  CommandProcess process(start, words);
  EXPECT_EQ(process.wait(Clock::now() + patience, always), Waited::ended);
  return process.collect();
}

std::string words_of(const ProcessStart& start) {
  ProcessWords words;
  EXPECT_TRUE(end_of(start, words).is_success());
  return words.last();
}

std::string refusal_of_start(const ProcessStart& start) {
  ProcessWords words;
  try {
    const CommandProcess process(start, words);
  } catch (const std::runtime_error& refusal) {
    return refusal.what();
  }
  return "it started";
}

/// Whether a process with this number is there and is no zombie.
bool is_alive(const std::string& number) {
  const std::string status = text_in("/proc/" + number + "/stat");
  const std::size_t name_end = status.rfind(')');
  return name_end != std::string::npos && status.size() > name_end + 2 &&
         status[name_end + 2] != 'Z';
}

/// Waits until the file is there and has a line, which it returns.
std::string awaited_line(const std::string& path) {
  const auto deadline = Clock::now() + patience;
  while (Clock::now() < deadline) {
    const std::string text = text_in(path);
    if (text.ends_with('\n')) return text.substr(0, text.size() - 1);
    std::this_thread::sleep_for(1ms);
  }
  return "no line in " + path;
}

/// Waits until the process is gone.
bool has_gone(const std::string& number) {
  const auto deadline = Clock::now() + patience;
  while (Clock::now() < deadline) {
    if (!is_alive(number)) return true;
    std::this_thread::sleep_for(1ms);
  }
  return false;
}

TEST(CommandProcess, TellsExitCodesAndSignals) {
  ProcessWords words;
  EXPECT_TRUE(end_of(shell("true"), words).is_success());
  EXPECT_EQ(end_of(shell("exit 3"), words).text(), "exit code 3");
  EXPECT_EQ(end_of(shell("kill -9 $$"), words).text(), "signal 9 (Killed)");
}

TEST(CommandProcess, PassesWordsOnAsTheyAre) {
  const TemporaryFolder folder;
  const std::string script = write_script(folder, "a script's \"name\"", "printf '<%s>' \"$@\"");
  EXPECT_EQ(words_of({.words = {script, "a b", "", "c'd", "$HOME", "*"}}),
            "<a b><><c'd><$HOME><*>");
}

TEST(CommandProcess, StartsInItsFolderWithItsEnvironmentAndWithoutInput) {
  const TemporaryFolder folder;
  write_script(folder, "where", "basename \"$PWD\"; echo $EQUIPOISE_TEST; wc -c");
  EXPECT_EQ(words_of({.words = {"./where"},
                      .environment = {{"EQUIPOISE_TEST", "{a} b"}},
                      .folder = folder.path("")}),
            std::filesystem::path(folder.path("x")).parent_path().filename().string() + " {a} b 0");
}

TEST(CommandProcess, KeepsToItsCores) {
  const std::vector<int> cores = cores_of_this_thread();
  ProcessStart start = shell("grep Cpus_allowed_list /proc/self/status");
  start.cores = {cores.back()};
  EXPECT_EQ(words_of(start), "Cpus_allowed_list:\\x09" + std::to_string(cores.back()));
}

TEST(CommandProcess, HasNothingOpenOfThisProgram) {
  EXPECT_EQ(words_of(shell("ls /proc/self/fd | tr '\\n' ' '")), "0 1 2 3 ");  // 3: the folder
}

TEST(CommandProcess, SaysWhatCannotBeStartedAndWhatToDo) {
  const TemporaryFolder folder;
  EXPECT_EQ(refusal_of_start({.words = {"/no/such/program"}}),
            "cannot start /no/such/program: there is no such file; correct \"run\"");
  EXPECT_EQ(refusal_of_start({.words = {"no-such-program"}}),
            "cannot start no-such-program: there is no such program in PATH; write "
            "./no-such-program if it lies beside the work file");
  const std::string text = folder.path("text");
  folder.write("text", "echo hello\n");
  EXPECT_EQ(refusal_of_start({.words = {text}}),
            "cannot start " + text + ": it is no program; chmod +x it");
  chmod(text.c_str(), 0755);
  EXPECT_EQ(
      refusal_of_start({.words = {text}}),
      "cannot start " + text + ": a script begins with #!/bin/sh or the like; add such a line");
  EXPECT_EQ(refusal_of_start({.words = {"sh"}, .folder = "/no/such/folder"}),
            "cannot enter the folder /no/such/folder: No such file or directory");
}

TEST(CommandProcess, KeepsTheLastWordsOfAProcessThatWritesAGigabyte) {
  const TemporaryFolder folder;
  ProcessWords words(folder.path("log"));
  ASSERT_TRUE(
      end_of(shell("head -c 1000000000 /dev/zero | tr '\\0' x; echo; echo the end >&2"), words)
          .is_success());
  EXPECT_TRUE(words.last().ends_with("xxx the end")) << words.last();
  EXPECT_EQ(words.last().size(), 303u);
  EXPECT_EQ(std::filesystem::file_size(folder.path("log")), std::size_t{1} << 20);
}

TEST(CommandProcess, EndsWhatItsProcessLeavesInItsGroup) {
  const TemporaryFolder folder;
  ProcessWords words;
  ASSERT_TRUE(end_of(shell("sleep 1000 & echo $! >" + folder.path("child")), words).is_success());
  EXPECT_TRUE(has_gone(awaited_line(folder.path("child"))));
}

TEST(CommandProcess, EndsAProcessThatIgnoresTheWish) {
  const TemporaryFolder folder;
  ProcessWords words;
  const auto begin = Clock::now();
  {
    CommandProcess process(shell("trap '' TERM; sh -c 'trap \"\" TERM; echo $$ >" +
                                 folder.path("child") + "; sleep 1000' & wait; sleep 1000"),
                           words);
    static_cast<void>(awaited_line(folder.path("child")));
  }
  EXPECT_LT(Clock::now() - begin, patience);
  EXPECT_TRUE(has_gone(awaited_line(folder.path("child"))));
}

TEST(CommandProcess, LetsAProcessEndItselfWhenItIsAskedTo) {
  const TemporaryFolder folder;
  ProcessWords words;
  {
    CommandProcess process(
        shell("trap 'echo clean >" + folder.path("how") + "; exit' TERM; echo up >" +
              folder.path("up") + "; while :; do sleep 0.01; done"),
        words);
    static_cast<void>(awaited_line(folder.path("up")));
  }
  EXPECT_EQ(text_in(folder.path("how")), "clean\n");
}

TEST(CommandProcess, WaitsNoLongerThanAskedOrWanted) {
  ProcessWords words;
  CommandProcess process(shell("sleep 1000"), words);
  EXPECT_EQ(process.wait(Clock::now() + 30ms, always), Waited::late);
  EXPECT_EQ(process.wait(Clock::now() + patience, [] { return false; }), Waited::unwanted);
}

TEST(CommandProcess, SpeaksWithAProcessLineByLine) {
  ProcessWords words;
  ProcessStart start =
      shell("while read a b; do echo \"note $a\" >&2; echo \"$b $a\"; done; exit 4");
  start.is_spoken_to = true;
  CommandProcess process(start, words);
  for (const std::string text : {"x 1", "y 2"}) {
    ASSERT_TRUE(process.say(text + "\n"));
    ASSERT_EQ(process.wait(Clock::now() + patience, always), Waited::line);
    EXPECT_EQ(process.line(), text.substr(2) + " " + text.substr(0, 1));
  }
}

TEST(CommandProcess, TellsWhenAProcessDoesNotListen) {
  ProcessWords words;
  ProcessStart start = shell("exec <&-; echo closed; sleep 1000");
  start.is_spoken_to = true;
  CommandProcess process(start, words);
  ASSERT_EQ(process.wait(Clock::now() + patience, always), Waited::line);
  EXPECT_FALSE(process.say("hello\n"));
}

TEST(CommandProcess, CountsTheTimeOfItsProcesses) {
  const double before_s = commands_cpu_seconds();
  ProcessWords words;
  // 20,000 rounds of a shell take milliseconds at least.
  ASSERT_TRUE(
      end_of(shell("i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done"), words).is_success());
  EXPECT_GT(commands_cpu_seconds(), before_s + 1e-3);
}

/// In a process of its own, starts a command, which writes its number to `file`, and remembers
/// `folder`; then is killed.
void start_and_be_killed(const std::string& file, const std::string& folder) {
  const pid_t child = fork();
  if (child == 0) {
    ProcessWords words;
    const CommandProcess process(shell("sleep 1000 & echo $$ >" + file + "; wait"), words);
    process_guard::remember_folder(folder);
    static_cast<void>(awaited_line(file));
    kill(getpid(), SIGKILL);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status));
}

TEST(ProcessGuard, EndsCommandsAndRemovesTheirFolderWhenTheProgramIsKilled) {
  const TemporaryFolder folder;
  const std::string results = folder.path("results");
  folder.write("results/file", "text\n");
  start_and_be_killed(folder.path("number"), results);
  EXPECT_TRUE(has_gone(awaited_line(folder.path("number"))));
  const auto deadline = Clock::now() + patience;
  while (std::filesystem::exists(results) && Clock::now() < deadline) {
    std::this_thread::sleep_for(1ms);
  }
  EXPECT_FALSE(std::filesystem::exists(results));
}

}  // namespace
}  // namespace equipoise::command_process_test
