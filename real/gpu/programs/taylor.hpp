// Taylor series at many points on a GPU.
#pragma once

#include <cstddef>

#include "real/gpu/stream.hpp"
#include "real/kernels/taylor/taylor_series.hpp"

namespace equipoise {

/// Loads the kernels onto the current device, so that no launch waits for that. Throws as
/// check_cuda does.
void load_taylor();
/// Enqueues the sums of the first `terms` terms (at least one) at `count` points (at least one), as
/// `evaluate_series` sums them with the coefficients of `logarithm_series`. Arrays are in the
/// device's memory.
void launch_taylor(const Stream& stream, const double* x, const double* y, double* value,
                   std::size_t count, std::size_t terms);

}  // namespace equipoise
