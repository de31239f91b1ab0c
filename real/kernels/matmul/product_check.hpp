// Tells whether C = A B, in far less time than computing it takes.
#pragma once

#include <cstddef>

#include "real/kernels/kernel.hpp"

namespace equipoise {

/// Checks the n by n product C = A B, row by row in memory, by Freivalds' method: for random
/// vectors r every row of C r equals that of A (B r), up to rounding; and by the exact dot products
/// of some elements of C. A row that was never computed holds NaNs and fails. O(n^2).
///
/// Source: Freivalds (1977). We take real random vectors, so that any wrong row differs with
/// probability 1; an error below rounding, n eps |a||b|, is none.
[[nodiscard]] Verification check_product(const double* a, const double* b, const double* c,
                                         std::size_t n);

}  // namespace equipoise
