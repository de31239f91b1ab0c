// Gene network inference on GPUs: all pairs of regulators of every gene.
//
// Bound by integer operations, bit counts and look-ups in shared memory, about equally. A block of
// threads takes up to four genes. A thread owns eight second regulators, whose sets stay in
// registers, and meets first regulators one after another. The table for all halves lies in shared
// memory (see pair_search.cpp), or, where it is too large, the entries for some first regulators at
// a time.
#include "real/gpu/programs.hpp"

#include <cstddef>
#include <cstdint>

#include "real/gpu/device_code.hpp"
#include "real/kernels/grn/pair_search.hpp"

namespace equipoise {
namespace {

constexpr unsigned block_threads = 128;
constexpr unsigned warp_threads = 32;
constexpr unsigned own_seconds = 8;
constexpr unsigned firsts_max = 32;  ///< first regulators at a time
constexpr unsigned genes_max = 4;
constexpr std::size_t tables_bytes_max = std::size_t{32} << 10;
/// A table of all halves that is no larger stays in shared memory.
constexpr std::size_t whole_bytes_max = std::size_t{42} << 10;
constexpr int begins_stride = static_cast<int>(samples_max) + 1;
constexpr std::int32_t none = 0x7FFFFFFF;

/// The arguments of the kernel. `room`: the entries of the table for all halves, if `is_whole`;
/// otherwise the most entries that the halves of a regulator have.
struct PairSearch {
  RegulatorTables regulators;
  const SampleBits* genes;
  std::size_t count;
  BestPair* best;
  unsigned firsts;  ///< first regulators at a time
  unsigned room;
  unsigned lanes;  ///< threads that bring the entries of one regulator and one gene
  bool is_whole;   ///< the table of all halves is in shared memory
};

constexpr auto entry_bytes = static_cast<std::int32_t>(sizeof(std::int32_t));

/// How to find the places of a pair in the entries of its first regulator and a gene. All are
/// bytes, which saves a multiplication for each look-up, and one read brings them.
struct alignas(16) Halves {
  std::int32_t active_begin;  ///< in the tables
  std::int32_t active_step;   ///< from one row to the next, less 1: idle samples of the gene
  std::int32_t idle_begin;
  std::int32_t idle_step;
};

/// What the threads of a block share beside the entries.
template <unsigned genes>
struct SharedPairs {
  Halves halves[firsts_max][genes];
  SampleBits firsts[firsts_max];
  SampleBits active[genes];  ///< where each gene of the block is active
  std::uint64_t keys[block_threads];
};

/// A second regulator. Sets of at most 32 samples fit in `Set` = std::uint32_t.
template <unsigned genes, class Set>
struct Second {
  std::int32_t number = 0;  ///< first regulators are below it
  Set active = 0;
  std::int32_t size = 0;               ///< in bytes of entries
  std::int32_t with_gene[genes] = {};  ///< samples in which the gene is active, too
};

/// The samples in which each gene of the block is active.
template <unsigned genes, class Set>
struct Genes {
  Set active[genes];
};

/// Copies every `lanes`th entry from entry `lane` on.
__device__ void copy_entries(const std::int32_t* __restrict__ from, std::int32_t* __restrict__ to,
                             unsigned entries, unsigned lane, unsigned lanes) {
#pragma unroll 4
  for (unsigned i = lane; i < entries; i += lanes) to[i] = from[i];
}

/// Brings the first regulators `from` to `from` + `count` to shared memory, and the entries for
/// them unless all are there. A regulator and a gene have `search.lanes` threads at a time.
template <unsigned genes>
__device__ void bring_tables(const PairSearch& search, SampleBits every, unsigned from,
                             unsigned count, SharedPairs<genes>& shared, std::int32_t* tables) {
  const RegulatorTables& regulators = search.regulators;
  const unsigned lane = threadIdx.x % search.lanes;
  for (unsigned at = threadIdx.x / search.lanes; at < count * genes;
       at += blockDim.x / search.lanes) {
    const unsigned f = at / genes;
    const unsigned g = at % genes;
    const SampleBits gene = shared.active[g];
    const SampleBits active = regulators.active[from + f];
    const int ones = count_bits(active & gene);
    const int zeros = count_bits(active & ~gene);
    const int idle_ones = count_bits(gene) - ones;
    const int idle_zeros = count_bits(every & ~gene) - zeros;
    const auto active_entries = static_cast<unsigned>((ones + 1) * (zeros + 1));
    const auto idle_entries = static_cast<unsigned>((idle_ones + 1) * (idle_zeros + 1));
    std::int32_t begin = regulators.begins[ones * begins_stride + zeros];
    std::int32_t idle_begin = regulators.begins[idle_ones * begins_stride + idle_zeros];
    if (!search.is_whole) {
      const unsigned to = at * search.room;
      copy_entries(regulators.table + begin, tables + to, active_entries, lane, search.lanes);
      copy_entries(regulators.table + idle_begin, tables + to + active_entries, idle_entries, lane,
                   search.lanes);
      begin = static_cast<std::int32_t>(to);
      idle_begin = static_cast<std::int32_t>(to + active_entries);
    }
    if (lane != 0) continue;
    shared.halves[f][g] = {begin * entry_bytes, zeros * entry_bytes, idle_begin * entry_bytes,
                           idle_zeros * entry_bytes};
    if (g == 0) shared.firsts[f] = active;
  }
}

/// The entry that is `offset` bytes behind the beginning of the tables.
__device__ std::int32_t entry_at(const std::int32_t* tables, std::int32_t offset) {
  return *reinterpret_cast<const std::int32_t*>(reinterpret_cast<const unsigned char*>(tables) +
                                                offset);
}

/// Tries the pairs of a first regulator with the own second ones of the slots from `slot` on; in
/// that slot, only some second regulators may be behind the first one. Of equal entropies keeps the
/// first met, which is also the first in the order of (first, second) among the own seconds.
template <unsigned slot, unsigned genes, class Set>
__device__ void try_slots(const PairSearch& search, const Genes<genes, Set>& own, unsigned first,
                          Set first_active, const Halves (&all_halves)[genes],
                          const std::int32_t* tables,
                          const Second<genes, Set> (&seconds)[own_seconds],
                          std::int32_t (&least)[genes], std::int32_t (&pair)[genes]) {
  const auto a = static_cast<std::int32_t>(first);
  const std::int32_t numbers = a * static_cast<std::int32_t>(search.regulators.candidates);
  Halves halves[genes];
#pragma unroll
  for (unsigned g = 0; g < genes; ++g) halves[g] = all_halves[g];
#pragma unroll
  for (unsigned s = slot; s < own_seconds; ++s) {
    const Second<genes, Set>& second = seconds[s];
    if (s == slot && a >= second.number) continue;
    const Set both = first_active & second.active;
    const std::int32_t in_both = count_bits(both) * entry_bytes;
    const std::int32_t in_second = second.size - in_both;
#pragma unroll
    for (unsigned g = 0; g < genes; ++g) {
      const Halves& half = halves[g];
      const std::int32_t ones = count_bits(both & own.active[g]);
      const std::int32_t idle_ones = second.with_gene[g] - ones;
      const std::int32_t entropy =
          entry_at(tables, ones * half.active_step + (half.active_begin + in_both)) +
          entry_at(tables, idle_ones * half.idle_step + (half.idle_begin + in_second));
      const bool is_better = entropy < least[g];
      least[g] = is_better ? entropy : least[g];
      pair[g] = is_better ? numbers + second.number : pair[g];
    }
  }
}

/// Calls try_slots<`wanted`> with `arguments`.
template <unsigned genes, class Set, unsigned slot = 0, class... A>
__device__ void try_slots_from(unsigned wanted, A&... arguments) {
  if constexpr (slot + 1 < own_seconds) {
    if (wanted > slot) return try_slots_from<genes, Set, slot + 1>(wanted, arguments...);
  }
  try_slots<slot, genes, Set>(arguments...);
}

/// The least key of all threads of the block.
__device__ std::uint64_t least_of_block(std::uint64_t key, std::uint64_t* keys) {
  __syncthreads();
  keys[threadIdx.x] = key;
  for (unsigned half = block_threads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x >= half || threadIdx.x + half >= blockDim.x) continue;
    const std::uint64_t other = keys[threadIdx.x + half];
    if (other < keys[threadIdx.x]) keys[threadIdx.x] = other;
  }
  __syncthreads();
  return keys[0];
}

/// The own second regulators of the strip that begins at `strip`. Every other group of them is in
/// reverse order, so that all threads meet about as many first regulators.
template <unsigned genes, class Set>
__device__ void take_seconds(const PairSearch& search, const Genes<genes, Set>& own, unsigned strip,
                             Second<genes, Set> (&seconds)[own_seconds]) {
#pragma unroll
  for (unsigned s = 0; s < own_seconds; ++s) {
    const unsigned place = s % 2 == 0 ? threadIdx.x : blockDim.x - 1 - threadIdx.x;
    const unsigned wanted = strip + s * blockDim.x + place;
    const auto last = static_cast<unsigned>(search.regulators.candidates) - 1;
    // Behind the last regulator, it is tried again.
    const unsigned b = wanted < last ? wanted : last;
    seconds[s].number = static_cast<std::int32_t>(b);
    seconds[s].active = static_cast<Set>(search.regulators.active[b]);
    seconds[s].size = count_bits(seconds[s].active) * entry_bytes;
#pragma unroll
    for (unsigned g = 0; g < genes; ++g) {
      seconds[s].with_gene[g] = count_bits(seconds[s].active & own.active[g]);
    }
  }
}

template <unsigned genes, class Set>
__global__ void __launch_bounds__(block_threads, 4) search_pairs(PairSearch search) {
  __shared__ SharedPairs<genes> shared;
  std::int32_t* const tables = dynamic_shared<std::int32_t>();
  const auto candidates = static_cast<unsigned>(search.regulators.candidates);
  const SampleBits every = ~SampleBits{0} >> (samples_max - search.regulators.samples);
  if (threadIdx.x < genes) {
    const std::size_t number = std::size_t{blockIdx.x} * genes + threadIdx.x;
    // The last gene stands for those that are missing.
    const std::size_t last = search.count - 1;
    shared.active[threadIdx.x] = search.genes[number < last ? number : last] & every;
  }
  if (search.is_whole) {
    copy_entries(search.regulators.table, tables, search.room, threadIdx.x, blockDim.x);
  }
  __syncthreads();
  Genes<genes, Set> own;
#pragma unroll
  for (unsigned g = 0; g < genes; ++g) own.active[g] = static_cast<Set>(shared.active[g]);
  std::uint64_t keys[genes];
#pragma unroll
  for (std::uint64_t& key : keys) key = ~std::uint64_t{0};
  const unsigned strip_seconds = own_seconds * blockDim.x;
  for (unsigned strip = 0; strip < candidates; strip += strip_seconds) {
    Second<genes, Set> seconds[own_seconds];
    take_seconds<genes, Set>(search, own, strip, seconds);
    std::int32_t least[genes];
    std::int32_t pair[genes];
#pragma unroll
    for (unsigned g = 0; g < genes; ++g) least[g] = pair[g] = none;
    const unsigned beyond = strip + strip_seconds;
    const unsigned firsts_end = (beyond < candidates ? beyond : candidates) - 1;
    unsigned slot = 0;
    unsigned beyond_slot = strip + blockDim.x;
    for (unsigned from = 0; from < firsts_end; from += search.firsts) {
      const unsigned left = firsts_end - from;
      const unsigned count = left < search.firsts ? left : search.firsts;
      __syncthreads();
      bring_tables<genes>(search, every, from, count, shared, tables);
      __syncthreads();
      for (unsigned f = 0; f < count; ++f) {
        const unsigned first = from + f;
        if (first >= beyond_slot) {
          ++slot;
          beyond_slot += blockDim.x;
        }
        const auto active = static_cast<Set>(shared.firsts[f]);
        try_slots_from<genes, Set>(slot, search, own, first, active, shared.halves[f], tables,
                                   seconds, least, pair);
      }
    }
#pragma unroll
    for (unsigned g = 0; g < genes; ++g) {
      const std::uint64_t key = std::uint64_t{static_cast<std::uint32_t>(least[g])} << 32 |
                                static_cast<std::uint32_t>(pair[g]);
      if (key < keys[g]) keys[g] = key;
    }
  }
  const auto width = static_cast<std::int32_t>(candidates);
#pragma unroll
  for (unsigned g = 0; g < genes; ++g) {
    const std::uint64_t key = least_of_block(keys[g], shared.keys);
    const std::size_t number = std::size_t{blockIdx.x} * genes + g;
    if (threadIdx.x != 0 || number >= search.count) continue;
    const auto pair = static_cast<std::int32_t>(key & 0xFFFFFFFF);
    search.best[number] = {pair / width, pair % width, static_cast<std::int32_t>(key >> 32)};
  }
}

template <unsigned genes, class Set>
void launch_search(const Stream& stream, PairSearch search) {
  const auto samples = static_cast<unsigned>(search.regulators.samples);
  const std::size_t whole = table_entries(search.regulators.samples);
  search.is_whole = whole * sizeof(std::int32_t) <= whole_bytes_max;
  search.firsts = firsts_max;
  search.room = static_cast<unsigned>(whole);
  std::size_t shared_bytes = whole * sizeof(std::int32_t);
  if (!search.is_whole) {
    // The halves have most entries if the first regulator is active in all samples and the gene in
    // half of them.
    search.room = (samples / 2 + 1) * ((samples + 1) / 2 + 1) + 1;
    const std::size_t bytes_of_first = genes * search.room * sizeof(std::int32_t);
    const auto fitting = static_cast<unsigned>(tables_bytes_max / bytes_of_first);
    search.firsts = fitting < firsts_max ? fitting : firsts_max;
    shared_bytes = search.firsts * bytes_of_first;
  }
  const auto candidates = static_cast<unsigned>(search.regulators.candidates);
  const unsigned warps = (candidates + warp_threads - 1) / warp_threads;
  const unsigned threads =
      warps * warp_threads < block_threads ? warps * warp_threads : block_threads;
  const unsigned tables = search.firsts * genes;
  search.lanes = tables < threads ? threads / tables : 1;
  const unsigned blocks = blocks_for(search.count, genes);
  launch(search_pairs<genes, Set>, {blocks}, {threads}, shared_bytes, stream, search);
}

void launch_grn(const Stream& stream, const RegulatorTables& regulators, const StagedBlock& block) {
  constexpr std::size_t many = 1024;  // enough for all processors of a GPU, four at a time
  const std::size_t count = items_of(block);
  const PairSearch search{
      regulators, block.input<SampleBits>(0), count, block.result<BestPair>(0), 0, 0, 0, false};
  const bool is_short = regulators.samples <= 32;
  if (count >= many) {
    is_short ? launch_search<genes_max, std::uint32_t>(stream, search)
             : launch_search<genes_max, std::uint64_t>(stream, search);
  } else {
    is_short ? launch_search<1, std::uint32_t>(stream, search)
             : launch_search<1, std::uint64_t>(stream, search);
  }
}

}  // namespace

GpuProgram gpu_grn(const KernelParameters& parameters) {
  return {[] {
            load_code(search_pairs<genes_max, std::uint32_t>,
                      search_pairs<genes_max, std::uint64_t>, search_pairs<1, std::uint32_t>,
                      search_pairs<1, std::uint64_t>);
          },
          [candidates = whole(parameters, "candidates"), samples = whole(parameters, "samples")](
              const Stream& stream, const StagedBlock& block) {
            launch_grn(stream, regulator_tables(block, candidates, samples), block);
          }};
}

}  // namespace equipoise
