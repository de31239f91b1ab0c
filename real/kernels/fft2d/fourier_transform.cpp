// Transforms rows and columns by FFTW, and applies the filter while the columns are in the cache.
#include "real/kernels/fft2d/fourier_transform.hpp"

#include <fftw3.h>

#include <algorithm>
#include <cmath>
#include <mutex>
#include <numbers>

#include "shared_policies/model/failure.hpp"

namespace equipoise {
namespace {

constexpr std::size_t together = 8;  ///< columns gathered at a time: two cache lines

fftw_complex* complex(double* numbers) { return reinterpret_cast<fftw_complex*>(numbers); }

/// FFTW never writes to the input of an out-of-place complex transform.
fftw_complex* complex(const double* numbers) { return complex(const_cast<double*>(numbers)); }

/// Doubles from one column to the next in `room`. Not a power of two, because such strides map to
/// the same cache lines; columns are gathered for the same reason.
std::size_t column_stride(const FourierShape& shape) { return 2 * (shape.rows + 4); }

/// The eigenvalues of second differences on a circle of `count` points, divided by `scale`.
void fill_symbol(Buffer& symbol, std::size_t count, double scale) {
  for (std::size_t k = 0; k < count; ++k) {
    const double sine =
        std::sin(std::numbers::pi * static_cast<double>(k) / static_cast<double>(count));
    symbol.data()[k] = -4.0 * sine * sine / scale;
  }
}

}  // namespace

/// FFTW's plans, all out of place. Executing a plan is thread safe; making and destroying plans is
/// not.
struct FourierTransform::Plans {
  explicit Plans(const FourierShape& shape) {
    Buffer from(2 * std::max(shape.columns, shape.rows));
    Buffer to(2 * std::max(shape.columns, shape.rows));
    const std::scoped_lock lock(planning());
    const auto plan = [&](std::size_t length, int direction) {
      return fftw_plan_dft_1d(static_cast<int>(length), complex(from.data()), complex(to.data()),
                              direction, FFTW_ESTIMATE);
    };
    row_forward = plan(shape.columns, FFTW_FORWARD);
    row_inverse = plan(shape.columns, FFTW_BACKWARD);
    column_forward = plan(shape.rows, FFTW_FORWARD);
    column_inverse = plan(shape.rows, FFTW_BACKWARD);
    EQ_CHECK(row_forward && row_inverse && column_forward && column_inverse,
             "FFTW has a plan for every size");
  }
  Plans(const Plans&) = delete;
  Plans& operator=(const Plans&) = delete;
  ~Plans() {
    const std::scoped_lock lock(planning());
    for (fftw_plan plan : {row_forward, row_inverse, column_forward, column_inverse}) {
      fftw_destroy_plan(plan);
    }
  }

  static std::mutex& planning() {
    static std::mutex mutex;
    return mutex;
  }

  fftw_plan row_forward = nullptr;
  fftw_plan row_inverse = nullptr;
  fftw_plan column_forward = nullptr;
  fftw_plan column_inverse = nullptr;
};

FourierTransform::FourierTransform(const FourierShape& shape)
    : shape_(shape),
      plans_(std::make_unique<const Plans>(shape)),
      row_symbol_(shape.rows),
      column_symbol_(shape.columns) {
  const auto points = static_cast<double>(shape.points());
  fill_symbol(row_symbol_, shape.rows, points);
  fill_symbol(column_symbol_, shape.columns, points);
}

FourierTransform::~FourierTransform() = default;

Buffer FourierTransform::make_room() const {
  return Buffer(std::max(2 * together * column_stride(shape_), 2 * shape_.columns));
}

void FourierTransform::transform(const double* in, double* out, Buffer& room) const {
  const std::size_t row = 2 * shape_.columns;
  for (std::size_t m = 0; m < shape_.rows; ++m) {
    fftw_execute_dft(plans_->row_forward, complex(in + m * row), complex(out + m * row));
  }
  transform_columns(out, room.data());
  if (shape_.directions == 1) return;
  for (std::size_t m = 0; m < shape_.rows; ++m) {
    fftw_execute_dft(plans_->row_inverse, complex(out + m * row), complex(room.data()));
    std::copy_n(room.data(), row, out + m * row);
  }
}

void FourierTransform::transform_columns(double* out, double* room) const {
  const std::size_t stride = column_stride(shape_);
  double* const from = room;
  double* const to = room + together * stride;
  for (std::size_t l = 0; l < shape_.columns; l += together) {
    const std::size_t count = std::min(together, shape_.columns - l);
    const auto for_each_number = [&](auto&& visit) {
      for (std::size_t m = 0; m < shape_.rows; ++m) {
        double* const number = out + 2 * (m * shape_.columns + l);
        for (std::size_t i = 0; i < count; ++i) visit(number + 2 * i, i * stride + 2 * m);
      }
    };
    for_each_number(
        [from](const double* number, std::size_t at) { std::copy_n(number, 2, from + at); });
    for (std::size_t i = 0; i < count; ++i) {
      double* const column = from + i * stride;
      double* const transformed = to + i * stride;
      fftw_execute_dft(plans_->column_forward, complex(column), complex(transformed));
      if (shape_.directions == 1) continue;
      filter(transformed, l + i);
      fftw_execute_dft(plans_->column_inverse, complex(transformed), complex(column));
    }
    const double* const result = shape_.directions == 1 ? to : from;
    for_each_number(
        [result](double* number, std::size_t at) { std::copy_n(result + at, 2, number); });
  }
}

void FourierTransform::filter(double* column, std::size_t l) const {
  for (std::size_t k = 0; k < shape_.rows; ++k) {
    const double symbol = row_symbol_.data()[k] + column_symbol_.data()[l];
    column[2 * k] *= symbol;
    column[2 * k + 1] *= symbol;
  }
}

}  // namespace equipoise
