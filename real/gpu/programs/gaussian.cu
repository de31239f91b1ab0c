// The Gaussian blur of an image on GPUs: a convolution in two dimensions.
//
// Bound by fused multiply-adds. A block of threads computes 8 rows of 224 pixels, a thread 4 rows
// of 7 neighbours, whose sums stay in registers. Eight input rows and the weights that they need
// pass through shared memory at a time, weights in pairs; a thread's pixels are seven doubles apart
// from its neighbour's, so that they lie in different banks.
#include "real/gpu/programs.hpp"

#include <cstddef>

#include "real/gpu/device_code.hpp"
#include "real/kernels/gaussian/blur.hpp"

namespace equipoise {
namespace {

constexpr unsigned lanes = 32;
constexpr unsigned groups = 2;
constexpr unsigned block_threads = lanes * groups;
constexpr unsigned own_columns = 7;
constexpr unsigned own_rows = 4;
constexpr unsigned tile_columns = lanes * own_columns;
constexpr unsigned tile_rows = groups * own_rows;
constexpr unsigned staged_rows = 8;  ///< input rows at a time
/// The rows of the filter that meet them.
constexpr unsigned staged_weights = tile_rows + staged_rows - 1;
constexpr unsigned taps_at_once = 4;       ///< columns of the filter in one round of a loop
constexpr unsigned staged_taps_max = 128;  ///< columns of the filter at a time

/// The arguments of the kernel.
struct Blur {
  const double* weights;
  const double* in;
  double* out;
  std::size_t width;
  std::size_t stride;
  std::size_t rows;
  unsigned taps;
  unsigned staged_taps;  ///< columns of the filter at a time
};

/// The sums of a thread.
struct Sums {
  double sum[own_rows][own_columns] = {};
};

/// Two neighbours of a row of the filter, which one access reads.
struct alignas(2 * sizeof(double)) WeightPair {
  double weight[2];
};

/// Rows of the filter in shared memory begin with a pair.
__device__ unsigned pitch_of(unsigned taps) { return (taps + 1) / 2 * 2; }

/// Adds the products of `weight` and the pixels `seen` to the sums of a row.
__device__ void add_products(double weight, const double* seen, double (&sum)[own_columns]) {
#pragma unroll
  for (unsigned x = 0; x < own_columns; ++x) sum[x] += weight * seen[x];
}

/// Adds the products of one input row with one row of the filter for each own row. `weights` are
/// those of the first own row; the next has those of the filter row above.
__device__ void add_row(const double* pixels, const double* weights, unsigned taps, Sums& sums) {
  const unsigned pitch = pitch_of(taps);
  double seen[own_columns - 1 + taps_at_once];
#pragma unroll
  for (unsigned x = 0; x + 1 < own_columns; ++x) seen[x] = pixels[x];
  unsigned l = 0;
#pragma unroll 2
  for (; l + taps_at_once <= taps; l += taps_at_once) {
#pragma unroll
    for (unsigned x = 0; x < taps_at_once; ++x) {
      seen[own_columns - 1 + x] = pixels[l + own_columns - 1 + x];
    }
#pragma unroll
    for (unsigned u = 0; u < taps_at_once; u += 2) {
#pragma unroll
      for (unsigned row = 0; row < own_rows; ++row) {
        const WeightPair pair = *reinterpret_cast<const WeightPair*>(weights - row * pitch + l + u);
        add_products(pair.weight[0], seen + u, sums.sum[row]);
        add_products(pair.weight[1], seen + u + 1, sums.sum[row]);
      }
    }
#pragma unroll
    for (unsigned x = 0; x + 1 < own_columns; ++x) seen[x] = seen[taps_at_once + x];
  }
  for (; l < taps; ++l) {
    seen[own_columns - 1] = pixels[l + own_columns - 1];
#pragma unroll
    for (unsigned row = 0; row < own_rows; ++row) {
      add_products((weights - row * pitch)[l], seen, sums.sum[row]);
    }
#pragma unroll
    for (unsigned x = 0; x + 1 < own_columns; ++x) seen[x] = seen[x + 1];
  }
}

/// Sets `count` numbers in shared memory to read(0), read(1) ..., with all threads of the block.
/// Each has several reads under way.
template <class Read>
__device__ void bring(unsigned count, double* to, Read read) {
  constexpr unsigned at_once = 4;
  for (unsigned from = threadIdx.x; from < count; from += at_once * block_threads) {
    double numbers[at_once];
#pragma unroll
    for (unsigned q = 0; q < at_once; ++q) {
      const unsigned at = from + q * block_threads;
      numbers[q] = at < count ? read(at) : 0.0;
    }
#pragma unroll
    for (unsigned q = 0; q < at_once; ++q) {
      const unsigned at = from + q * block_threads;
      if (at < count) to[at] = numbers[q];
    }
  }
}

/// Brings the input rows from `row` on, from column `column` on, to shared memory. What is not in
/// the input is 0.
__device__ void bring_pixels(const Blur& blur, std::size_t row, std::size_t column, unsigned length,
                             double* pixels) {
  const std::size_t rows = blur.rows + blur.taps - 1;
  bring(staged_rows * length, pixels, [&](unsigned at) {
    const std::size_t y = row + at / length;
    const std::size_t x = column + at % length;
    return y < rows && x < blur.stride ? blur.in[y * blur.stride + x] : 0.0;
  });
}

/// Brings columns `tap` to `tap` + `taps` of the filter's rows from `row` on to shared memory. Rows
/// that the filter does not have are 0.
__device__ void bring_weights(const Blur& blur, int row, unsigned tap, unsigned taps,
                              double* weights) {
  const unsigned pitch = pitch_of(taps);
  bring(staged_weights * pitch, weights, [&](unsigned at) {
    const int k = row + static_cast<int>(at / pitch);
    const bool is_there = k >= 0 && k < static_cast<int>(blur.taps) && at % pitch < taps;
    const std::size_t from = static_cast<std::size_t>(k) * blur.taps + tap + at % pitch;
    return is_there ? blur.weights[from] : 0.0;
  });
}

__global__ void blur_tile(Blur blur) {
  const unsigned lane = threadIdx.x % lanes;
  const unsigned own_first = threadIdx.x / lanes * own_rows;
  const std::size_t tile_row = std::size_t{blockIdx.x} * tile_rows;
  const std::size_t tile_column = std::size_t{blockIdx.y} * tile_columns;
  double* const pixels = dynamic_shared<double>();
  double* const weights = pixels + staged_rows * (tile_columns + blur.staged_taps - 1);
  const auto filter_rows = static_cast<int>(blur.taps);
  Sums sums;
  for (unsigned tap = 0; tap < blur.taps; tap += blur.staged_taps) {
    const unsigned left = blur.taps - tap;
    const unsigned taps = left < blur.staged_taps ? left : blur.staged_taps;
    const unsigned length = tile_columns + taps - 1;
    for (unsigned row = 0; row < blur.taps + tile_rows - 1; row += staged_rows) {
      // The row of the filter that the tile's last row multiplies with the first input row.
      const int least = static_cast<int>(row) - static_cast<int>(tile_rows - 1);
      __syncthreads();
      bring_pixels(blur, tile_row + row, tile_column + tap, length, pixels);
      bring_weights(blur, least, tap, taps, weights);
      __syncthreads();
      if (tile_row + own_first >= blur.rows) continue;
      for (unsigned s = 0; s < staged_rows; ++s) {
        // The row of the filter that the first own row multiplies with this input row.
        const int k = static_cast<int>(row + s) - static_cast<int>(own_first);
        if (k < 0 || k >= filter_rows + static_cast<int>(own_rows) - 1) continue;
        add_row(pixels + s * length + lane * own_columns,
                weights + (tile_rows - 1 + s - own_first) * pitch_of(taps), taps, sums);
      }
    }
  }
#pragma unroll
  for (unsigned row = 0; row < own_rows; ++row) {
    const std::size_t y = tile_row + own_first + row;
    if (y >= blur.rows) break;
#pragma unroll
    for (unsigned x = 0; x < own_columns; ++x) {
      const std::size_t column = tile_column + lane * own_columns + x;
      if (column < blur.width) blur.out[y * blur.width + column] = sums.sum[row][x];
    }
  }
}

void launch_gaussian(const Stream& stream, const BlurShape& shape, const StagedBlock& block) {
  const auto taps = static_cast<unsigned>(shape.taps());
  const unsigned parts = (taps + staged_taps_max - 1) / staged_taps_max;
  const unsigned staged_taps = (taps + parts - 1) / parts;
  const Size3 grid{blocks_for(items_of(block), tile_rows), blocks_for(shape.width, tile_columns)};
  const std::size_t shared_bytes =
      sizeof(double) * (std::size_t{staged_rows} * (tile_columns + staged_taps - 1) +
                        std::size_t{staged_weights} * ((staged_taps + 1) / 2 * 2));
  launch(blur_tile, grid, {block_threads}, shared_bytes, stream,
         Blur{block.kept<double>(0), block.input<double>(0), block.result<double>(0), shape.width,
              shape.stride(), items_of(block), taps, staged_taps});
}

}  // namespace

GpuProgram gpu_gaussian(const KernelParameters& parameters) {
  const BlurShape shape{.width = whole(parameters, "width"), .radius = whole(parameters, "radius")};
  return {[] { load_code(blur_tile); },
          [shape](const Stream& stream, const StagedBlock& block) {
            launch_gaussian(stream, shape, block);
          }};
}

}  // namespace equipoise
