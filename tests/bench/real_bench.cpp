// How fast the real side is: the controller for empty blocks, kernels beside what the machine can
// do.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "real/kernels/catalog.hpp"
#include "real/real_executor.hpp"
#include "shared_policies/run/journal.hpp"
#include "shared_policies/run/run_loop.hpp"

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

/// Writes every record as a line of text, as a run file has it, and keeps the last ones.
class TextJournal final : public Journal {
 public:
  void block(const BlockRecord& r) override {
    line_.clear();
    fmt::format_to(std::back_inserter(line_),
                   R"({{"block":{},"unit":"cpu{}","iteration":{},"phase":{},"first_item":{},)"
                   R"("items":{},"assigned_s":{},"in_s":{},"compute_s":{},"out_s":{},"end_s":{},)"
                   R"("tag":"{}"}})"
                   "\n",
                   r.block.id, r.unit.index, r.block.iteration, r.block.phase, r.block.first,
                   r.block.items, r.assigned.value, r.times.in.value, r.times.compute.value,
                   r.times.out.value, r.end.value, to_string(r.block.tag));
    bytes_ += line_.size();
    for (const Seconds stage : {r.times.in, r.times.compute, r.times.out}) busy_ += stage;
    compute_ += r.times.compute;
    in_ += r.times.in;
  }
  void decision(const DecisionRecord& /*record*/) override {}
  void event(const EventRecord& /*record*/) override {}

  [[nodiscard]] Seconds compute() const { return compute_; }
  [[nodiscard]] Seconds in() const { return in_; }

 private:
  fmt::memory_buffer line_;
  std::size_t bytes_ = 0;
  Seconds busy_;
  Seconds compute_;
  Seconds in_;
};

struct Bench {
  std::vector<UnitSpec> units;
  std::unique_ptr<Kernel> kernel;
};

Bench make_bench(int units, int slots, const std::string& kernel, const TypedParameters& size) {
  Bench bench;
  bench.units = parse_units(std::vector<std::string>(static_cast<std::size_t>(units),
                                                     fmt::format("cpu,slots={}", slots)));
  bench.kernel = make_kernel(kernel, size, "--workload");
  bench.kernel->allocate(1);
  return bench;
}

void run_once(const Bench& bench, Items block_items, TextJournal& journal) {
  RealSetup real{.units = bench.units,
                 .cores = {},
                 .phases = {bench.kernel.get()},
                 .stop_requested = {},
                 .warn = {}};
  const auto executor = make_real_executor(std::move(real));
  FixedBlocks policy(block_items);
  RunSetup setup;
  for (const UnitSpec& spec : bench.units) setup.units.push_back(spec.unit);
  setup.phases = {bench.kernel->workload()};
  const RunOutcome outcome = run_policy(*executor, policy, setup, journal);
  benchmark::DoNotOptimize(outcome);
}

/// Wall time of one empty block: arguments are units and slots.
void empty_blocks(benchmark::State& state) {
  const Bench bench = make_bench(static_cast<int>(state.range(0)), static_cast<int>(state.range(1)),
                                 "empty", {{"items", "1e6"}});
  for (auto _ : state) {
    TextJournal journal;
    run_once(bench, 1, journal);
  }
  state.counters["us_per_block"] =
      benchmark::Counter(static_cast<double>(state.iterations()) *
                             static_cast<double>(bench.kernel->workload().items) * 1e-6,
                         benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}
BENCHMARK(empty_blocks)
    ->ArgNames({"units", "slots"})
    ->Args({1, 1})
    ->Args({2, 1})
    ->Args({1, 2})
    ->Args({2, 2})
    ->Args({2, 8})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime()
    ->Iterations(3);

}  // namespace
}  // namespace equipoise
