// Escape times of the Mandelbrot set on a GPU.
#pragma once

#include "real/gpu/stream.hpp"
#include "real/kernels/mandelbrot/escape_time.hpp"
#include "shared_policies/model/measures.hpp"

namespace equipoise {

/// Loads the kernels onto the current device, so that no launch waits for that. Throws as
/// check_cuda does.
void load_mandelbrot();
/// Enqueues counting the steps of the pixels of `rows` rows (at least one), as `count_steps` counts
/// them, bit by bit: row i has im c = imaginary[i] and the counts from counts[i * image.width].
/// Arrays are in the device's memory.
void launch_mandelbrot(const Stream& stream, const EscapeImage& image, const double* imaginary,
                       double* counts, Items rows);

}  // namespace equipoise
