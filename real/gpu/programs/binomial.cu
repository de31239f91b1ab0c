// Binomial lattices: bound by arithmetic, two operations a node. The threads of a block are a
// pipeline: each steps a row of nodes back by 16 steps in registers; the next takes its results.
//
// A block prices up to 32 options side by side, in neighbouring threads. A thread belongs to one
// option and one band of steps. At every tick it takes a chunk of its row, from the lowest node on,
// and passes on the chunk that lies `band_steps` nodes lower at the band's end. Nodes at expiry are
// computed when the first band takes them, so no row is stored. Only lattices with more steps than
// a block has bands for are stepped back in several passes; then each thread keeps a part of the
// row.
#include "real/gpu/programs/binomial.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "real/gpu/device_code.hpp"
#include "real/gpu/programs/grid.hpp"

namespace equipoise {
namespace {

constexpr unsigned block_threads_max = 512;
constexpr unsigned together_max = 32;  ///< options of a block
constexpr unsigned band_steps = 16;
constexpr unsigned chunk = 4;  ///< nodes
constexpr unsigned band_chunks = band_steps / chunk;
/// A band begins so many ticks after the one before it.
constexpr unsigned lag = band_chunks + 1;
/// Chunks of a row that a thread keeps between two passes.
constexpr unsigned kept_chunks = lattice_steps_max / chunk / block_threads_max + 1;
/// Blocks that keep a large GPU busy.
constexpr std::size_t blocks_wanted = 256;

/// The lattice of an option.
struct Lattice {
  double spot;  ///< at the next node at expiry
  double ratio;
  double strike;
  double up;  ///< discounted probabilities
  double down;
};

/// What the threads of a block share.
struct Board {
  Lattice lattices[together_max];
  double passed[2][chunk][block_threads_max];  ///< (tick modulo 2) a chunk of each thread
  double fed[2][chunk];                        ///< (tick modulo 2) a chunk of a row that was kept
  double last[band_steps][together_max];       ///< the nodes before which less than a band is left
};

__device__ Lattice lattice_of(const LatticeColumns& options, std::size_t i, double rate,
                              unsigned steps) {
  const double step_years = options.years[i] / steps;
  const double log_up = options.volatility[i] * std::sqrt(step_years);
  const double u = std::exp(log_up);
  const double d = std::exp(-log_up);
  const double growth = std::exp(rate * step_years);
  const double p = (growth - d) / (u - d);
  return {options.spot[i] * std::exp(-log_up * steps), u * u, options.strike[i], p / growth,
          (1.0 - p) / growth};
}

/// The value at expiry of the next node.
__device__ double next_at_expiry(Lattice& lattice) {
  const double gain = lattice.spot - lattice.strike;
  lattice.spot *= lattice.ratio;
  return gain > 0.0 ? gain : 0.0;
}

/// Takes the next nodes of a row in `values`, and replaces them by those `band_steps` nodes lower
/// and steps earlier. `below` (steps) are the nodes below them at each step.
__device__ void step_back(double up, double down, double (&below)[band_steps],
                          double (&values)[chunk]) {
  for (double& lower : below) {
    for (double& value : values) {
      const double earlier = up * value + down * lower;
      lower = value;
      value = earlier;
    }
  }
}

/// The price, from the row of `steps` + 1 nodes (less than `band_steps`) in `last`.
__device__ double finish(const Lattice& lattice, unsigned steps,
                         const double (&last)[band_steps][together_max], unsigned option) {
  double values[band_steps];
  for (unsigned j = 0; j < band_steps; ++j) values[j] = last[j][option];
  for (; steps > 0; --steps) {
    for (unsigned j = 0; j + 1 < band_steps; ++j) {
      values[j] = lattice.up * values[j + 1] + lattice.down * values[j];
    }
  }
  return values[0];
}

/// A part of a row between two passes: the thread t keeps the chunks from t * kept_chunks on.
template <bool has_passes>
struct KeptPart {
  double nodes[has_passes ? kept_chunks * chunk : 1];

  /// Writes chunk `at` of the row for the first band, if this thread keeps it.
  __device__ void feed(unsigned at, double (&to)[chunk]) const {
    if (threadIdx.x != at / kept_chunks) return;
    for (unsigned i = 0; i < chunk; ++i) to[i] = nodes[at % kept_chunks * chunk + i];
  }
  /// Keeps chunk `at` of the row, which the thread `from` has passed on, if this thread keeps it.
  __device__ void keep(unsigned at, const double (&passed)[chunk][block_threads_max],
                       unsigned from) {
    if (threadIdx.x != at / kept_chunks) return;
    for (unsigned i = 0; i < chunk; ++i) nodes[at % kept_chunks * chunk + i] = passed[i][from];
  }
};

/// One pass through all bands of a block.
struct Pass {
  unsigned nodes;  ///< the highest node of the row
  unsigned bands;
  bool is_first;
  bool is_last;

  /// The last chunk that a band takes.
  [[nodiscard]] __device__ unsigned last_chunk(unsigned band) const {
    return (nodes - band * band_steps) / chunk;
  }
  [[nodiscard]] __device__ unsigned ticks() const {
    return lag * (bands - 1) + last_chunk(bands - 1) + 1;
  }
};

/// What a thread does at a tick: takes a chunk, steps it back, and passes it on.
__device__ void take_chunk(const Pass& pass, Board& board, unsigned together, unsigned tick,
                           double up, double down, double (&below)[band_steps]) {
  const unsigned option = threadIdx.x % together;
  const unsigned band = threadIdx.x / together;
  if (band >= pass.bands || tick < lag * band) return;
  const unsigned at = tick - lag * band;
  if (at > pass.last_chunk(band)) return;
  double values[chunk];
  if (band > 0) {
    for (unsigned i = 0; i < chunk; ++i) {
      values[i] = board.passed[(tick + 1) % 2][i][threadIdx.x - together];
    }
  } else if (pass.is_first) {
    for (double& value : values) value = next_at_expiry(board.lattices[option]);
  } else {
    for (unsigned i = 0; i < chunk; ++i) values[i] = board.fed[tick % 2][i];
  }
  step_back(up, down, below, values);
  if (band + 1 < pass.bands || !pass.is_last) {
    for (unsigned i = 0; i < chunk; ++i) board.passed[tick % 2][i][threadIdx.x] = values[i];
  } else if (at >= band_chunks) {
    for (unsigned i = 0; i < chunk; ++i) {
      board.last[(at - band_chunks) * chunk + i][option] = values[i];
    }
  }
}

/// Steps the row back by all bands of `pass`. With several passes there is one option.
template <bool has_passes>
__device__ void step_back_by_bands(const Pass& pass, Board& board, unsigned together, double up,
                                   double down, KeptPart<has_passes>& kept) {
  double below[band_steps] = {};
  if (has_passes) {
    if (!pass.is_first) kept.feed(0, board.fed[0]);
    __syncthreads();
  }
  // A chunk that the last band passes on is kept at the next tick.
  const unsigned ticks = pass.ticks() + (has_passes ? 1 : 0);
  const unsigned kept_from = lag * pass.bands;
  for (unsigned tick = 0; tick < ticks; ++tick) {
    if (has_passes) {
      if (!pass.is_first) kept.feed(tick + 1, board.fed[(tick + 1) % 2]);
      if (!pass.is_last && tick >= kept_from) {
        kept.keep(tick - kept_from, board.passed[(tick + 1) % 2], pass.bands - 1);
      }
    }
    take_chunk(pass, board, together, tick, up, down, below);
    __syncthreads();
  }
}

template <bool has_passes>
__global__ void __launch_bounds__(block_threads_max, 2)
    price_together(LatticeColumns options, std::size_t count, double rate, unsigned steps,
                   unsigned together) {
  __shared__ Board board;
  const unsigned option = threadIdx.x % together;
  const bool is_first_band = threadIdx.x < together;
  const std::size_t i = std::size_t{blockIdx.x} * together + option;
  if (is_first_band) {
    // Behind the last option, it is priced again.
    board.lattices[option] = lattice_of(options, i < count ? i : count - 1, rate, steps);
    for (unsigned j = 0; j <= steps && steps < band_steps; ++j) {
      board.last[j][option] = next_at_expiry(board.lattices[option]);
    }
  }
  __syncthreads();
  const double up = board.lattices[option].up;
  const double down = board.lattices[option].down;
  KeptPart<has_passes> kept;
  unsigned nodes = steps;
  while (nodes >= band_steps) {
    const unsigned bands = std::min(nodes / band_steps, blockDim.x / together);
    const unsigned left = nodes - bands * band_steps;
    step_back_by_bands({nodes, bands, nodes == steps, left < band_steps}, board, together, up, down,
                       kept);
    nodes = left;
  }
  if (is_first_band && i < count) {
    options.call[i] = finish(board.lattices[option], nodes, board.last, option);
  }
}

}  // namespace

void launch_binomial(const Stream& stream, const LatticeColumns& options, std::size_t count,
                     double rate, std::size_t steps) {
  const auto bands = static_cast<unsigned>(std::max<std::size_t>(steps / band_steps, 1));
  unsigned together = together_max;
  while (together > 1 && (together * bands > block_threads_max ||
                          (count + together - 1) / together < blocks_wanted)) {
    together /= 2;
  }
  const unsigned threads = together * std::min(bands, block_threads_max);
  launch(bands <= block_threads_max ? price_together<false> : price_together<true>,
         {blocks_for(count, together)}, {threads}, 0, stream, options, count, rate, steps,
         together);
}

}  // namespace equipoise
