// How fast a GPU computes each kernel, compared with what bounds it, which is measured on the same
// GPU (item_work.hpp counts what a kernel must do). Its number is in EQUIPOISE_GPU, as in
// gpu_run_bench.cpp.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "real/gpu/programs.hpp"
#include "real/kernels/catalog.hpp"
#include "shared_policies/model/failure.hpp"
#include "tests/bench/cuda_timing.hpp"
#include "tests/bench/item_work.hpp"
#include "tests/bench/limits.hpp"
#include "tests/bench/units_of_bench.hpp"
#include "tests/support/real_runs.hpp"

namespace equipoise {
namespace {

/// The unit with one block at a time, so that no copy disturbs a computation.
UnitSpec gpu() { return parse_units({unit_of_bench("EQUIPOISE_GPU", "cuda") + ",slots=1"})[0]; }

/// The number in "cuda:0".
int device() {
  const std::string name = gpu().unit.device;
  if (name.rfind("cuda:", 0) != 0) {
    throw InputError("EQUIPOISE_GPU", "is no CUDA unit, and only these have limits that are known");
  }
  return std::stoi(name.substr(name.find(':') + 1));
}

double rate_of(DeviceOperation operation) {
  constexpr std::size_t blocks = 8192;
  const bool is_fast = operation == DeviceOperation::multiply_add ||
                       operation == DeviceOperation::integer_multiply_add;
  const std::size_t rounds = is_fast ? 4096 : 512;
  constexpr std::size_t threads = blocks * limit_block_threads;
  const double factor = lasting_factor(operation);
  const Seconds time = time_on_device(
      device(), threads * sizeof(double), [&](const Stream& stream, std::byte* memory) {
        launch_operations(stream, operation, blocks, rounds, factor, 0.5 * factor,
                          reinterpret_cast<double*>(memory));
      });
  return static_cast<double>(threads * chains_of_thread * rounds) / time.value;
}

double bytes_per_s() {
  constexpr std::size_t numbers = std::size_t{1} << 26;  // 512 MiB there and back: in no cache
  const Seconds time = time_on_device(device(), 2 * numbers * sizeof(double),
                                      [&](const Stream& stream, std::byte* memory) {
                                        auto* const begin = reinterpret_cast<double*>(memory);
                                        launch_copy(stream, begin, begin + numbers, numbers);
                                      });
  return 2.0 * numbers * sizeof(double) / time.value;
}

double look_ups_per_s() {
  constexpr std::size_t blocks = 8192;
  constexpr std::size_t rounds = 1024;
  constexpr std::size_t threads = blocks * limit_block_threads;
  const Seconds time = time_on_device(
      device(), threads * sizeof(std::int32_t), [&](const Stream& stream, std::byte* memory) {
        launch_look_ups(stream, blocks, rounds, reinterpret_cast<std::int32_t*>(memory));
      });
  return static_cast<double>(threads * chains_of_thread * rounds) / time.value;
}

/// cuBLAS on whole matrices. Only matmul needs it. Throws BackendError where it is missing.
double measure_product_flop_per_s() {
  constexpr Items n = 4096;
  constexpr std::size_t matrix = std::size_t{n} * n * sizeof(double);
  const auto kernel = make_kernel("matmul", {{"n", std::to_string(n)}}, "--workload");
  std::optional<GpuProgram> program;
  const Seconds time =
      time_on_device(device(), 3 * matrix, [&](const Stream& stream, std::byte* memory) {
        if (!program) program = make_gpu_program(*kernel);
        program->launch(stream, {0, n, {memory}, {memory + matrix}, {memory + 2 * matrix}});
      });
  return 2.0 * n * n * n / time.value;
}

double product_flop_per_s() {
  static const double measured = measure_product_flop_per_s();
  return measured;
}

/// Without that of cuBLAS.
const GpuRates& rates() {
  static const GpuRates measured{
      .bytes = bytes_per_s(),
      .multiply_adds = rate_of(DeviceOperation::multiply_add),
      .integer_multiply_adds = rate_of(DeviceOperation::integer_multiply_add),
      .roots = rate_of(DeviceOperation::root),
      .quotients = rate_of(DeviceOperation::quotient),
      .exponentials = rate_of(DeviceOperation::exponential),
      .logarithms = rate_of(DeviceOperation::logarithm),
      .look_ups = look_ups_per_s()};
  return measured;
}

/// The limits themselves.
void limits(benchmark::State& state) {
  try {
    for (auto _ : state) {
      const GpuRates& all = rates();
      state.counters = {{"bytes_per_s", all.bytes},
                        {"multiply_adds_per_s", all.multiply_adds},
                        {"integer_multiply_adds_per_s", all.integer_multiply_adds},
                        {"roots_per_s", all.roots},
                        {"quotients_per_s", all.quotients},
                        {"exponentials_per_s", all.exponentials},
                        {"logarithms_per_s", all.logarithms},
                        {"look_ups_per_s", all.look_ups}};
      state.counters["product_flop_per_s"] = product_flop_per_s();
    }
  } catch (const std::exception& failure) {
    state.SkipWithError(failure.what());
  }
}
BENCHMARK(limits)->Iterations(1)->Unit(benchmark::kMillisecond);

/// The median time of an item in four blocks, without copies.
double seconds_of_item(Kernel& kernel) {
  kernel.allocate(1);
  RealSetup setup = setup_of({}, {&kernel});
  setup.units = {gpu()};
  MemoryJournal journal;
  const Items items = (kernel.workload().items + 3) / 4;
  if (!run_all(std::move(setup), items, journal).complete) {
    throw BackendError("the run is incomplete");
  }
  std::vector<double> of_item;
  for (const BlockRecord& record : journal.blocks) {
    of_item.push_back(record.times.compute.value / static_cast<double>(record.block.items));
  }
  std::ranges::sort(of_item);
  return of_item[of_item.size() / 2];
}

/// The least time of an item over the measured one.
void beside_limit(benchmark::State& state, const std::string& name,
                  const TypedParameters& parameters) {
  try {
    const auto kernel = make_kernel(name, parameters, "--workload");
    GpuRates limits = rates();
    const ItemDemand work = item_work(*kernel);
    if (work.product_flop > 0.0) limits.product_flop = product_flop_per_s();
    for (auto _ : state) {
      const double item_s = seconds_of_item(*kernel);
      state.counters["share"] = work.least_s(limits) / item_s;
      state.counters["items_per_s"] = 1.0 / item_s;
      state.SetLabel(work.bound(limits));
    }
  } catch (const std::exception& failure) {
    state.SkipWithError(failure.what());
  }
}

/// Large enough for the largest GPUs.
const std::vector<std::pair<std::string, TypedParameters>> sizes = {
    {"matmul", {{"n", "6144"}}},
    {"blackscholes", {{"options", "2e7"}}},
    {"fft2d", {{"transforms", "128"}}},
    {"grn", {{"genes", "4e4"}}},
    {"kmeans", {{"points", "2e6"}, {"iterations", "1"}}},
    {"nbody", {{"bodies", "262144"}}},
    {"binomial", {{"options", "2e6"}}},
    {"mandelbrot", {{"width", "8192"}, {"height", "8192"}}},
    {"synthetic", {{"items", "1e6"}, {"operations", "1e6"}}},
    {"taylor", {{"points", "2e7"}}},
    {"gaussian", {{"width", "8192"}, {"height", "4096"}}}};

[[maybe_unused]] const bool registered = [] {
  for (const auto& size : sizes) {
    benchmark::RegisterBenchmark(
        ("beside_limit/" + size.first).c_str(),
        [&size](benchmark::State& state) { beside_limit(state, size.first, size.second); })
        ->Unit(benchmark::kMillisecond)
        ->Iterations(1);
  }
  return true;
}();

}  // namespace
}  // namespace equipoise
