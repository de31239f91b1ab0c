// Binomial lattices: bound by arithmetic, two operations a node. The threads of a block are a
// pipeline: each steps a row of nodes back by 16 steps in registers; the next takes its results.
//
// A block prices up to 32 options side by side, in neighbouring threads. A thread belongs to one
// option and one band of steps. At every tick it takes a chunk of its row, from the lowest node on,
// and passes on the chunk that lies `band_steps` nodes lower at the band's end. Nodes at expiry are
// computed when the first band takes them, so no row is stored. Later bands have shorter rows; the
// next options enter the pipeline as soon as the first band has taken the last chunk of those before
// them. Only lattices with more steps than a block has bands for are stepped back in several passes;
// then each thread keeps a part of the row.
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
/// Groups of options that follow one another in a block at most, and the blocks from which on they
/// do: the more groups, the less often the pipeline fills and drains, but the fewer blocks.
constexpr unsigned groups_max = 8;
constexpr std::size_t blocks_enough = 4 * blocks_wanted;

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
  Lattice lattices[groups_max][together_max];
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
struct KeptPart {
  double nodes[kept_chunks * chunk];

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

/// What a thread does at a tick: takes chunk `at` of its row, steps it back, and passes it on.
__device__ void take_chunk(const Pass& pass, Board& board, unsigned together, unsigned tick,
                           unsigned at, Lattice& lattice, double up, double down,
                           double (&below)[band_steps]) {
  const unsigned option = threadIdx.x % together;
  const unsigned band = threadIdx.x / together;
  double values[chunk];
  if (band > 0) {
    for (unsigned i = 0; i < chunk; ++i) {
      values[i] = board.passed[(tick + 1) % 2][i][threadIdx.x - together];
    }
  } else if (pass.is_first) {
    for (double& value : values) value = next_at_expiry(lattice);
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

/// Steps the row of the block's only option back by all bands of `pass`.
__device__ void step_back_by_bands(const Pass& pass, Board& board, double up, double down,
                                   KeptPart& kept) {
  const unsigned band = threadIdx.x;
  double below[band_steps] = {};
  if (!pass.is_first) kept.feed(0, board.fed[0]);
  __syncthreads();
  // A chunk that the last band passes on is kept at the next tick.
  const unsigned ticks = pass.ticks() + 1;
  const unsigned kept_from = lag * pass.bands;
  for (unsigned tick = 0; tick < ticks; ++tick) {
    if (!pass.is_first) kept.feed(tick + 1, board.fed[(tick + 1) % 2]);
    if (!pass.is_last && tick >= kept_from) {
      kept.keep(tick - kept_from, board.passed[(tick + 1) % 2], pass.bands - 1);
    }
    if (band < pass.bands && tick >= lag * band && tick - lag * band <= pass.last_chunk(band)) {
      take_chunk(pass, board, 1, tick, tick - lag * band, board.lattices[0][0], up, down, below);
    }
    __syncthreads();
  }
}

/// A block prices one option, in several passes.
__global__ void __launch_bounds__(block_threads_max, 2)
    price_in_passes(LatticeColumns options, double rate, unsigned steps) {
  __shared__ Board board;
  if (threadIdx.x == 0) board.lattices[0][0] = lattice_of(options, blockIdx.x, rate, steps);
  __syncthreads();
  const double up = board.lattices[0][0].up;
  const double down = board.lattices[0][0].down;
  KeptPart kept;
  unsigned nodes = steps;
  while (nodes >= band_steps) {
    const unsigned bands = std::min(nodes / band_steps, blockDim.x);
    const unsigned left = nodes - bands * band_steps;
    step_back_by_bands({nodes, bands, nodes == steps, left < band_steps}, board, up, down, kept);
    nodes = left;
  }
  if (threadIdx.x == 0) {
    options.call[blockIdx.x] = finish(board.lattices[0][0], nodes, board.last, 0);
  }
}

/// The options that a block prices: `groups` times `together`.
struct Share {
  std::size_t count;  ///< of all blocks
  unsigned together;
  unsigned groups;

  /// The option of this thread in group `group`. Behind the last one may be others.
  [[nodiscard]] __device__ std::size_t option(unsigned group) const {
    return (std::size_t{blockIdx.x} * groups + group) * together + threadIdx.x % together;
  }
};

/// Each thread prices an option whose lattice has less steps than a band.
__global__ void __launch_bounds__(together_max)
    price_short(LatticeColumns options, std::size_t count, double rate, unsigned steps) {
  __shared__ double last[band_steps][together_max];
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= count) return;
  Lattice lattice = lattice_of(options, i, rate, steps);
  for (unsigned j = 0; j <= steps; ++j) last[j][threadIdx.x] = next_at_expiry(lattice);
  options.call[i] = finish(lattice, steps, last, threadIdx.x);
}

/// A block prices the groups of its share.
__global__ void __launch_bounds__(block_threads_max, 2)
    price_groups(LatticeColumns options, Share share, double rate, unsigned steps) {
  __shared__ Board board;
  const unsigned option = threadIdx.x % share.together;
  const unsigned band = threadIdx.x / share.together;
  const Pass pass{steps, blockDim.x / share.together, true, true};
  for (unsigned group = band; group < share.groups; group += pass.bands) {
    // Behind the last option, it is priced again.
    const std::size_t i = share.option(group);
    board.lattices[group][option] =
        lattice_of(options, i < share.count ? i : share.count - 1, rate, steps);
  }
  __syncthreads();
  const unsigned chunks = pass.last_chunk(band) + 1;
  const unsigned period = pass.last_chunk(0) + 1;
  const unsigned ticks = (share.groups - 1) * period + pass.ticks();
  double below[band_steps] = {};
  unsigned group = 0;
  unsigned at = 0U - lag * band;  // a large number before the first chunk
  for (unsigned tick = 0; tick < ticks; ++tick) {
    if (at < chunks && group < share.groups) {
      Lattice& lattice = board.lattices[group][option];
      take_chunk(pass, board, share.together, tick, at, lattice, lattice.up, lattice.down, below);
      if (at + 1 == chunks) {
        const std::size_t i = share.option(group);
        if (band + 1 == pass.bands && i < share.count) {
          options.call[i] = finish(lattice, steps % band_steps, board.last, option);
        }
        for (double& lower : below) lower = 0.0;
      }
    }
    if (++at == period) {
      at = 0;
      ++group;
    }
    __syncthreads();
  }
}

}  // namespace

void load_binomial() { load_code(price_in_passes, price_short, price_groups); }

void launch_binomial(const Stream& stream, const LatticeColumns& options, std::size_t count,
                     double rate, std::size_t steps) {
  const auto bands = static_cast<unsigned>(std::max<std::size_t>(steps / band_steps, 1));
  if (bands > block_threads_max) {
    launch(price_in_passes, {blocks_for(count, 1)}, {block_threads_max}, 0, stream, options, rate,
           steps);
    return;
  }
  unsigned together = together_max;
  while (together > 1 && (together * bands > block_threads_max ||
                          (count + together - 1) / together < blocks_wanted)) {
    together /= 2;
  }
  if (steps < band_steps) {
    launch(price_short, {blocks_for(count, together)}, {together}, 0, stream, options, count, rate,
           steps);
    return;
  }
  const std::size_t groups =
      std::clamp<std::size_t>(count / together / blocks_enough, 1, std::size_t{groups_max});
  launch(price_groups, {blocks_for(count, groups * together)}, {together * bands}, 0, stream,
         options, Share{count, together, static_cast<unsigned>(groups)}, rate, steps);
}

}  // namespace equipoise
