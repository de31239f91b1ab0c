// Checks C = A B in far less time than computing it takes.
#pragma once

#include <cstddef>

#include "real/kernels/kernel_data.hpp"

namespace equipoise {

/// Checks the n by n product C = A B (row by row in memory) by Freivalds' method: for random
/// vectors r, every row of C r equals that of A (B r), up to rounding. Also compares some elements
/// of C with their dot products. A row that was never computed holds NaNs and fails. O(n^2).
///
/// Source: Freivalds (1977). Our random vectors are real, so any wrong row differs with probability
/// 1. An error below the rounding bound n eps |a||b| is accepted.
[[nodiscard]] Verification check_product(const double* a, const double* b, const double* c,
                                         std::size_t n);

}  // namespace equipoise
