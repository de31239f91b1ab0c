// Runs on a GPU: what the controller spends on a block, and how much the CPU adds. The units are
// those of the environment variables EQUIPOISE_GPU and EQUIPOISE_CPU (default: "cuda", "cpu").
#include <benchmark/benchmark.h>

#include <algorithm>
#include <ctime>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "real/kernels/catalog.hpp"
#include "shared_policies/policies/catalog.hpp"
#include "tests/bench/units_of_bench.hpp"
#include "tests/support/real_runs.hpp"

namespace equipoise {
namespace {

/// The time for which this thread has had a core.
double cpu_s() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Passes everything on to another executor, and adds up what the thread does beside waiting for
/// events.
class WatchedExecutor final : public Executor {
 public:
  explicit WatchedExecutor(Executor& executor) : executor_(executor) {}

  void run(const std::function<void()>& body) override {
    executor_.run([&] {
      const double begin = cpu_s();
      body();
      all_s_ = cpu_s() - begin;
    });
  }
  Seconds now() const override { return executor_.now(); }
  Seconds begin_iteration(int phase, int iteration) override {
    return executor_.begin_iteration(phase, iteration);
  }
  Seconds start(const Block& block, UnitId unit) override { return executor_.start(block, unit); }
  TakenBack take_back(const Block& block, UnitId unit) override {
    return executor_.take_back(block, unit);
  }
  Seconds probe(const Probe& probe, UnitId unit) override { return executor_.probe(probe, unit); }
  Seconds occupy(std::optional<UnitId> unit, Seconds span) override {
    return executor_.occupy(unit, span);
  }
  std::optional<Event> next(Seconds deadline) override {
    const double begin = cpu_s();
    std::optional<Event> event = executor_.next(deadline);
    waited_s_ += cpu_s() - begin;
    return event;
  }

  /// The time that the controller's thread had a core, less that for which it polled.
  [[nodiscard]] double busy_s() const { return all_s_ - waited_s_; }

 private:
  Executor& executor_;
  double all_s_ = 0.0;
  double waited_s_ = 0.0;
};

/// A run of `kernel` on `units` by `policy`.
struct Run {
  double makespan_s = 0.0;
  double controller_s = 0.0;  ///< what the controller's thread did beside waiting
  std::size_t blocks = 0;
};

/// Blocks have at most `block_items` items, if any are given.
Run run_kernel(const std::vector<std::string>& units, Kernel& kernel, Policy& policy,
               std::optional<Items> block_items = std::nullopt) {
  RealSetup real = setup_of(units, {&kernel});
  RunSetup setup;
  for (const UnitSpec& spec : real.units) setup.units.push_back(spec.unit);
  setup.phases = {kernel.workload()};
  if (block_items) {
    setup.phases[0].memory_bytes_per_item = 1.0;
    for (Unit& unit : setup.units) unit.memory_bytes = static_cast<double>(*block_items);
  }
  MemoryJournal journal;
  const auto executor = make_real_executor(std::move(real));
  WatchedExecutor watched(*executor);
  if (!run_policy(watched, policy, setup, journal).complete) {
    throw std::runtime_error("the run is incomplete");
  }
  Run run{0.0, watched.busy_s(), journal.blocks.size()};
  for (const BlockRecord& block : journal.blocks) {
    run.makespan_s = std::max(run.makespan_s, block.end.value);
  }
  return run;
}

std::unique_ptr<Policy> policy_called(const char* name) {
  return make_policy(*std::ranges::find(policy_catalog(), name, &PolicyInfo::name), {});
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

/// What the controller's thread does for a block beside waiting for events: pool, View, policy,
/// journal, and handing out. The GPU has three blocks in flight and so little memory that every
/// policy has the same blocks.
void controller(benchmark::State& state, const char* policy) {
  constexpr Items block_items = 400;
  const auto blocks = std::max<Items>(static_cast<Items>(5000 * size_of_bench()), 100);
  const std::string options = std::to_string(blocks * block_items);
  std::vector<double> s_per_block;
  try {
    const auto kernel = make_kernel("blackscholes", {{"options", options}}, "--workload");
    kernel->allocate(1);
    for (auto _ : state) {
      const auto made = policy_called(policy);
      const Run run =
          run_kernel({unit_of_bench("EQUIPOISE_GPU", "cuda")}, *kernel, *made, block_items);
      s_per_block.push_back(run.controller_s / static_cast<double>(run.blocks));
    }
  } catch (const std::exception& failure) {
    state.SkipWithError(failure.what());
    return;
  }
  state.counters["s_per_block"] = median(s_per_block);
}
BENCHMARK_CAPTURE(controller, greedy, "greedy")->Unit(benchmark::kMillisecond)->Iterations(3);
BENCHMARK_CAPTURE(controller, equipoise, "equipoise")->Unit(benchmark::kMillisecond)->Iterations(3);

/// A kernel whose items are counted by a parameter.
struct Counted {
  const char* kernel;
  const char* parameter;
  double items;
};

/// Items per second on `units` by our policy, the best of three runs.
double items_per_s(const Counted& counted, const std::vector<std::string>& units, double share) {
  const auto items = static_cast<Items>(counted.items * share * size_of_bench());
  const auto kernel =
      make_kernel(counted.kernel, {{counted.parameter, std::to_string(items)}}, "--workload");
  kernel->allocate(1);
  double best = 0.0;
  for (int i = 0; i < 3; ++i) {
    const auto policy = policy_called("equipoise");
    const Run run = run_kernel(units, *kernel, *policy);
    best = std::max(best, static_cast<double>(kernel->workload().items) / run.makespan_s);
  }
  return best;
}

/// The speed of GPU and CPU together over the sum of their speeds alone. The CPU alone computes a
/// part of the items, because it may be much slower.
void together(benchmark::State& state, const Counted& counted) {
  constexpr double cpu_share = 1.0 / 16.0;
  const std::string gpu = unit_of_bench("EQUIPOISE_GPU", "cuda");
  const std::string cpu = unit_of_bench("EQUIPOISE_CPU", "cpu");
  try {
    for (auto _ : state) {
      const double gpu_rate = items_per_s(counted, {gpu}, 1.0);
      const double cpu_rate = items_per_s(counted, {cpu}, cpu_share);
      const double both_rate = items_per_s(counted, {gpu, cpu}, 1.0);
      state.counters["efficiency"] = both_rate / (gpu_rate + cpu_rate);
      state.counters["cpu_share"] = cpu_rate / (gpu_rate + cpu_rate);
    }
  } catch (const std::exception& failure) {
    state.SkipWithError(failure.what());
  }
}
BENCHMARK_CAPTURE(together, binomial, Counted{"binomial", "options", 4e6})->Iterations(1);
BENCHMARK_CAPTURE(together, blackscholes, Counted{"blackscholes", "options", 2e7})->Iterations(1);
BENCHMARK_CAPTURE(together, mandelbrot, Counted{"mandelbrot", "height", 16384})->Iterations(1);
BENCHMARK_CAPTURE(together, taylor, Counted{"taylor", "points", 2e7})->Iterations(1);

}  // namespace
}  // namespace equipoise
