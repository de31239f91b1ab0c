// The 2-D Fourier transform of one array, forward only, or forward, filtered and inverse; and a
// check of transforms without computing one.
#pragma once

#include <cstddef>
#include <memory>

#include "real/kernels/buffer.hpp"
#include "real/kernels/kernel_data.hpp"

namespace equipoise {

/// The size and the directions of a transform.
struct FourierShape {
  std::size_t rows = 1;     ///< R, 1 to 2^20
  std::size_t columns = 1;  ///< C, 1 to 2^20
  int directions = 2;       ///< 1: forward; 2: forward, filtered, inverse

  [[nodiscard]] std::size_t points() const { return rows * columns; }
};

/// Transforms arrays x of R rows and C columns of complex numbers (R * C pairs of doubles, row by
/// row in memory).
///
///     directions = 1:  X[k][l] = sum_mn x[m][n] e^(-2 pi i (k m / R + l n / C))
///     directions = 2:  y = inverse of ((2 cos(2 pi k / R) + 2 cos(2 pi l / C) - 4) X[k][l])
///
/// The filter is the symbol of the periodic five-point Laplacian, hence y[m][n] = x[m-1][n] +
/// x[m+1][n] + x[m][n-1] + x[m][n+1] - 4 x[m][n], with indices modulo R and C. Without a filter,
/// forward and inverse would return the input, and a kernel that computes nothing could pass for
/// correct.
///
/// FFTW 3 transforms rows and columns one by one. Columns are gathered eight at a time, because
/// accesses at a power-of-two stride map to the same cache lines: FFTW's own plan for the whole
/// array, chosen without measuring, is seven times slower at 512 x 512. Plans are estimated, not
/// measured: a measured plan depends on the load of the machine during the measurement, and
/// different plans round differently. With estimated plans, a machine gives the same bits in every
/// run, on every unit and thread, at any address of the array.
class FourierTransform {
 public:
  /// Plans the transform. Planning is not thread safe in FFTW, so a lock protects it.
  explicit FourierTransform(const FourierShape& shape);
  FourierTransform(const FourierTransform&) = delete;
  FourierTransform& operator=(const FourierTransform&) = delete;
  ~FourierTransform();

  /// Working memory for the current columns or row; each thread needs its own.
  [[nodiscard]] Buffer make_room() const;
  /// Transforms `in` to `out`. Both begin at a multiple of 16 bytes and do not overlap. Several
  /// threads may call this at once.
  void transform(const double* in, double* out, Buffer& room) const;

 private:
  struct Plans;

  void transform_columns(double* out, double* room) const;
  void filter(double* column, std::size_t l) const;

  FourierShape shape_;
  std::unique_ptr<const Plans> plans_;
  Buffer row_symbol_;     ///< (R) (2 cos(2 pi k / R) - 2) / (R C)
  Buffer column_symbol_;  ///< (C) (2 cos(2 pi l / C) - 2) / (R C)
};

/// Checks `count` arrays of `shape` (pairs of doubles, one array after another) against the results
/// that `FourierTransform` gave for them.
///
/// Forward only: checks every array by Parseval's theorem and by the weighted sum sum_kl u^k v^l
/// X[k][l] for random u and v on the unit circle. That sum must equal the same sum over the input
/// with the transform of the weights, which is a geometric series. One wrong number, off by more
/// than rounding, always changes these values; several wrong numbers change them with probability
/// 1. Then checks up to 64 numbers by their definition in long double. Forward and inverse:
/// compares every number of every array with the five-point differences of the input. Errors are
/// measured as the norm over an array, for which a bound on rounding is known, O(eps log(R C))
/// times the norm of the input. O(count R C). An array that was never computed holds NaNs and
/// fails.
///
/// Source: Freivalds (1977) for products; Higham, Accuracy and Stability (2002), theorem 24.2, for
/// rounding.
[[nodiscard]] Verification check_transforms(const double* in, const double* out, std::size_t count,
                                            const FourierShape& shape);

}  // namespace equipoise
