// How fast simulations are: blocks a second, beside a program that uses SimGrid without us.
//
// Every run has a process of its own; ours and the bare one take turns, so that their ratio is of
// one moment. Counters are medians: `ratio` is our blocks per second over the bare program's.
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "shared_policies/model/failure.hpp"
#include "shared_policies/run/journal.hpp"
#include "shared_policies/run/run_loop.hpp"
#include "sim/child_process.hpp"
#include "sim/sim_executor.hpp"
#include "tests/bench/bare_simgrid.hpp"
#include "tests/support/sim_platforms.hpp"

namespace equipoise {
namespace {

/// Gives every idle unit a block of one size.
class FixedBlocks final : public Policy {
 public:
  explicit FixedBlocks(Items items) : items_(items) {}

  void decide(const View& /*view*/, const Event& event, Decisions& decisions) override {
    if (const auto* idle = std::get_if<UnitIdle>(&event.what)) decisions.assign(idle->unit, items_);
  }

 private:
  Items items_;
};

/// Writes a line for every block, as a run file has it, and drops it.
class DroppedLines final : public Journal {
 public:
  DroppedLines() : file_(std::fopen("/dev/null", "w")) {}
  ~DroppedLines() override { std::fclose(file_); }

  [[nodiscard]] double end_s() const { return end_s_; }

  void block(const BlockRecord& record) override {
    end_s_ = record.end.value;
    line_.clear();
    fmt::format_to(std::back_inserter(line_),
                   "{{\"block\":{},\"unit\":{},\"iteration\":{},\"phase\":{},\"first_item\":{},"
                   "\"items\":{},\"assigned_s\":{},\"in_s\":{},\"compute_s\":{},\"out_s\":{},"
                   "\"end_s\":{},\"tag\":\"{}\"}}\n",
                   record.block.id, record.unit.index, record.block.iteration, record.block.phase,
                   record.block.first, record.block.items, record.assigned.value,
                   record.times.in.value, record.times.compute.value, record.times.out.value,
                   record.end.value, to_string(record.block.tag));
    std::fwrite(line_.data(), 1, line_.size(), file_);
  }
  void decision(const DecisionRecord& /*record*/) override {}
  void event(const EventRecord& /*record*/) override {}

 private:
  std::FILE* file_;
  fmt::memory_buffer line_;
  double end_s_ = 0.0;
};

struct Measured {
  double wall_s = 0.0;
  double simulated_s = 0.0;
  double peak_mib = 0.0;
};

/// Runs `simulate`, which returns the simulated time, in a child.
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

/// Only when it all ended.
class NoLines final : public Journal {
 public:
  void block(const BlockRecord& record) override { end_s_ = record.end.value; }
  void decision(const DecisionRecord& /*record*/) override {}
  void event(const EventRecord& /*record*/) override {}
  [[nodiscard]] double end_s() const { return end_s_; }

 private:
  double end_s_ = 0.0;
};

/// A whole run: policy, loop, simulator and a journal.
template <class SomeJournal>
double run_ours(const SimSetup& setup) {
  RunSetup run;
  for (const PlatformUnit& unit : setup.platform.units) run.units.push_back(unit.unit);
  run.phases = setup.phases;
  const std::unique_ptr<Executor> executor = make_sim_executor(setup);
  FixedBlocks policy(1);
  SomeJournal journal;
  const RunOutcome outcome = run_policy(*executor, policy, run, journal);
  if (!outcome.complete) throw BackendError("a measured run is not complete");
  return journal.end_s();
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

enum Kind {
  nothing_moves = 0,    ///< the bare program still sends a byte each way, over private links
  private_links = 1,    ///< of 1 GB/s
  one_shared_link = 2,  ///< which is in use half of the time
  full_shared_link = 3,
};

/// Bytes a block, in each direction.
double bytes_of(Kind kind) { return kind == nothing_moves ? 0.0 : 1e5; }

TestPlatform platform_of(Kind kind, int units) {
  TestPlatform platform;
  for (int i = 0; i < units; ++i) {
    TestUnit unit;
    // Units differ a little, so that they do not go in step.
    unit.per_item_s = 1e-3 * (1.0 + 0.001 * i / units);
    if (kind == nothing_moves || kind == private_links) {
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

/// Ours against the bare program, neither of which writes a journal. Arguments: kind of platform,
/// units, blocks.
void AgainstBare(benchmark::State& state) {
  const auto kind = static_cast<Kind>(state.range(0));
  const auto units = static_cast<int>(state.range(1));
  const auto blocks = static_cast<std::uint64_t>(state.range(2));
  const SimSetup setup = setup_of(kind, units, blocks);
  const BareWork bare = bare_of(kind, units, blocks, setup.platform_file);
  std::vector<double> ours_s;
  std::vector<double> bare_s;
  for (auto _ : state) {
    ours_s.push_back(measure([&] { return run_ours<NoLines>(setup); }).wall_s);
    bare_s.push_back(measure([&] { return run_bare(bare); }).wall_s);
    state.SetIterationTime(ours_s.back());
  }
  state.counters["us_per_block"] = 1e6 * median(ours_s) / static_cast<double>(blocks);
  state.counters["bare_us_per_block"] = 1e6 * median(bare_s) / static_cast<double>(blocks);
  state.counters["ratio"] = median(bare_s) / median(ours_s);
}
BENCHMARK(AgainstBare)
    ->ArgNames({"kind", "units", "blocks"})
    ->Args({one_shared_link, 8, 100'000})
    ->Args({one_shared_link, 64, 100'000})
    ->Args({one_shared_link, 512, 40'000})
    ->Args({full_shared_link, 8, 100'000})
    ->Args({full_shared_link, 64, 40'000})
    ->Args({full_shared_link, 512, 8'000})
    ->Args({private_links, 8, 200'000})
    ->Args({private_links, 64, 200'000})
    ->Args({private_links, 512, 200'000})
    ->Args({nothing_moves, 8, 200'000})
    ->Args({nothing_moves, 64, 200'000})
    ->Args({nothing_moves, 512, 200'000})
    ->Iterations(5)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

/// Ours alone, with a journal: long runs, many units, and memory that does not grow with blocks.
/// Arguments as above.
void Simulated(benchmark::State& state) {
  const auto blocks = static_cast<std::uint64_t>(state.range(2));
  const SimSetup setup =
      setup_of(static_cast<Kind>(state.range(0)), static_cast<int>(state.range(1)), blocks);
  std::vector<double> peak_mib;
  for (auto _ : state) {
    const Measured ours = measure([&] { return run_ours<DroppedLines>(setup); });
    peak_mib.push_back(ours.peak_mib);
    state.SetIterationTime(ours.wall_s);
  }
  state.counters["peak_mib"] = median(peak_mib);
}
BENCHMARK(Simulated)
    ->ArgNames({"kind", "units", "blocks"})
    ->Args({nothing_moves, 28, 100'000})
    ->Args({nothing_moves, 28, 1'000'000})
    ->Args({nothing_moves, 4096, 1'000'000})
    ->Args({one_shared_link, 28, 100'000})
    ->Args({one_shared_link, 28, 1'000'000})
    ->Args({one_shared_link, 4096, 8'192})
    ->Iterations(3)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace equipoise
