// What a block of own work costs beyond its command: a process for each block beside posix_spawn of
// the same program, and a process that serves beside a bare pipe to it.
#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <memory>
#include <string>
#include <utility>

#include "real/commands/command_kernel.hpp"

extern char** environ;  // NOLINT(readability-redundant-declaration): the name POSIX gives it

namespace equipoise {
namespace {

// A server that answers each line at once.
constexpr const char* server = "exec sed -u s/.*/done/";

/// Blocks of one item, done by the program of a unit as in a run.
class Blocks {
 public:
  Blocks(CommandMode mode, std::vector<std::string> words) {
    CommandWork work;
    work.name = "bench";
    work.items = 1;
    work.mode = mode;
    work.all.words = std::move(words);
    kernel_ = make_command_kernel(std::move(work));
    kernel_->allocate(1);
    program_ = kernel_->make_block_program({"cpu0", 0, {}});
    program_->come_up();
    block_.items = 1;
  }
  void do_one() {
    benchmark::DoNotOptimize(
        program_->compute(block_, {[] { return true; }, [] { return false; }}));
    program_->keep_results(block_);
  }

 private:
  std::unique_ptr<Kernel> kernel_;
  std::unique_ptr<BlockProgram> program_;
  StagedBlock block_;
};

void command_exec(benchmark::State& state) {
  Blocks blocks(CommandMode::exec, {"true"});
  for (auto _ : state) blocks.do_one();
}

void command_exec_bare(benchmark::State& state) {
  std::string name = "true";
  char* words[] = {name.data(), nullptr};
  for (auto _ : state) {
    pid_t process = 0;
    if (posix_spawnp(&process, "true", nullptr, nullptr, words, environ) != 0) {
      state.SkipWithError("true cannot be started");
      return;
    }
    waitpid(process, nullptr, 0);
  }
}

void command_serve(benchmark::State& state) {
  Blocks blocks(CommandMode::serve, {"sh", "-c", server});
  for (auto _ : state) blocks.do_one();
}

void command_serve_bare(benchmark::State& state) {
  int to[2];
  int from[2];
  if (pipe2(to, O_CLOEXEC) != 0 || pipe2(from, O_CLOEXEC) != 0) {
    state.SkipWithError("no pipes");
    return;
  }
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, to[0], 0);
  posix_spawn_file_actions_adddup2(&actions, from[1], 1);
  std::string sh = "sh", option = "-c", text = server;
  char* words[] = {sh.data(), option.data(), text.data(), nullptr};
  pid_t process = 0;
  posix_spawnp(&process, "sh", &actions, nullptr, words, environ);
  posix_spawn_file_actions_destroy(&actions);
  close(to[0]);
  close(from[1]);
  constexpr const char* block = "0 1\n";
  std::array<char, 64> answer{};
  for (auto _ : state) {
    if (write(to[1], block, std::strlen(block)) < 0 ||
        read(from[0], answer.data(), answer.size()) <= 0) {
      state.SkipWithError("the server has ended");
      break;
    }
  }
  close(to[1]);
  close(from[0]);
  waitpid(process, nullptr, 0);
}

BENCHMARK(command_exec)->UseRealTime();
BENCHMARK(command_exec_bare)->UseRealTime();
BENCHMARK(command_serve)->UseRealTime();
BENCHMARK(command_serve_bare)->UseRealTime();

}  // namespace
}  // namespace equipoise
