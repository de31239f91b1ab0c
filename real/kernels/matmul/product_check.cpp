// Checks by Freivalds' method and by some dot products.
#include "real/kernels/matmul/product_check.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include <fmt/format.h>

#include "real/kernels/seeded.hpp"

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

}  // namespace equipoise
