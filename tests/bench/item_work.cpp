// Counts the operations in the CUDA programs (real/gpu/programs), without those that a better
// program would not have: addresses, tests, what is done once for a block.
#include "tests/bench/item_work.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "real/kernels/mandelbrot/escape_time.hpp"
#include "shared_policies/model/failure.hpp"

namespace equipoise {
namespace {

double of(const Kernel& kernel, const char* parameter) {
  return kernel.workload().parameters.at(parameter);
}

/// One product of a row of A with B.
ItemDemand matmul(const Kernel& kernel) {
  const double n = of(kernel, "n");
  return {.product_flop = 2.0 * n * n};
}

/// Four numbers in, two out. Two tails of 13 fused operations and a quotient each; S / K; both
/// exponentials; variance, d1 and d2, discount, density, sums: 17.
ItemDemand blackscholes(const Kernel& /*kernel*/) {
  return {.bytes = 48.0,
          .multiply_adds = 2.0 * 13.0 + 17.0,
          .roots = 1.0,
          .quotients = 3.0,
          .exponentials = 2.0,
          .logarithms = 1.0};
}

/// A transform of all rows and one of all columns, each of which reads and writes all points (16
/// bytes); both ways, and the filter between them.
ItemDemand fft2d(const Kernel& kernel) {
  const double points = of(kernel, "rows") * of(kernel, "columns");
  const double passes = of(kernel, "directions") < 2.0 ? 2.0 : 5.0;
  return {.bytes = passes * 2.0 * 16.0 * points};
}

ItemDemand grn(const Kernel& kernel) {
  const double candidates = of(kernel, "candidates");
  return {.look_ups = 0.5 * candidates * (candidates - 1.0)};
}

/// A fused operation for each coordinate of each centroid.
ItemDemand kmeans(const Kernel& kernel) {
  return {.multiply_adds = of(kernel, "dimensions") * of(kernel, "clusters")};
}

/// Of each pair: three differences, three fused for the distance, three products, three fused for
/// the sums; one root.
ItemDemand nbody(const Kernel& kernel) {
  const double bodies = of(kernel, "bodies");
  return {.multiply_adds = 12.0 * bodies, .roots = bodies};
}

/// A product and a fused operation for each node but the last ones.
ItemDemand binomial(const Kernel& kernel) {
  const double steps = of(kernel, "steps");
  return {.multiply_adds = steps * (steps + 1.0)};
}

/// Six operations a step, none of them fused but one: the CPU's bits.
ItemDemand mandelbrot(const Kernel& kernel) {
  const double steps = kernel.workload().flop_per_item / flop_per_step;
  return {.multiply_adds = 6.0 * steps};
}

/// Its row and its sum.
ItemDemand synthetic(const Kernel& kernel) {
  return {.bytes = of(kernel, "bytes") + 8.0, .integer_multiply_adds = of(kernel, "operations")};
}

/// Two fused operations a term; 24 bytes.
ItemDemand taylor(const Kernel& kernel) {
  return {.bytes = 24.0, .multiply_adds = 2.0 * of(kernel, "terms")};
}

/// A fused operation for each pixel of the filter.
ItemDemand gaussian(const Kernel& kernel) {
  const double taps = 2.0 * of(kernel, "radius") + 1.0;
  return {.multiply_adds = taps * taps * of(kernel, "width")};
}

/// A kind of work: its amount, its rate and its name.
struct Part {
  double amount;
  double rate;
  const char* name;

  [[nodiscard]] double seconds() const { return amount > 0.0 ? amount / rate : 0.0; }
};

std::array<Part, 8> operations(const ItemDemand& work, const GpuRates& rates) {
  return {{{work.multiply_adds, rates.multiply_adds, "fma/fma_rate"},
           {work.integer_multiply_adds, rates.integer_multiply_adds, "mad/integer_rate"},
           {work.product_flop, rates.product_flop, "flop/cublas_rate"},
           {work.roots, rates.roots, "roots/root_rate"},
           {work.quotients, rates.quotients, "quotients/quotient_rate"},
           {work.exponentials, rates.exponentials, "exp/exp_rate"},
           {work.logarithms, rates.logarithms, "log/log_rate"},
           {work.look_ups, rates.look_ups, "pairs/look_up_rate"}}};
}

double operations_s(const ItemDemand& work, const GpuRates& rates) {
  double sum_s = 0.0;
  for (const Part& part : operations(work, rates)) sum_s += part.seconds();
  return sum_s;
}

}  // namespace

double ItemDemand::least_s(const GpuRates& rates) const {
  return std::max(Part{bytes, rates.bytes, ""}.seconds(), operations_s(*this, rates));
}

std::string ItemDemand::bound(const GpuRates& rates) const {
  if (Part{bytes, rates.bytes, ""}.seconds() >= operations_s(*this, rates)) {
    return "bytes/bandwidth";
  }
  std::string names;
  for (const Part& part : operations(*this, rates)) {
    if (part.amount > 0.0) names += (names.empty() ? "" : "+") + std::string(part.name);
  }
  return names;
}

ItemDemand item_work(const Kernel& kernel) {
  static const std::map<std::string, ItemDemand (*)(const Kernel&)> table = {
      {"binomial", binomial},
      {"blackscholes", blackscholes},
      {"fft2d", fft2d},
      {"gaussian", gaussian},
      {"grn", grn},
      {"kmeans", kmeans},
      {"mandelbrot", mandelbrot},
      {"matmul", matmul},
      {"nbody", nbody},
      {"synthetic", synthetic},
      {"taylor", taylor}};
  const auto found = table.find(kernel.workload().kernel);
  EQ_CHECK(found != table.end(), "every kernel with a program is counted");
  return found->second(kernel);
}

}  // namespace equipoise
