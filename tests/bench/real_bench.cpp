// How fast real runs are: the controller with empty blocks, kernels compared with what the machine
// can do, and two units together compared with the bound that their rates set. Links
// equipoise::real, equipoise::traces and OpenBLAS.
#include <benchmark/benchmark.h>
#include <cblas.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "real/kernels/blackscholes/option_price.hpp"
#include "real/kernels/catalog.hpp"
#include "real/real_executor.hpp"
#include "shared_policies/fit/speed_curve.hpp"
#include "shared_policies/policies/catalog.hpp"
#include "shared_policies/run/journal.hpp"
#include "shared_policies/run/run_loop.hpp"
#include "tests/support/scripted.hpp"
#include "traces/journal_file.hpp"

namespace equipoise {
namespace {

/// Sums over the blocks of one unit in a run.
struct UnitSums {
  Items items = 0;
  StageTimes times;
  Seconds end;  ///< of the last block
};

/// Adds up the blocks of each unit and passes all records on to `next`, which may be null.
class RunSums final : public Journal {
 public:
  RunSums(std::size_t units, Journal* next) : sums(units), next_(next) {}
  void block(const BlockRecord& record) override {
    UnitSums& unit = sums[record.unit.index];
    unit.items += record.block.items;
    unit.times.setup += record.times.setup;
    unit.times.in += record.times.in;
    unit.times.compute += record.times.compute;
    unit.times.out += record.times.out;
    unit.end = record.end;
    if (next_ != nullptr) next_->block(record);
  }
  void decision(const DecisionRecord& record) override {
    if (next_ != nullptr) next_->decision(record);
  }
  void event(const EventRecord& record) override {
    if (next_ != nullptr) next_->event(record);
  }
  void measured(const Measured& record) override {
    if (next_ != nullptr) next_->measured(record);
  }

  std::vector<UnitSums> sums;

 private:
  Journal* next_;
};

/// How the run file is written: not at all, by the controller thread, or by a separate thread.
enum class Written { nowhere, at_once, by_a_thread };

/// A kernel on some units, with a run file.
class RealBench {
 public:
  RealBench(const std::vector<std::string>& units, const std::string& kernel,
            const TypedParameters& size, Written written = Written::by_a_thread)
      : units_(parse_units(units)),
        kernel_(make_kernel(kernel, size, "--workload")),
        written_(written) {
    kernel_->allocate(1);
  }
  RealBench(const RealBench&) = delete;
  RealBench& operator=(const RealBench&) = delete;
  ~RealBench() { std::filesystem::remove(file_); }

  [[nodiscard]] const Workload& workload() const { return kernel_->workload(); }

  /// Runs everything in blocks of one size and returns the sums of each unit. An incomplete run is
  /// an error.
  std::vector<UnitSums> run(benchmark::State& state, Items block_items) {
    Scripted policy = pieces_of(block_items);
    return run(state, policy, {});
  }

  /// Runs everything with a policy, on units whose memory holds `memory_items` items.
  std::vector<UnitSums> run(benchmark::State& state, Policy& policy,
                            std::optional<Items> memory_items) {
    RealSetup real;
    real.units = units_;
    real.phases = {kernel_.get()};
    RunSetup setup;
    std::vector<std::string> names;
    for (const UnitSpec& spec : units_) {
      setup.units.push_back(spec.unit);
      names.push_back(spec.unit.name);
    }
    setup.phases = {workload()};
    if (memory_items) {
      setup.phases[0].memory_bytes_per_item = 1.0;
      for (Unit& unit : setup.units) unit.memory_bytes = static_cast<double>(*memory_items);
    }
    const auto executor = make_real_executor(std::move(real));
    const auto file = make_file(names);
    RunSums journal(units_.size(), file.get());
    if (!run_policy(*executor, policy, setup, journal).complete) state.SkipWithError("incomplete");
    if (file != nullptr) file->finish("{}");
    return journal.sums;
  }

 private:
  [[nodiscard]] std::unique_ptr<JournalFile> make_file(const std::vector<std::string>& units) {
    if (written_ == Written::nowhere) return nullptr;
    auto file = make_journal_file(file_, "{}", units);
    return written_ == Written::at_once ? std::move(file) : make_queued_journal(std::move(file));
  }

  std::vector<UnitSpec> units_;
  std::unique_ptr<Kernel> kernel_;
  Written written_;
  std::string file_ = std::filesystem::temp_directory_path() /
                      fmt::format("equipoise_bench_{}.jsonl", fmt::ptr(this));
};

/// Wall time of a run of 10^6 empty blocks, including the run file and decisions.
void real_empty_blocks(benchmark::State& state) {
  const std::vector<std::string> units(static_cast<std::size_t>(state.range(0)),
                                       fmt::format("cpu,slots={}", state.range(1)));
  RealBench bench(units, "empty", {{"items", "1e6"}});
  for (auto _ : state) bench.run(state, 1);
  state.counters["s_per_block"] = benchmark::Counter(
      static_cast<double>(bench.workload().items),
      benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}
BENCHMARK(real_empty_blocks)
    ->ArgNames({"units", "slots"})
    ->ArgsProduct({{1, 2}, {1, 2}})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime()
    ->Iterations(3);

/// The cost of the run file with two units: no file, a file written by the controller, a file
/// written by a separate thread. There must be as many cores as threads to see how much work the
/// separate thread takes off the controller.
void real_empty_blocks_written(benchmark::State& state) {
  RealBench bench({"cpu", "cpu"}, "empty", {{"items", "1e6"}},
                  static_cast<Written>(state.range(0)));
  for (auto _ : state) bench.run(state, 1);
  state.counters["s_per_block"] = benchmark::Counter(
      static_cast<double>(bench.workload().items),
      benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}
BENCHMARK(real_empty_blocks_written)
    ->ArgName("written")
    ->DenseRange(0, 2)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime()
    ->Iterations(3);

/// Wall time of 10^6 empty blocks with every policy of the catalog on two units. Their memory holds
/// one item, so that every policy has 10^6 blocks, whatever sizes it asks for.
void real_policy_blocks(benchmark::State& state, const PolicyInfo& info) {
  RealBench bench({"cpu", "cpu"}, "empty", {{"items", "1e6"}});
  KnownCosts known;
  for (int p = 0; p < 2; ++p) {
    known.phases.front().push_back(std::make_unique<AffineCurve>(0.0, 1e-6));
  }
  for (auto _ : state) {
    const std::unique_ptr<Policy> policy = make_policy(info, {{}, &known});
    bench.run(state, *policy, 1);
  }
  state.counters["s_per_block"] = benchmark::Counter(
      static_cast<double>(bench.workload().items),
      benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

[[maybe_unused]] const bool policies_registered = [] {
  for (const PolicyInfo& info : policy_catalog()) {
    benchmark::RegisterBenchmark(
        ("real_policy_blocks/" + info.name).c_str(),
        [&info](benchmark::State& state) { real_policy_blocks(state, info); })
        ->Unit(benchmark::kMillisecond)
        ->UseRealTime()
        ->Iterations(1);
  }
  return true;
}();

/// Reports the time that the unit itself measured, so that rates refer to it.
void set_time(benchmark::State& state, Seconds time) { state.SetIterationTime(time.value); }

/// Black-Scholes options: computing only, or all three stages.
void real_blackscholes(benchmark::State& state) {
  RealBench bench({"cpu"}, "blackscholes", {{"options", "2e6"}});
  const bool copies = state.range(0) != 0;
  for (auto _ : state) {
    const StageTimes times = bench.run(state, 20'000).front().times;
    set_time(state, copies ? total(times) : times.compute);
  }
  state.SetItemsProcessed(state.iterations() * bench.workload().items);
}
BENCHMARK(real_blackscholes)->ArgName("copies")->Arg(0)->Arg(1)->UseManualTime()->Iterations(5);

/// What the machine can do: the same arithmetic on data that stays in the first-level cache.
void machine_blackscholes_in_cache(benchmark::State& state) {
  constexpr std::size_t count = 512;
  std::vector<double> c[6];
  for (auto& column : c) column.assign(count, 1.5);
  for (auto _ : state) {
    price_options({c[0].data(), c[1].data(), c[2].data(), c[3].data(), c[4].data(), c[5].data()}, 0,
                  count, 0.03);
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(count));
}
BENCHMARK(machine_blackscholes_in_cache);

/// What the machine can do: copying memory that does not fit in caches. The bytes are those of the
/// source; as many are written.
void machine_memory_copy(benchmark::State& state) {
  const std::vector<double> from(std::size_t{8} << 20, 1.0);
  std::vector<double> to(from.size());
  for (auto _ : state) {
    std::copy(from.begin(), from.end(), to.begin());
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() *
                          static_cast<std::int64_t>(from.size() * sizeof(double)));
}
BENCHMARK(machine_memory_copy)->UseRealTime();

/// One unit, blocks of `rows` rows: FLOP/s while it computes.
void real_matmul(benchmark::State& state) {
  RealBench bench({"cpu"}, "matmul", {{"n", "1536"}});
  for (auto _ : state) set_time(state, bench.run(state, state.range(0)).front().times.compute);
  state.counters["flop_per_s"] = benchmark::Counter(
      bench.workload().flop_per_item * static_cast<double>(bench.workload().items),
      benchmark::Counter::kIsIterationInvariantRate);
}
BENCHMARK(real_matmul)
    ->ArgName("rows")
    ->Arg(32)
    ->Arg(128)
    ->Arg(768)
    ->UseManualTime()
    ->Iterations(3);

/// What the machine can do: OpenBLAS on the whole product with one thread.
void machine_dgemm(benchmark::State& state) {
  constexpr int n = 1536;
  openblas_set_num_threads(1);
  const std::vector<double> a(std::size_t{n} * n, 1.0);
  std::vector<double> c(a.size());
  for (auto _ : state) {
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1.0, a.data(), n, a.data(), n,
                0.0, c.data(), n);
    benchmark::ClobberMemory();
  }
  state.counters["flop_per_s"] =
      benchmark::Counter(2.0 * n * n * n, benchmark::Counter::kIsIterationInvariantRate);
}
BENCHMARK(machine_dgemm)->UseRealTime()->Iterations(3);

/// The time that `items` take at the sum of the rates that the units had while they were busy.
double bound_s(const std::vector<UnitSums>& units, Items items) {
  double rate = 0.0;
  for (const UnitSums& unit : units) {
    rate += static_cast<double>(unit.items) / total(unit.times).value;
  }
  return static_cast<double>(items) / rate;
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

/// Two equal units together under our policy. Reports the makespan over the bound that the units'
/// rates set. `over_halves` takes the rates of a run just before, in which each unit computes half
/// of the items in one block. `over_own_rates` takes the rates of the run itself, whose blocks have
/// fixed costs each.
void real_two_units(benchmark::State& state, const std::string& kernel,
                    const TypedParameters& size) {
  RealBench bench({"cpu", "cpu"}, kernel, size);
  const Items items = bench.workload().items;
  const auto ours = std::ranges::find(policy_catalog(), "equipoise", &PolicyInfo::name);
  std::vector<double> makespans_s;
  std::vector<double> over_halves;
  std::vector<double> over_own;
  for (auto _ : state) {
    const double halves_s = bound_s(bench.run(state, items / 2), items);
    const std::unique_ptr<Policy> policy = make_policy(*ours, {});
    const std::vector<UnitSums> sums = bench.run(state, *policy, std::nullopt);
    const Seconds makespan = std::ranges::max(sums, {}, &UnitSums::end).end;
    set_time(state, makespan);
    makespans_s.push_back(makespan.value);
    over_halves.push_back(makespan.value / halves_s);
    over_own.push_back(makespan.value / bound_s(sums, items));
  }
  state.counters["median_s"] = median(makespans_s);
  state.counters["over_halves"] = median(over_halves);
  state.counters["over_own_rates"] = median(over_own);
}
BENCHMARK_CAPTURE(real_two_units, blackscholes, "blackscholes", {{"options", "2e7"}})
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond)
    ->Iterations(31);
BENCHMARK_CAPTURE(real_two_units, matmul_4096, "matmul", {{"n", "4096"}})
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond)
    ->Iterations(15);
BENCHMARK_CAPTURE(real_two_units, matmul_8192, "matmul", {{"n", "8192"}})
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond)
    ->Iterations(5);

/// An emulated accelerator with 100 blocks, whose copies in and out each take `copies` percent of
/// the computation, and with one to three blocks in flight. `over_longest` is the makespan over the
/// sum of the stage that takes longest in all, which overlap can reach; `over_all` is the makespan
/// over the sum of all stages, which a unit takes that has one block at a time.
void real_emulated_overlap(benchmark::State& state) {
  constexpr Items items = 5'000'000;
  constexpr Items block_items = items / 100;
  const TypedParameters size{{"points", std::to_string(items)}, {"terms", "1000"}};
  RealBench alone({"emulated,in_bytes_per_s=1e12,out_bytes_per_s=1e12,slots=1"}, "taylor", size);
  const double compute_s = alone.run(state, block_items).front().times.compute.value;
  const auto bytes_per_s = [&](double bytes_per_item) {
    const double copy_s = 0.01 * static_cast<double>(state.range(0)) * compute_s;
    return bytes_per_item * static_cast<double>(items) / copy_s;
  };
  RealBench bench({fmt::format("emulated,in_bytes_per_s={},out_bytes_per_s={},slots={}",
                               bytes_per_s(alone.workload().in_bytes_per_item),
                               bytes_per_s(alone.workload().out_bytes_per_item), state.range(1))},
                  "taylor", size);
  std::vector<double> over_longest;
  std::vector<double> over_all;
  for (auto _ : state) {
    const UnitSums sums = bench.run(state, block_items).front();
    const StageTimes& times = sums.times;
    set_time(state, sums.end);
    over_longest.push_back(sums.end.value / std::max({times.in, times.compute, times.out}).value);
    over_all.push_back(sums.end.value / total(times).value);
  }
  state.counters["over_longest"] = median(over_longest);
  state.counters["over_all"] = median(over_all);
}
BENCHMARK(real_emulated_overlap)
    ->ArgNames({"copies", "slots"})
    ->ArgsProduct({{50, 75, 100}, {1, 2, 3}})
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond)
    ->Iterations(7);

}  // namespace
}  // namespace equipoise
