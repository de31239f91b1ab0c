// How fast one unit computes kernels whose items are points, options and genes, compared with what
// the machine can do. Links equipoise::real.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "real/kernels/vectors.hpp"
#include "tests/bench/computed_block.hpp"

namespace equipoise {
namespace {

constexpr std::size_t chains = 128;
constexpr std::size_t parts = 8;
constexpr std::size_t unrolled = 8;

/// Advances `chains` independent recurrences by `unrolled` steps in each of `repeats` rounds.
/// Computes `parts` recurrences side by side, one from each part. A step is `products`
/// multiplications and one addition, all in registers.
template <int products>
[[gnu::always_inline]] inline void multiply_and_add(double* numbers, std::size_t repeats,
                                                    double factor, double term) {
  for (std::size_t repeat = 0; repeat < repeats; ++repeat) {
    for (std::size_t i = 0; i < chains / parts; ++i) {
      double x[parts];
#pragma GCC unroll 8
      for (std::size_t part = 0; part < parts; ++part) x[part] = numbers[part * chains / parts + i];
#pragma GCC unroll 8
      for (std::size_t k = 0; k < unrolled; ++k) {
#pragma GCC unroll 8
        for (std::size_t part = 0; part < parts; ++part) {
          x[part] *= factor;
          if constexpr (products == 2) x[part] *= factor;
          x[part] += term;
        }
      }
#pragma GCC unroll 8
      for (std::size_t part = 0; part < parts; ++part) numbers[part * chains / parts + i] = x[part];
    }
  }
}

/// What the machine can do with almost no loads: as many multiplications as additions (as in
/// distances and series), or twice as many (as on a lattice). Kernels write each operation as a
/// separate instruction, so that all CPUs give the same bits. `machine_dgemm` shows what fused
/// instructions can do.
template <int products>
void machine_multiply_add(benchmark::State& state) {
  constexpr std::size_t repeats = 1000;
  constexpr double flop = products + 1.0;
  std::vector<double> numbers(chains, 0.5);
  for (auto _ : state) {
    with_widest_vectors<multiply_and_add<products>>(numbers.data(), repeats, 0.5, 0.25);
    benchmark::DoNotOptimize(numbers.data());
    benchmark::ClobberMemory();
  }
  state.counters["flop_per_s"] =
      benchmark::Counter(flop * static_cast<double>(chains * unrolled * repeats),
                         benchmark::Counter::kIsIterationInvariantRate);
}
BENCHMARK(machine_multiply_add<1>)->Name("machine_multiply_add");
BENCHMARK(machine_multiply_add<2>)->Name("machine_two_multiply_add");

/// Points, each with the nearest of many centroids or of few.
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

/// What the machine can do: two look-ups per pair in tables that fit in the first-level cache, and
/// the minimum of their sums.
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
