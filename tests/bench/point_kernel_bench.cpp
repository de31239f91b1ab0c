// How fast one unit computes kernels whose items are points, options and genes, beside what the
// machine can do. Links equipoise::real.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "real/kernels/lanes.hpp"
#include "real/kernels/vectors.hpp"
#include "tests/bench/computed_block.hpp"

namespace equipoise {
namespace {

constexpr std::size_t chains = 8;

/// `chains` recurrences side by side, all in registers: two multiplications a step, and one
/// addition or two.
template <bool adds_twice>
[[gnu::always_inline]] inline void multiply_and_add(double* sums, std::size_t count) {
  Lanes sum[chains];
  for (std::size_t r = 0; r < chains; ++r) sum[r] = Lanes{} + sums[r];
  Lanes before[chains] = {};
  const double factor = sums[0];
  const double other = sums[1];
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t r = 0; r < chains; ++r) {
      Lanes next = sum[r] * factor + before[r] * other;
      if constexpr (adds_twice) next += other;
      before[r] = sum[r];
      sum[r] = next;
    }
  }
  for (std::size_t r = 0; r < chains; ++r) sums[r] = sum[r][0];
}

/// What the machine can do with nothing to load: as many multiplications as additions, as in
/// distances and series, or twice as many, as on a lattice. Kernels write each of them as an
/// instruction, so that all CPUs give the same bits; what a CPU's fused instruction could do is
/// shown by `machine_dgemm`.
template <bool adds_twice>
void machine_multiply_add(benchmark::State& state) {
  constexpr std::size_t count = 10'000;
  constexpr double flop = adds_twice ? 4.0 : 3.0;
  double sums[chains] = {0.5, 0.25};
  for (auto _ : state) {
    with_widest_vectors<multiply_and_add<adds_twice>>(static_cast<double*>(sums), count);
    benchmark::DoNotOptimize(sums);
    benchmark::ClobberMemory();
    std::fill_n(sums, chains, 0.5);
  }
  state.counters["flop_per_s"] =
      benchmark::Counter(flop * static_cast<double>(chains * lane_count * count),
                         benchmark::Counter::kIsIterationInvariantRate);
}
BENCHMARK(machine_multiply_add<true>)->Name("machine_multiply_add");
BENCHMARK(machine_multiply_add<false>)->Name("machine_two_multiply_add");

/// Points and their nearest of many centroids, and of few.
void real_kmeans(benchmark::State& state) {
  compute_block(state, "kmeans",
                {{"points", "1e4"},
                 {"dimensions", std::to_string(state.range(0))},
                 {"clusters", std::to_string(state.range(1))}},
                10'000);
}
BENCHMARK(real_kmeans)
    ->ArgNames({"dimensions", "clusters"})
    ->Args({32, 1024})
    ->Args({8, 64})
    ->Args({2, 16})
    ->Unit(benchmark::kMillisecond);

/// Genes, each with the best of all pairs of 1000 candidates.
void real_grn(benchmark::State& state) {
  const double pairs = 1000.0 * 999.0 / 2.0;
  compute_block(
      state, "grn",
      {{"genes", "20"}, {"candidates", "1000"}, {"samples", std::to_string(state.range(0))}}, 20);
  state.counters["s_per_pair"] = benchmark::Counter(
      20.0 * pairs, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}
BENCHMARK(real_grn)->ArgName("samples")->Arg(20)->Arg(64)->Unit(benchmark::kMillisecond);

/// What the machine can do: two look-ups a pair in tables in the first cache, the least sum kept,
/// and nothing else.
void machine_two_look_ups(benchmark::State& state) {
  constexpr std::size_t count = 512;
  std::vector<std::int32_t> table(256);
  std::vector<std::uint16_t> places(2 * count);
  for (std::size_t i = 0; i < table.size(); ++i) table[i] = static_cast<std::int32_t>(i * 37 % 256);
  for (std::size_t i = 0; i < places.size(); ++i) {
    places[i] = static_cast<std::uint16_t>(i * 101 % 256);
  }
  for (auto _ : state) {
    std::int32_t least = 1000;
    for (std::size_t i = 0; i < count; ++i) {
      least = std::min(least, table[places[2 * i]] + table[places[2 * i + 1]]);
    }
    benchmark::DoNotOptimize(least);
    benchmark::ClobberMemory();
  }
  state.counters["s_per_pair"] = benchmark::Counter(
      count, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}
BENCHMARK(machine_two_look_ups);

/// Options on a lattice.
void real_binomial(benchmark::State& state) {
  compute_block(state, "binomial", {{"options", "800"}, {"steps", std::to_string(state.range(0))}},
                800);
}
BENCHMARK(real_binomial)
    ->ArgName("steps")
    ->Arg(16)
    ->Arg(254)
    ->Arg(2000)
    ->Unit(benchmark::kMillisecond);

/// Points of a Taylor series.
void real_taylor(benchmark::State& state) {
  compute_block(state, "taylor", {{"points", "10240"}, {"terms", std::to_string(state.range(0))}},
                10'240);
}
BENCHMARK(real_taylor)->ArgName("terms")->Arg(20)->Arg(1000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace equipoise
