// How fast one unit computes kernels on grids and bodies, compared with what the machine can do.
// Links equipoise::real and FFTW.
#include <benchmark/benchmark.h>
#include <fftw3.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "real/kernels/buffer.hpp"
#include "real/kernels/mandelbrot/escape_time.hpp"
#include "tests/bench/computed_block.hpp"
#include "tests/bench/root_loop.hpp"

namespace equipoise {
namespace {

void real_fft2d(benchmark::State& state) {
  const std::string size = std::to_string(state.range(0));
  compute_block(state, "fft2d",
                {{"transforms", "8"},
                 {"rows", size},
                 {"columns", size},
                 {"directions", std::to_string(state.range(1))}},
                8);
}
BENCHMARK(real_fft2d)
    ->ArgNames({"size", "directions"})
    ->ArgsProduct({{128, 500, 512, 1024}, {1, 2}})
    ->Unit(benchmark::kMillisecond);

/// What the machine can do: FFTW's own plan of the whole array, the fastest that FFTW finds by
/// measuring. Forward only, or forward and inverse without the kernel's filter between them, on the
/// same number of arrays.
void machine_fft2d(benchmark::State& state) {
  constexpr std::size_t count = 8;
  const int size = static_cast<int>(state.range(0));
  const auto points = static_cast<std::size_t>(size) * static_cast<std::size_t>(size);
  Buffer in(2 * points * count);
  Buffer out(2 * points * count);
  const auto array = [points](Buffer& buffer, std::size_t i) {
    return reinterpret_cast<fftw_complex*>(buffer.data() + 2 * points * i);
  };
  fftw_plan forward =
      fftw_plan_dft_2d(size, size, array(in, 0), array(out, 0), FFTW_FORWARD, FFTW_MEASURE);
  fftw_plan inverse =
      fftw_plan_dft_2d(size, size, array(out, 0), array(out, 0), FFTW_BACKWARD, FFTW_MEASURE);
  for (auto _ : state) {
    for (std::size_t i = 0; i < count; ++i) {
      fftw_execute_dft(forward, array(in, i), array(out, i));
      if (state.range(1) == 2) fftw_execute_dft(inverse, array(out, i), array(out, i));
    }
  }
  fftw_destroy_plan(forward);
  fftw_destroy_plan(inverse);
  fftw_forget_wisdom();  // kernels must not reuse the plans measured here
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(count));
  const auto n = static_cast<double>(points);
  state.counters["flop_per_s"] =
      benchmark::Counter(static_cast<double>(count * static_cast<std::size_t>(state.range(1))) *
                             5.0 * n * std::log2(n),
                         benchmark::Counter::kIsIterationInvariantRate);
}
BENCHMARK(machine_fft2d)
    ->ArgNames({"size", "directions"})
    ->ArgsProduct({{128, 500, 512, 1024}, {1, 2}})
    ->Unit(benchmark::kMillisecond);

/// A whole image, because the cost of a row depends on the row.
void real_mandelbrot(benchmark::State& state) {
  compute_block(
      state, "mandelbrot",
      {{"width", "1024"}, {"height", "1024"}, {"max_iterations", std::to_string(state.range(0))}},
      1024);
}
BENCHMARK(real_mandelbrot)
    ->ArgName("max_iterations")
    ->Arg(100)
    ->Arg(1000)
    ->Unit(benchmark::kMillisecond);

/// What the same loop can do when no lane waits for others: 24 of the 32 points lie from -2 to 1/4
/// on the real axis and never escape.
void machine_mandelbrot_steps(benchmark::State& state) {
  const EscapeImage image{.width = 32, .height = 1, .max_iterations = 10'000};
  double counts[32];
  for (auto _ : state) {
    count_steps(image, 0.0, counts);
    benchmark::ClobberMemory();
  }
  state.counters["flop_per_s"] =
      benchmark::Counter(32.0 * static_cast<double>(image.max_iterations) * flop_per_step,
                         benchmark::Counter::kIsIterationInvariantRate);
}
BENCHMARK(machine_mandelbrot_steps);

/// Bodies that fit in the first-level cache, in the second-level cache, and the number of bodies in
/// the energy paper.
void real_nbody(benchmark::State& state) {
  const Items block = 256;
  compute_block(state, "nbody", {{"bodies", std::to_string(state.range(0))}}, block);
  state.counters["pairs_per_s"] = benchmark::Counter(static_cast<double>(block * state.range(0)),
                                                     benchmark::Counter::kIsIterationInvariantRate);
}
BENCHMARK(real_nbody)
    ->ArgName("bodies")
    ->Arg(512)
    ->Arg(16'384)
    ->Arg(51'200)
    ->Unit(benchmark::kMillisecond);

/// What the machine can do: square roots and divisions. Each pair of bodies needs one of each.
void machine_roots_and_divisions(benchmark::State& state) {
  double numbers[64];
  std::ranges::fill(numbers, 2.0);
  std::int64_t pairs = 0;
  for (auto _ : state) pairs += take_roots_and_divide(numbers);
  state.counters["pairs_per_s"] =
      benchmark::Counter(static_cast<double>(pairs), benchmark::Counter::kIsRate);
}
BENCHMARK(machine_roots_and_divisions);

/// The filter of the energy paper and a small one, in blocks of 64 rows and of one row. To be
/// compared with machine_multiply_add, which loads no pixels.
void real_gaussian(benchmark::State& state) {
  compute_block(state, "gaussian",
                {{"width", "2000"}, {"height", "64"}, {"radius", std::to_string(state.range(0))}},
                state.range(1));
}
BENCHMARK(real_gaussian)
    ->ArgNames({"radius", "rows"})
    ->ArgsProduct({{40, 4}, {64, 1}})
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace equipoise
