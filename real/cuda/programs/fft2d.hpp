// Batches of 2-D Fourier transforms on CUDA devices, by cuFFT.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "real/cuda/programs.hpp"
#include "real/kernels/fft2d/fourier_transform.hpp"

namespace equipoise {

/// Makes the program for blocks of up to `transforms` transforms of `shape` on the current device.
/// Opens cuFFT and makes all plans now, which takes long. Throws BackendError if there is no cuFFT,
/// BlockFailure if it does not work, and std::bad_alloc if it has too little memory.
[[nodiscard]] std::unique_ptr<CudaProgram> make_cuda_fft2d(const FourierShape& shape,
                                                           std::size_t transforms);

/// Enqueues the multiplication of `count` transforms of `shape`, pairs of doubles in the device's
/// memory, by the filter of FourierTransform.
void launch_fourier_filter(const Stream& stream, const FourierShape& shape, double* transforms,
                           std::size_t count);

/// library_line of cuFFT.
[[nodiscard]] std::string cufft_line();

}  // namespace equipoise
