// Tests of the simulation server: what its simulations give, what they inherit, and who dies with
// whom.
#include "tools/simulations/simulations.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "shared_policies/model/failure.hpp"
#include "sim/child_process.hpp"
#include "tests/support/processes.hpp"
#include "tests/support/program.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/small_machine.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tools/search/schedule_search.hpp"
#include "tools/simulations/simulation_messages.hpp"
#include "tools/worlds/sim_machine_loading.hpp"

namespace equipoise::simulations_test {
namespace {

/// Waits until `is_so` returns true. Aborts the test program if that takes a minute.
void wait_until(const std::function<bool()>& is_so) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (!is_so()) {
    if (std::chrono::steady_clock::now() > end) std::abort();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

/// The only child of `parent`, waited for.
pid_t child_of(pid_t parent) {
  std::vector<pid_t> children;
  wait_until([&] {
    children = children_of(parent);
    return children.size() == 1;
  });
  return children.front();
}

class Simulations : public testing::Test {
 protected:
  [[nodiscard]] SimMachine world(const std::vector<std::string>& workloads = {"k:items=2000"}) {
    options.platform_file = machine.platform;
    options.trace_files = {machine.trace_k, machine.trace_l};
    options.workloads = workloads;
    return load_sim_machine(options);
  }

  [[nodiscard]] Simulation simulation(const SimMachine& in, const std::string& policy = "greedy",
                                      const std::string& journal_file = {}) const {
    return simulation_of(in, parse_policy(policy), options, 0, {journal_file});
  }

  /// A named pipe: a simulation that writes its run file there waits until the file is read.
  [[nodiscard]] std::string pipe(const std::string& name) const {
    std::string path = folder.path(name);
    if (::mkfifo(path.c_str(), 0600) != 0) std::abort();
    return path;
  }

  TemporaryFolder folder;
  SmallMachine machine{folder};
  RunOptions options;
};

/// A report as it is sent.
std::string sent(RunReport report) { return archived(Reply{0, std::move(report)}); }

/// What a child of this process that simulates would send.
std::string sent_by_a_child(const SimMachine& in, const Simulation& simulation) {
  ChildProcess child(
      [&](int fd) { return write_all(fd, sent(simulate_here(in, simulation, {}))) ? 0 : 1; });
  const ChildProcess::Outcome outcome = child.wait();
  EXPECT_TRUE(outcome.succeeded());
  return outcome.output;
}

TEST_F(Simulations, AreTheSameAsInAChildOfThisProcess) {
  SimMachine in = world({"k:items=2000,in_bytes_per_item=100", "l:items=500,iterations=2"});
  find_best_schedule(in, options);
  for (const char* policy : {"greedy", "static", "plb-hec", "equipoise", "optimum"}) {
    const Simulation one = simulation(in, policy);
    EXPECT_EQ(sent(run_simulation(one)), sent_by_a_child(in, one)) << policy;
  }
}

TEST_F(Simulations, AreOfTheirOwnWorldAndPhases) {
  const SimMachine both = world({"k:items=2000", "l:items=500"});
  const SimMachine one = world({"k:items=1000"});
  const std::vector<Simulation> asked = {simulation(both), simulation(one),
                                         simulation(first_phases(both, 1)), simulation(one)};
  std::vector<Items> items(asked.size());
  run_simulations(
      asked.size(), [&](std::size_t i) { return asked[i]; },
      [&](std::size_t i, const SimulationResult& result) {
        EXPECT_EQ(result.failure, "");
        items[i] = result.report.run.numbers.items;
      });
  EXPECT_EQ(items, (std::vector<Items>{2500, 1000, 2000, 1000}));
}

TEST_F(Simulations, HaveNothingToDoWithoutARun) {
  run_simulations(
      0, [](std::size_t) { return Simulation(); },
      [](std::size_t, const SimulationResult&) { FAIL(); });
}

TEST_F(Simulations, ThatCrashLeaveTheOthers) {
  const SimMachine in = world();
  SimInputs inputs = *in.inputs;
  inputs.platform.units.front().unit.memory_bytes = 1.0;  // less than a grain: a bug
  inputs.phases.front().memory_bytes_per_item = 2.0;
  const SimMachine broken = make_sim_machine(std::make_shared<const SimInputs>(std::move(inputs)));
  std::vector<std::string> failures(4, "not ended");
  run_simulations(
      failures.size(), [&](std::size_t i) { return simulation(i == 1 ? broken : in); },
      [&](std::size_t i, SimulationResult result) { failures[i] = std::move(result.failure); });
  EXPECT_EQ(failures,
            (std::vector<std::string>{"", "its process died of signal 6 (Aborted)", "", ""}));
  EXPECT_THROW(static_cast<void>(run_simulation(simulation(broken))), BackendError);
}

TEST_F(Simulations, ThatRefuseTheirInputSayWhere) {
  const SimMachine in = world();
  options.decision_cost = "much";
  const std::string refusal =
      refusal_of([&] { static_cast<void>(run_simulation(simulation(in))); });
  EXPECT_TRUE(refusal.starts_with("--decision-cost: ")) << refusal;
}

TEST_F(Simulations, AreKilledWhenTheirCallerGivesUpAndTheServerGoesOn) {
  const SimMachine in = world();
  const pid_t server = child_of(::getpid());
  const std::string never_read = pipe("r.jsonl");
  const auto give_up = [](std::size_t, const SimulationResult&) {
    throw std::runtime_error("enough");
  };
  EXPECT_THROW(
      run_simulations(
          2, [&](std::size_t i) { return simulation(in, "greedy", i == 0 ? "" : never_read); },
          give_up),
      std::runtime_error);
  EXPECT_TRUE(run_simulation(simulation(in)).run.verified);
  wait_until([&] { return children_of(server).empty(); });
}

TEST_F(Simulations, InheritNothingThatWasOpenedOrSetAfterTheServerWasStarted) {
  ::setenv("SET_BEFORE", "yes", 1);
  const SimMachine in = world();
  const pid_t server = child_of(::getpid());
  ::setenv("SET_AFTER", "yes", 1);
  const std::string opened = folder.write("device", "");
  ASSERT_GE(::open(opened.c_str(), O_RDONLY), 0);  // inherited by every process that is forked
  const std::string journal = pipe("r.jsonl");
  std::vector<std::string> files;
  std::string environment;
  std::thread watcher([&] {
    const pid_t process = child_of(server);
    files = open_files_of(process);
    std::ifstream variables("/proc/" + std::to_string(process) + "/environ");
    environment.assign(std::istreambuf_iterator<char>(variables), {});
    static_cast<void>(read_text(journal));
  });
  EXPECT_TRUE(run_simulation(simulation(in, "greedy", journal)).run.verified);
  watcher.join();
  EXPECT_FALSE(files.empty());
  EXPECT_EQ(std::ranges::find(files, opened), files.end());
  EXPECT_NE(environment.find("SET_BEFORE=yes"), std::string::npos);
  EXPECT_EQ(environment.find("SET_AFTER"), std::string::npos);
}

TEST_F(Simulations, LeaveTheTerminalsCtrlCToTheMainProcess) {
  const SimMachine in = world();
  const pid_t server = child_of(::getpid());
  const std::string journal = pipe("r.jsonl");
  std::thread terminal([&] {
    const pid_t process = child_of(server);
    for (const int signal : {SIGINT, SIGTERM}) {
      ::kill(server, signal);
      ::kill(process, signal);
    }
    static_cast<void>(read_text(journal));
  });
  EXPECT_TRUE(run_simulation(simulation(in, "greedy", journal)).run.verified);
  terminal.join();
}

TEST_F(Simulations, NeedNoFileThatWasReadBefore) {
  const SimMachine in = world();
  const PolicyChoice policy = parse_policy("static:profile=" + machine.trace_l);
  const PolicyChoice by_own_trace = parse_policy("static");
  const SimMachine other = world({"l:items=2000"});
  for (const std::string& file : {machine.platform, machine.trace_k, machine.trace_l}) {
    std::filesystem::remove(file);
  }
  const RunReport informed = run_simulation(simulation_of(other, policy, options));
  EXPECT_EQ(sent(informed), sent(run_simulation(simulation_of(other, by_own_trace, options))));
}

TEST_F(Simulations, FailClearlyWhenTheServerHasDied) {
  const SimMachine in = world();
  ::kill(child_of(::getpid()), SIGKILL);
  for (int time = 0; time < 2; ++time) {
    try {
      static_cast<void>(run_simulation(simulation(in)));
      FAIL();
    } catch (const BackendError& failure) {
      EXPECT_STREQ(failure.what(),
                   "cannot simulate: the simulation server died of signal 9 (Killed); make sure "
                   "that memory suffices and nothing ends it, and start again");
    }
  }
}

TEST_F(Simulations, DieWithTheMainProcess) {
  // The simulation writes more than fits in the pipe, of which nothing is read.
  const std::string journal = pipe("r.jsonl");
  pollfd begun{::open(journal.c_str(), O_RDONLY | O_NONBLOCK), POLLIN, 0};
  std::array<pid_t, 3> processes{};  // the main process, its server, the simulation
  const ProgramRun run = signal_equipoise(
      with(with({"simulate"}, machine.words()),
           {"--workload", "k:items=1e6", "--policy", "greedy:pieces=1e6", "--out", journal}),
      SIGKILL, [&] {
        if (::poll(&begun, 1, 0) != 1) return false;
        pid_t parent = ::getpid();
        for (pid_t& process : processes) parent = process = child_of(parent);
        return true;
      });
  EXPECT_EQ(run.exit_code, -SIGKILL);
  for (const pid_t process : processes) {
    EXPECT_GT(process, 0);
    wait_until([process] { return !facts_of(process).lives(); });
  }
  ::close(begun.fd);
}

TEST(Program, HasNoCommandOfItsServerForUsers) {
  for (const char* socket : {"0", "99", "here"}) {
    EXPECT_EQ(run_equipoise({"serve-simulations", socket}).exit_code, 2);
  }
  EXPECT_EQ(run_equipoise({"--help"}).out.find("serve"), std::string::npos);
}

}  // namespace
}  // namespace equipoise::simulations_test
