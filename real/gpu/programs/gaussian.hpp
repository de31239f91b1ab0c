// The Gaussian blur of an image on GPUs.
#pragma once

#include <cstddef>

#include "real/gpu/stream.hpp"
#include "real/kernels/gaussian/blur.hpp"

namespace equipoise {

/// Loads the kernels onto the current device, so that no launch waits for that. Throws as
/// check_cuda does.
void load_gaussian();
/// Enqueues the blur of `rows` rows (at least one) on `stream`, as `blur` computes them but for
/// rounding: terms are added in another order. All arrays are in the device's memory.
void launch_gaussian(const Stream& stream, const BlurShape& shape, const double* weights,
                     const double* in, std::size_t rows, double* out);

}  // namespace equipoise
