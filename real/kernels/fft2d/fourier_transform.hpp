// The 2-D Fourier transform of one array, forward alone or forward, filtered and back.
#pragma once

#include <cstddef>
#include <memory>

#include "real/kernels/buffer.hpp"

namespace equipoise {

/// What a transform is asked to do.
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
/// The filter is the symbol of the periodic five-point Laplacian, hence
/// y[m][n] = x[m-1][n] + x[m+1][n] + x[m][n-1] + x[m][n+1] - 4 x[m][n], indices modulo R and C. A
/// plain round trip would give the input back, which whoever computes nothing gives too.
///
/// FFTW 3 transforms rows and columns one by one; columns are brought together eight at a time,
/// because steps through memory by a power of two meet the same lines of a cache again and again:
/// FFTW's own plan of the whole array, chosen without measuring, is seven times slower at
/// 512 x 512. FFTW is asked for estimated plans: those that it measures depend on what else the
/// machine did while it measured, and another plan rounds otherwise. So the same machine gives the
/// same bits in every run, on every unit and thread, wherever the array lies.
class FourierTransform {
 public:
  /// Plans the transform. Planning is not thread safe in FFTW: it is done under one lock.
  explicit FourierTransform(const FourierShape& shape);
  FourierTransform(const FourierTransform&) = delete;
  FourierTransform& operator=(const FourierTransform&) = delete;
  ~FourierTransform();

  /// Room for the columns or the row at work; each thread needs its own.
  [[nodiscard]] Buffer make_room() const;
  /// Transforms `in` to `out`; both begin at a multiple of 16 bytes and do not overlap. Several
  /// threads may do so at once.
  void transform(const double* in, double* out, Buffer& room) const;

 private:
  struct Plans;

  void transform_columns(double* out, double* room) const;
  void filter(double* column, std::size_t l) const;

  FourierShape shape_;
  std::unique_ptr<const Plans> plans_;
  Buffer row_symbol_;     ///< (R) 2 cos(2 pi k / R) - 2, over R C
  Buffer column_symbol_;  ///< (C) the same of columns
};

}  // namespace equipoise
