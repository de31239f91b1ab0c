// How fast simulations are, in blocks per second, compared with a program that uses SimGrid
// directly.
//
// Every run has its own process. Our runs and the bare program's alternate, so that both see the
// same state of the machine. Counters are medians: `ratio` is our blocks per second over the bare
// program's.
#include <benchmark/benchmark.h>
#include <dlfcn.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "shared_policies/model/failure.hpp"
#include "shared_policies/run/journal.hpp"
#include "shared_policies/run/run_loop.hpp"
#include "sim/child_process.hpp"
#include "sim/sim_executor.hpp"
#include "tests/bench/bare_simgrid.hpp"
#include "tests/support/program.hpp"
#include "tests/support/scripted.hpp"
#include "tests/support/sim_platforms.hpp"
#include "traces/journal_file.hpp"

namespace equipoise {
namespace {

struct Measured {
  double wall_s = 0.0;
  double simulated_s = 0.0;
  double peak_mib = 0.0;
};

/// Runs `simulate`, which returns the simulated time, in a child process.
template <class Simulate>
Measured measure(Simulate&& simulate) {
  ChildProcess child([&](int fd) {
    const auto begin = std::chrono::steady_clock::now();
    const double simulated_s = simulate();
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin;
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    return write_all(fd, fmt::format("{} {} {}", wall.count(), simulated_s,
                                     static_cast<double>(usage.ru_maxrss) / 1024.0))
               ? 0
               : 1;
  });
  const ChildProcess::Outcome outcome = child.wait();
  Measured measured;
  if (!outcome.succeeded() || std::sscanf(outcome.output.c_str(), "%lf %lf %lf", &measured.wall_s,
                                          &measured.simulated_s, &measured.peak_mib) != 3) {
    throw BackendError("a measured child failed");
  }
  return measured;
}

/// A journal that keeps only the end of the last block.
class EndOnlyJournal final : public Journal {
 public:
  void block(const BlockRecord& record) override { end_s_ = record.end.value; }
  void decision(const DecisionRecord& /*record*/) override {}
  void event(const EventRecord& /*record*/) override {}
  [[nodiscard]] double end_s() const { return end_s_; }

 private:
  double end_s_ = 0.0;
};

/// A whole run with policy, run loop and simulator.
void run_ours(const SimSetup& setup, Journal& journal) {
  RunSetup run;
  for (const PlatformUnit& unit : setup.platform.units) run.units.push_back(unit.unit);
  run.phases = setup.phases;
  const std::unique_ptr<Executor> executor = make_sim_executor(setup);
  Scripted policy = pieces_of(1);
  const RunOutcome outcome = run_policy(*executor, policy, run, journal);
  if (!outcome.complete) throw BackendError("a measured run is not complete");
}

double run_without_journal(const SimSetup& setup) {
  EndOnlyJournal journal;
  run_ours(setup, journal);
  return journal.end_s();
}

/// A run that writes the run file that the program would write.
double run_with_journal(const SimSetup& setup) {
  std::vector<std::string> names;
  for (const PlatformUnit& unit : setup.platform.units) names.push_back(unit.unit.name);
  const std::string path = fmt::format("{}/equipoise-bench-{}.jsonl",
                                       std::filesystem::temp_directory_path().string(), ::getpid());
  const std::unique_ptr<JournalFile> journal = make_journal_file(path, "{}", names);
  run_ours(setup, *journal);
  journal->finish("{}");
  std::filesystem::remove(path);
  return 0.0;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

enum Kind {
  no_transfers,     ///< the bare program still sends one byte each way, over private links
  private_links,    ///< of 1 GB/s each
  one_shared_link,  ///< busy half of the time
  full_shared_link,
};

/// Bytes of a block in each direction.
double bytes_of(Kind kind) { return kind == no_transfers ? 0.0 : 1e5; }

TestPlatform platform_of(Kind kind, int units) {
  TestPlatform platform;
  for (int i = 0; i < units; ++i) {
    TestUnit unit;
    // Units differ a little, so that they do not run in lockstep.
    unit.per_item_s = 1e-3 * (1.0 + 0.001 * i / units);
    if (kind == no_transfers || kind == private_links) {
      unit.bandwidth = 1e9;
      unit.latency_s = 1e-5;
    }
    platform.units.push_back(unit);
  }
  if (kind == one_shared_link || kind == full_shared_link) {
    platform.shared_bandwidth = (kind == one_shared_link ? 4e8 : 1e8) * units;
    platform.shared_latency_s = 1e-5;
  }
  return platform;
}

SimSetup setup_of(Kind kind, int units, std::uint64_t blocks) {
  Workload work;
  work.kernel = "bench";
  work.items = static_cast<Items>(blocks);
  work.in_bytes_per_item = work.out_bytes_per_item = bytes_of(kind);
  return sim_setup(platform_of(kind, units), {work});
}

BareWork bare_of(Kind kind, int units, std::uint64_t blocks, const std::string& platform_file) {
  const auto bytes = static_cast<std::uint64_t>(std::max(1.0, bytes_of(kind)));
  BareWork bare{platform_file, {}, blocks, bytes, bytes};
  for (const TestUnit& unit : platform_of(kind, units).units) {
    bare.compute_s.push_back(unit.per_item_s);
  }
  return bare;
}

RunBare* bare_program() {
  void* const file =
      ::dlopen(module_file("equipoise_bare_simgrid", "tests").c_str(), RTLD_LAZY | RTLD_LOCAL);
  void* const function = file == nullptr ? nullptr : ::dlsym(file, "run_bare");
  if (function == nullptr) throw BackendError(::dlerror());
  return reinterpret_cast<RunBare*>(function);
}

/// Our simulator against the bare program. Neither writes a journal.
void sim_against_bare(benchmark::State& state, Kind kind) {
  const auto units = static_cast<int>(state.range(0));
  const auto blocks = static_cast<std::uint64_t>(state.range(1));
  const SimSetup setup = setup_of(kind, units, blocks);
  const BareWork bare = bare_of(kind, units, blocks, setup.source.file);
  std::vector<double> ours_s;
  RunBare* const run_bare = bare_program();
  std::vector<double> bare_s;
  for (auto _ : state) {
    ours_s.push_back(measure([&] { return run_without_journal(setup); }).wall_s);
    bare_s.push_back(measure([&] { return run_bare(bare); }).wall_s);
    state.SetIterationTime(ours_s.back());
  }
  state.counters["us_per_block"] = 1e6 * median(ours_s) / static_cast<double>(blocks);
  state.counters["bare_us_per_block"] = 1e6 * median(bare_s) / static_cast<double>(blocks);
  state.counters["ratio"] = median(bare_s) / median(ours_s);
}

/// Our simulator alone, with its run file: long runs and many units. Memory must not grow with the
/// number of blocks.
void sim_with_run_file(benchmark::State& state, Kind kind) {
  const auto blocks = static_cast<std::uint64_t>(state.range(1));
  const SimSetup setup = setup_of(kind, static_cast<int>(state.range(0)), blocks);
  std::vector<double> peak_mib;
  for (auto _ : state) {
    const Measured ours = measure([&] { return run_with_journal(setup); });
    peak_mib.push_back(ours.peak_mib);
    state.SetIterationTime(ours.wall_s);
  }
  state.counters["peak_mib"] = median(peak_mib);
}

using Sizes = std::vector<std::pair<int, int>>;  ///< units, blocks

void with_sizes(benchmark::internal::Benchmark* benchmark, int iterations, const Sizes& sizes) {
  benchmark->ArgNames({"units", "blocks"});
  for (const auto& [units, blocks] : sizes) benchmark->Args({units, blocks});
  benchmark->Iterations(iterations)->UseManualTime()->Unit(benchmark::kMillisecond);
}

void few_blocks(benchmark::internal::Benchmark* benchmark) {
  with_sizes(benchmark, 5, {{8, 100'000}, {64, 40'000}, {512, 8'000}});
}

void many_blocks(benchmark::internal::Benchmark* benchmark) {
  with_sizes(benchmark, 5, {{8, 200'000}, {64, 200'000}, {512, 200'000}});
}

void long_runs(benchmark::internal::Benchmark* benchmark) {
  with_sizes(benchmark, 3, {{28, 100'000}, {28, 1'000'000}, {4096, 1'000'000}});
}

void long_shared_runs(benchmark::internal::Benchmark* benchmark) {
  with_sizes(benchmark, 3, {{28, 100'000}, {28, 1'000'000}, {4096, 8'192}});
}

BENCHMARK_CAPTURE(sim_against_bare, one_shared_link, one_shared_link)->Apply(few_blocks);
BENCHMARK_CAPTURE(sim_against_bare, full_shared_link, full_shared_link)->Apply(few_blocks);
BENCHMARK_CAPTURE(sim_against_bare, private_links, private_links)->Apply(many_blocks);
BENCHMARK_CAPTURE(sim_against_bare, no_transfers, no_transfers)->Apply(many_blocks);
BENCHMARK_CAPTURE(sim_with_run_file, no_transfers, no_transfers)->Apply(long_runs);
BENCHMARK_CAPTURE(sim_with_run_file, one_shared_link, one_shared_link)->Apply(long_shared_runs);

}  // namespace
}  // namespace equipoise
