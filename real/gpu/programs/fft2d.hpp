// Batches of 2-D Fourier transforms on GPUs, by a library of their maker.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "real/gpu/programs.hpp"
#include "real/kernels/fft2d/fourier_transform.hpp"

namespace equipoise {

/// Makes the program for blocks of up to `transforms` transforms of `shape` on the current device.
/// Opens the library and makes all plans now, which takes long. Throws BackendError if there is
/// none, BlockFailure if it does not work, and std::bad_alloc if it has too little memory.
[[nodiscard]] std::unique_ptr<GpuProgram> make_gpu_fft2d(const FourierShape& shape,
                                                         std::size_t transforms);

/// Loads the kernel of the filter onto the current device, so that no launch waits for that.
void load_fourier_filter();
/// Enqueues the multiplication of `count` transforms of `shape`, pairs of doubles in the device's
/// memory, by the filter of FourierTransform.
void launch_fourier_filter(const Stream& stream, const FourierShape& shape, double* transforms,
                           std::size_t count);

/// The bytes of the current device's second-level cache. Throws as check_cuda does.
[[nodiscard]] std::size_t fft2d_cache_bytes();

/// Whether the library is here: library_line (real/cuda/library.hpp).
[[nodiscard]] std::string fft2d_library_line();

}  // namespace equipoise
