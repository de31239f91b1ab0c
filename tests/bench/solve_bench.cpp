// How fast splits are solved, cost models are fitted and lower bounds are found.
#include <benchmark/benchmark.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "shared_policies/policies/plb/basis_fit.hpp"
#include "shared_policies/solve/equal_finish.hpp"
#include "shared_policies/solve/equal_finish_ipopt.hpp"
#include "tests/support/bound_problem.hpp"

namespace equipoise {
namespace {

constexpr double items = 1e6;

enum class Shape { quadratic, logarithmic };

/// n units whose speeds span a factor of 32.
std::vector<BasisCurve> units_of(std::size_t n, Shape shape) {
  std::vector<BasisCurve> curves;
  for (std::size_t p = 0; p < n; ++p) {
    const double slowness = std::exp2(static_cast<double>(p * 7 % 11) / 2.0);
    BasisCoefficients a{};
    a[static_cast<std::size_t>(Basis::u)] = 10.0 * slowness;
    a[static_cast<std::size_t>(shape == Shape::quadratic ? Basis::u2 : Basis::u_log_u)] =
        shape == Shape::quadratic ? 4.0 * slowness : 0.3 * slowness;
    const FittedRange range{items, 1e-8 * items, items};
    curves.emplace_back(a, range, TransferLine{1e-7, 1e-4, 1.0});
  }
  return curves;
}

struct Problem {
  std::vector<BasisCurve> curves;
  std::vector<const CostModel*> costs;
  std::vector<double> caps;

  Problem(std::size_t n, Shape shape) : curves(units_of(n, shape)), caps(n, items) {
    for (const BasisCurve& curve : curves) {
      costs.push_back(&curve);
    }
  }
  [[nodiscard]] SplitProblem split() const { return {costs, caps, items}; }
};

void equal_finish_direct(benchmark::State& state, Shape shape) {
  const Problem problem(static_cast<std::size_t>(state.range(0)), shape);
  for (auto _ : state) {
    benchmark::DoNotOptimize(solve_equal_finish(problem.split()));
  }
}
BENCHMARK_CAPTURE(equal_finish_direct, quadratic, Shape::quadratic)
    ->Arg(10)
    ->Arg(100)
    ->Arg(1000)
    ->Arg(10000)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(equal_finish_direct, logarithmic, Shape::logarithmic)
    ->Arg(10)
    ->Arg(100)
    ->Arg(1000)
    ->Arg(10000)
    ->Unit(benchmark::kMicrosecond);

void equal_finish_ipopt(benchmark::State& state, Shape shape) {
  const Problem problem(static_cast<std::size_t>(state.range(0)), shape);
  IpoptEqualFinish ipopt;
  for (auto _ : state) {
    benchmark::DoNotOptimize(ipopt.solve(problem.split()));
  }
}
BENCHMARK_CAPTURE(equal_finish_ipopt, quadratic, Shape::quadratic)
    ->Arg(10)
    ->Arg(1000)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(equal_finish_ipopt, logarithmic, Shape::logarithmic)
    ->Arg(10)
    ->Arg(1000)
    ->Unit(benchmark::kMillisecond);

void fit(benchmark::State& state, FitMode mode) {
  std::vector<CostSample> compute;
  std::vector<CostSample> transfer;
  for (std::int64_t k = 0; k < state.range(0); ++k) {
    const double x = 500.0 * std::pow(1.3, static_cast<double>(k));
    const double wobble = 1.0 + 0.02 * std::sin(17.0 * static_cast<double>(k));
    add_sample(compute, x, (2e-3 + 3e-6 * x) * wobble);
    add_sample(transfer, x, (1e-4 + 1e-8 * x) * wobble);
  }
  FitOptions options;
  options.mode = mode;
  options.scale_items = items;
  for (auto _ : state) {
    benchmark::DoNotOptimize(fit_unit(compute, transfer, options));
  }
}
BENCHMARK_CAPTURE(fit, subset, FitMode::subset)
    ->Arg(4)
    ->Arg(8)
    ->Arg(20)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(fit, nnls, FitMode::nnls)->Arg(8)->Unit(benchmark::kMicrosecond);

/// n units. Every fourth one moves its data over its own link and a shared link. `events`
/// disturbances of units and links.
void lower_bound_disturbed(benchmark::State& state) {
  BoundProblem problem(1'000'000);
  problem.workload.in_bytes_per_item = 8.0;
  const auto trunk = problem.add_link(2e7, 1e-6);
  for (std::int64_t p = 0; p < state.range(0); ++p) {
    const auto unit = problem.add_affine_unit(1e-4, 1e-5 * static_cast<double>(1 + p % 5));
    if (p % 4 == 0) problem.platform.units[unit].in.links = {problem.add_link(1e7), trunk};
  }
  for (std::int64_t i = 0; i < state.range(1); ++i) {
    const double at_s = 1e-3 * static_cast<double>(i);
    problem.disturb(
        at_s, i % 3 == 0 ? DisturbanceKind::slow : DisturbanceKind::bandwidth,
        i % 3 == 0
            ? problem.platform.units[static_cast<std::size_t>(i) % problem.platform.units.size()]
                  .unit.name
            : "l0",
        1.5, at_s + 0.01);
  }
  for (auto _ : state) {
    benchmark::DoNotOptimize(problem.bound());
  }
}
BENCHMARK(lower_bound_disturbed)
    ->ArgNames({"units", "events"})
    ->Args({28, 0})
    ->Args({28, 10})
    ->Args({28, 200})
    ->Args({1000, 10})
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace equipoise
