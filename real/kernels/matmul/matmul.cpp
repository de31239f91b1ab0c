// Matrix multiplication C = A B. Every item is one row of C; B stays on the unit.
#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "real/kernels/buffer.hpp"
#include "real/kernels/catalog.hpp"
#include "real/kernels/matmul/blas_module.hpp"
#include "real/kernels/matmul/product_check.hpp"
#include "real/kernels/seeded.hpp"
#include "shared_policies/modules/run_time_module.hpp"

namespace equipoise {
namespace {

constexpr int vectors = 3;
constexpr std::size_t dot_products = 200;

/// A matrix times a vector, and for each element the size of its terms, sum |m_ij| |x_j|, which
/// bounds its rounding error.
struct Product {
  std::vector<double> value;
  std::vector<double> magnitude;
};

Product multiply(const double* matrix, const std::vector<double>& x,
                 const std::vector<double>& magnitude) {
  const std::size_t n = x.size();
  Product product{std::vector<double>(n), std::vector<double>(n)};
  for (std::size_t i = 0; i < n; ++i) {
    double sum = 0.0;
    double size = 0.0;
    for (std::size_t j = 0; j < n; ++j) {
      sum += matrix[i * n + j] * x[j];
      size += std::abs(matrix[i * n + j]) * magnitude[j];
    }
    product.value[i] = sum;
    product.magnitude[i] = size;
  }
  return product;
}

std::string fault_by_freivalds(const double* a, const double* b, const double* c, std::size_t n,
                               double tolerance) {
  for (int k = 0; k < vectors; ++k) {
    std::vector<double> r(n);
    std::vector<double> size(n);
    for (std::size_t i = 0; i < n; ++i) {
      r[i] = seeded_number(static_cast<std::uint64_t>(k) + 1, i, -1.0, 1.0);
      size[i] = std::abs(r[i]);
    }
    const Product br = multiply(b, r, size);
    const Product abr = multiply(a, br.value, br.magnitude);
    const Product cr = multiply(c, r, size);
    for (std::size_t i = 0; i < n; ++i) {
      if (std::abs(cr.value[i] - abr.value[i]) <= tolerance * abr.magnitude[i]) continue;
      return fmt::format("row {} of the product is wrong: C r gives {:.17g}, A B r gives {:.17g}",
                         i, cr.value[i], abr.value[i]);
    }
  }
  return {};
}

std::string fault_by_dot_products(const double* a, const double* b, const double* c, std::size_t n,
                                  double tolerance) {
  for (std::size_t k = 0; k < dot_products; ++k) {
    const auto place = [&](std::uint64_t seed) {
      return static_cast<std::size_t>(seeded_number(seed, k, 0.0, static_cast<double>(n)));
    };
    const std::size_t i = place(11);
    const std::size_t j = place(12);
    long double sum = 0.0L;
    double size = 0.0;
    for (std::size_t l = 0; l < n; ++l) {
      sum += static_cast<long double>(a[i * n + l]) * static_cast<long double>(b[l * n + j]);
      size += std::abs(a[i * n + l] * b[l * n + j]);
    }
    const auto expected = static_cast<double>(sum);
    if (std::abs(c[i * n + j] - expected) <= tolerance * size) continue;
    return fmt::format("element ({}, {}) of the product is {:.17g}, not {:.17g}", i, j,
                       c[i * n + j], expected);
  }
  return {};
}

}  // namespace

Verification check_product(const double* a, const double* b, const double* c, std::size_t n) {
  const double tolerance =
      2.0 * static_cast<double>(n + 8) * std::numeric_limits<double>::epsilon();
  std::string fault = fault_by_freivalds(a, b, c, n, tolerance);
  if (fault.empty()) fault = fault_by_dot_products(a, b, c, n, tolerance);
  if (!fault.empty()) return {false, fault};
  return {true, fmt::format("{} rows agree with Freivalds' check, {} elements with dot products", n,
                            dot_products)};
}

namespace {

constexpr RunTimeModule blas_module{
    .name = "equipoise_blas",
    .folder = "real",
    .refusal = "cannot multiply matrices",
    .remedy = "install OpenBLAS (Debian, Ubuntu: apt install libopenblas-dev) and build again",
    .instead = "choose another kernel"};

class Matmul final : public Kernel {
 public:
  explicit Matmul(const Parameters& parameters)
      // The limit keeps n^2 below 2^63 and n within OpenBLAS's int.
      : Kernel("matmul", "row", parameters.items("n", 0, Items{1} << 30), parameters) {
    const auto size = static_cast<double>(workload_.items);
    const double row_bytes = size * sizeof(double);
    set_bytes(row_bytes, row_bytes, size * row_bytes);
    workload_.flop_per_item = 2.0 * size * size;
    set_problem("n", {{"n", size}});
  }

  void prepare_programs() override {
    // A unit computes with its own pinned threads.
    open_module<BlasModule>(blas_module).use_one_thread();
  }

  void allocate(std::uint64_t seed) override {
    prepare_programs();
    const std::size_t elements = count() * count();
    for (Buffer* matrix : {&a_, &b_, &c_}) *matrix = Buffer(elements);
    std::uint64_t position = 0;
    for (double& value : a_.span()) value = seeded_number(seed, position++, -1.0, 1.0);
    for (double& value : b_.span()) value = seeded_number(seed, position++, -1.0, 1.0);
    data_ = {{input_rows(a_.data(), count())},
             {result_rows(c_.data(), count())},
             {resident_array(std::as_const(b_).span())},
             {a_.fixed(), b_.fixed()}};
    clear_results();
  }

  void clear_results() override { fill_with_nan(c_); }

  CpuProgram make_cpu_program() const override {
    return [n = count(), multiply = open_module<BlasModule>(blas_module).multiply](
               const StagedBlock& block, std::size_t first, std::size_t rows) {
      multiply(block.input<double>(0) + first * n, block.kept<double>(0),
               block.result<double>(0) + first * n, static_cast<int>(rows), static_cast<int>(n));
    };
  }

  Verification verify() const override {
    return check_product(a_.data(), b_.data(), c_.data(), count());
  }

 private:
  Buffer a_;  ///< the three matrices, row by row
  Buffer b_;
  Buffer c_;
};

}  // namespace

std::unique_ptr<Kernel> make_matmul(const Parameters& parameters) {
  return std::make_unique<Matmul>(parameters);
}

}  // namespace equipoise
