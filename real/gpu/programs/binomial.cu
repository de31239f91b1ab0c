// Binomial lattices: bound by arithmetic, two operations a node.
//
// A block is one warp. Some neighbouring threads price an option: each keeps a part of its row of
// nodes in registers, steps it back, and takes the lowest nodes of the next part from its
// neighbour, through shared memory, at every other step. Whenever the row has become so short that
// each thread can keep two nodes less, the row is divided anew. The more nodes a thread keeps, the
// less is exchanged.
//
// Longer rows do not fit. Then the threads of a block are a pipeline: each steps a row of nodes
// back by 16 steps in registers, from the lowest node on, and the next takes its results. A row
// passes through several times; in between, each thread keeps a part of it.
#include "real/gpu/programs.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "real/gpu/device_code.hpp"
#include "real/kernels/binomial/lattice_price.hpp"

namespace equipoise {
namespace {

constexpr unsigned warp_threads = 32;
constexpr unsigned own_max = 32;       ///< nodes of a thread
constexpr unsigned own_step = 2;       ///< by which they become fewer
constexpr unsigned steps_at_once = 2;  ///< between two exchanges
/// The fewest threads that price an option.
constexpr unsigned sharers_min = 8;
/// Warps that keep a large GPU busy.
constexpr std::size_t warps_wanted = 1024;

constexpr unsigned pipeline_threads = 512;
constexpr unsigned band_steps = 16;
constexpr unsigned chunk = 4;  ///< nodes
constexpr unsigned band_chunks = band_steps / chunk;
/// A band begins so many ticks after the one before it.
constexpr unsigned lag = band_chunks + 1;
/// Chunks of a row that a thread keeps between two passes.
constexpr unsigned kept_chunks = lattice_steps_max / chunk / pipeline_threads + 1;

/// The lattice of an option.
struct Lattice {
  double spot;  ///< at the next node at expiry
  double ratio;
  double strike;
  double up;  ///< discounted probabilities
  double down;
};

__device__ Lattice lattice_of(const OptionColumns& options, std::size_t i, double rate,
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

/// What this thread has to do with the options that its warp prices.
struct Share {
  unsigned sharers;  ///< threads of an option
  unsigned thread;   ///< this one, among them
  unsigned option;   ///< among those of the warp
};

/// What the threads of a warp share.
struct Exchange {
  static constexpr unsigned room = warp_threads * own_max;
  /// (round modulo 2) the lowest nodes of each thread, and room for one above the last.
  double edges[2][steps_at_once][warp_threads + 1];
  double rows[room + room / warp_threads];

  /// The node `number` of the row of an option. Neighbouring threads' parts begin in other banks.
  [[nodiscard]] __device__ double& node(const Share& share, unsigned number) {
    const unsigned place = share.option * share.sharers * own_max + number;
    return rows[place + place / warp_threads];
  }
};

/// Steps the own nodes and those above them (`edge`) back by the steps at once. What comes from
/// nodes above the row is never used.
template <unsigned own>
__device__ void step_back_own(double up, double down, double (&edge)[steps_at_once],
                              double (&values)[own]) {
#pragma unroll
  for (unsigned step = 1; step <= steps_at_once; ++step) {
#pragma unroll
    for (unsigned j = 0; j + 1 < own; ++j) values[j] = up * values[j + 1] + down * values[j];
    values[own - 1] = up * edge[0] + down * values[own - 1];
#pragma unroll
    for (unsigned j = 0; j + step < steps_at_once; ++j) edge[j] = up * edge[j + 1] + down * edge[j];
  }
}

/// Steps the rows in `shared`, of `steps` + 1 nodes, back to two nodes or one. A thread keeps `own`
/// nodes as long as fewer are not enough. Returns the steps that are left.
template <unsigned own>
__device__ unsigned step_back_rows(const Lattice& lattice, const Share& share, unsigned steps,
                                   Exchange& shared) {
  constexpr bool is_end = own == own_step;
  const unsigned fewest = is_end ? steps_at_once : share.sharers * (own - own_step);
  if (steps >= fewest) {
    double values[own];
#pragma unroll
    for (unsigned j = 0; j < own; ++j) values[j] = shared.node(share, share.thread * own + j);
    for (unsigned round = 0; steps >= fewest; ++round, steps -= steps_at_once) {
      double(&edges)[steps_at_once][warp_threads + 1] = shared.edges[round % 2];
      double edge[steps_at_once];
#pragma unroll
      for (unsigned j = 0; j < steps_at_once; ++j) edges[j][threadIdx.x] = values[j];
      __syncthreads();
#pragma unroll
      for (unsigned j = 0; j < steps_at_once; ++j) edge[j] = edges[j][threadIdx.x + 1];
      step_back_own<own>(lattice.up, lattice.down, edge, values);
    }
#pragma unroll
    for (unsigned j = 0; j < own; ++j) shared.node(share, share.thread * own + j) = values[j];
    __syncthreads();
  }
  if constexpr (!is_end) return step_back_rows<own - own_step>(lattice, share, steps, shared);
  return steps;
}

/// A block prices as many options as its threads can share.
__global__ void __launch_bounds__(warp_threads)
    price_in_registers(OptionColumns options, std::size_t count, double rate, unsigned steps,
                       unsigned sharers) {
  __shared__ Exchange shared;
  const Share share{sharers, threadIdx.x % sharers, threadIdx.x / sharers};
  const std::size_t i = std::size_t{blockIdx.x} * (warp_threads / sharers) + share.option;
  // Behind the last option, it is priced again.
  Lattice lattice = lattice_of(options, i < count ? i : count - 1, rate, steps);
  const unsigned own = steps / sharers + 1;
  lattice.spot *= std::pow(lattice.ratio, static_cast<double>(share.thread * own));
  for (unsigned j = 0; j < own; ++j) {
    shared.node(share, share.thread * own + j) = next_at_expiry(lattice);
  }
  __syncthreads();
  const unsigned left = step_back_rows<own_max>(lattice, share, steps, shared);
  if (share.thread != 0 || i >= count) return;
  const double lowest = shared.node(share, 0);
  options.call[i] = left == 0 ? lowest : lattice.up * shared.node(share, 1) + lattice.down * lowest;
}

/// What the threads of a pipeline share.
struct Board {
  Lattice lattice;
  double passed[2][chunk][pipeline_threads];  ///< (tick modulo 2) a chunk of each thread
  double fed[2][chunk];                       ///< (tick modulo 2) a chunk of a row that was kept
  double last[band_steps];                    ///< the nodes before which less than a band is left
};

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
__device__ double finish(const Lattice& lattice, unsigned steps, const double (&last)[band_steps]) {
  double values[band_steps];
  for (unsigned j = 0; j < band_steps; ++j) values[j] = last[j];
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
  __device__ void keep(unsigned at, const double (&passed)[chunk][pipeline_threads],
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
__device__ void take_chunk(const Pass& pass, Board& board, unsigned tick, unsigned at, double up,
                           double down, double (&below)[band_steps]) {
  const unsigned band = threadIdx.x;
  double values[chunk];
  if (band > 0) {
    for (unsigned i = 0; i < chunk; ++i) values[i] = board.passed[(tick + 1) % 2][i][band - 1];
  } else if (pass.is_first) {
    for (double& value : values) value = next_at_expiry(board.lattice);
  } else {
    for (unsigned i = 0; i < chunk; ++i) values[i] = board.fed[tick % 2][i];
  }
  step_back(up, down, below, values);
  if (band + 1 < pass.bands || !pass.is_last) {
    for (unsigned i = 0; i < chunk; ++i) board.passed[tick % 2][i][band] = values[i];
  } else if (at >= band_chunks) {
    for (unsigned i = 0; i < chunk; ++i) board.last[(at - band_chunks) * chunk + i] = values[i];
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
      take_chunk(pass, board, tick, tick - lag * band, up, down, below);
    }
    __syncthreads();
  }
}

/// A block prices one option, in several passes.
__global__ void __launch_bounds__(pipeline_threads, 2)
    price_in_passes(OptionColumns options, double rate, unsigned steps) {
  __shared__ Board board;
  if (threadIdx.x == 0) board.lattice = lattice_of(options, blockIdx.x, rate, steps);
  __syncthreads();
  const double up = board.lattice.up;
  const double down = board.lattice.down;
  KeptPart kept;
  unsigned nodes = steps;
  while (nodes >= band_steps) {
    const unsigned bands = std::min(nodes / band_steps, blockDim.x);
    const unsigned left = nodes - bands * band_steps;
    step_back_by_bands({nodes, bands, nodes == steps, left < band_steps}, board, up, down, kept);
    nodes = left;
  }
  if (threadIdx.x == 0) {
    options.call[blockIdx.x] = finish(board.lattice, nodes, board.last);
  }
}

void launch_binomial(const Stream& stream, const OptionColumns& options, std::size_t count,
                     std::size_t steps) {
  if (steps >= warp_threads * own_max) {
    launch(price_in_passes, {blocks_for(count, 1)}, {pipeline_threads}, 0, stream, options,
           option_rate, steps);
    return;
  }
  unsigned sharers = sharers_min;
  while (sharers < warp_threads &&
         (steps >= sharers * own_max || count * sharers < warps_wanted * warp_threads)) {
    sharers *= 2;
  }
  launch(price_in_registers, {blocks_for(count, warp_threads / sharers)}, {warp_threads}, 0, stream,
         options, count, option_rate, steps, sharers);
}

}  // namespace

GpuProgram gpu_binomial(const KernelParameters& parameters) {
  return {[] { load_code(price_in_registers, price_in_passes); },
          [steps = whole(parameters, "steps")](const Stream& stream, const StagedBlock& block) {
            launch_binomial(stream, option_columns(block), items_of(block), steps);
          }};
}

}  // namespace equipoise
