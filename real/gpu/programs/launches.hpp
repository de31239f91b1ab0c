// The computations of our kernels for GPUs: what loads their code, and what enqueues a block.
#pragma once

#include <cstddef>
#include <cstdint>

#include "real/gpu/stream.hpp"
#include "real/kernels/binomial/lattice_price.hpp"
#include "real/kernels/blackscholes/option_price.hpp"
#include "real/kernels/fft2d/fourier_transform.hpp"
#include "real/kernels/gaussian/blur.hpp"
#include "real/kernels/grn/pair_search.hpp"
#include "real/kernels/mandelbrot/escape_time.hpp"
#include "real/kernels/nbody/gravity.hpp"
#include "real/kernels/taylor/taylor_series.hpp"
#include "shared_policies/model/measures.hpp"

namespace equipoise {

// Each load_... loads code onto the current device, so that no launch waits for that. Each
// launch_... enqueues the computation of a block on `stream`; arrays are in the device's memory.
// All throw as check_cuda does.

void load_binomial();
/// Enqueues the pricing of `count` calls (at least one) on lattices of `steps` steps, from 1 to
/// `lattice_steps_max`, as `price_on_lattice` prices them.
void launch_binomial(const Stream& stream, const LatticeColumns& options, std::size_t count,
                     double rate, std::size_t steps);

void load_blackscholes();
/// Enqueues the pricing of `count` options (at least one), as `price_options` prices them. Columns
/// begin at multiples of 16 bytes.
void launch_blackscholes(const Stream& stream, const OptionColumns& options, std::size_t count,
                         double rate);

void load_fourier_filter();
/// Enqueues the multiplication of `count` transforms of `shape`, pairs of doubles, by the filter of
/// FourierTransform.
void launch_fourier_filter(const Stream& stream, const FourierShape& shape, double* transforms,
                           std::size_t count);

/// The bytes of the current device's second-level cache.
[[nodiscard]] std::size_t fft2d_cache_bytes();

void load_gaussian();
/// Enqueues the blur of `rows` rows (at least one), as `blur` computes them but for rounding: terms
/// are added in another order.
void launch_gaussian(const Stream& stream, const BlurShape& shape, const double* weights,
                     const double* in, std::size_t rows, double* out);

void load_grn();
/// Enqueues the search for the best pairs of `count` genes, which finds the pairs and the entropies
/// that `find_best_pairs` finds.
void launch_grn(const Stream& stream, const RegulatorTables& regulators, const Samples* genes,
                std::size_t count, BestPair* best);

/// The points of a block and the centroids, as in real/kernels/kmeans/nearest.hpp.
struct NearestSearch {
  const double* points;  ///< (count, dimensions)
  std::size_t count;
  std::size_t dimensions;
  const double* table;  ///< as `make_nearest_table` writes it
  std::size_t clusters;
  std::int32_t* labels;  ///< (count)
};

/// The label of a point for which fused multiply-add cannot tell the nearest centroid.
inline constexpr std::int32_t undecided_label = -2;

void load_kmeans();
/// Enqueues the search for all points. The labels are those that the CPU finds, to the
/// last point: where two centroids are as near as rounding can tell, the second of two kernels
/// repeats the CPU's arithmetic.
void launch_kmeans(const Stream& stream, const NearestSearch& search);

/// Part of load_kmeans.
void load_kmeans_undecided();
/// Enqueues the second kernel, which replaces every `undecided_label`.
void launch_kmeans_undecided(const Stream& stream, const NearestSearch& search);

void load_mandelbrot();
/// Enqueues counting the steps of the pixels of `rows` rows (at least one), as `count_steps` counts
/// them, bit by bit: row i has im c = imaginary[i] and the counts from counts[i * image.width].
void launch_mandelbrot(const Stream& stream, const EscapeImage& image, const double* imaginary,
                       double* counts, Items rows);

void load_nbody();
/// Enqueues the accelerations of the bodies [first, first + count), at least one, as `accelerate`
/// computes them. They are added in another order, so their last bits differ.
void launch_nbody(const Stream& stream, const BodyColumns& bodies, std::size_t first,
                  std::size_t count, double softening, const AccelerationColumns& out);

void load_taylor();
/// Enqueues the sums of the first `terms` terms (at least one) at `count` points (at least one), as
/// `evaluate_series` sums them with the coefficients of `logarithm_series`.
void launch_taylor(const Stream& stream, const double* x, const double* y, double* value,
                   std::size_t count, std::size_t terms);

/// What a load does, and what it shares with the host: memory of the host that the GPU sees, too.
struct CompetingBlocks {
  unsigned count = 1;            ///< blocks, each of which keeps one SM busy
  std::size_t shared_bytes = 0;  ///< all that a block can have, so that an SM has room for one only
  std::uint64_t span_ns = 0;     ///< how long each is busy
  const volatile std::uint64_t* stops = nullptr;  ///< all end soon after this is not 0
  volatile std::uint64_t* busy_ns = nullptr;      ///< (blocks) how long each was busy is added here
};

void load_compete();
/// Enqueues a load. A load that finds `stops` set when it begins ends at once.
void launch_compete(const Stream& stream, const CompetingBlocks& blocks);

}  // namespace equipoise
