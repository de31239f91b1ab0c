// How fast one unit computes kernels on grids and bodies, beside what the machine can do. Links
// equipoise::real and FFTW.
#include <benchmark/benchmark.h>
#include <fftw3.h>

#include <cmath>
#include <string>

#include "real/kernels/buffer.hpp"
#include "tests/bench/computed_block.hpp"

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

/// What the machine can do: FFTW's own plans of the whole array, the best that it measures, forward
/// alone or forward and inverse (there is no filter in between), on the same number of arrays.
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
  fftw_forget_wisdom();  // kernels must not find what was measured here
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

}  // namespace
}  // namespace equipoise
