// The search loop of gene network inference.
//
// With f(k) = k log2 k, n H(Y | A, B) is the sum over the four states of
// cell(ones, zeros) = f(ones + zeros) - f(ones) - f(zeros). For a gene Y and a first regulator A,
// the samples fall into two halves, A active and A idle; a second regulator B divides each half in
// two. A half with m samples of Y active and k of Y idle, of which B is active in i and j, adds
//
//     cell(i, j) + cell(m - i, k - j),
//
// The values are tabled for all m, k, i, j, so a pair needs two look-ups. The counts i, j for 64
// regulators B at a time are sums of bytes.
#include "real/kernels/grn/pair_search.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <iterator>
#include <limits>
#include <vector>

#include "real/kernels/vectors.hpp"

namespace equipoise {
namespace {

/// Candidates that are tried at a time.
constexpr std::size_t strip = 64;
/// One byte for each of 32 candidates; + adds element by element. As wide as AVX2's vectors: with
/// AVX2, GCC compiles wider ones to scalar code, which is several times slower. With AVX-512, wider
/// ones would gain 4 %.
using Bytes = std::uint8_t __attribute__((vector_size(32)));
constexpr std::size_t begins_stride = samples_max + 1;

constexpr std::size_t padded(std::size_t candidates) {
  return (candidates + strip - 1) / strip * strip;
}

/// The contribution of a cell to the entropy, in entropy units.
std::int32_t cell(std::size_t ones, std::size_t zeros) {
  const auto f = [](std::size_t k) {
    const auto number = static_cast<double>(k);
    return k == 0 ? 0.0 : number * std::log2(number);
  };
  return static_cast<std::int32_t>(
      std::lround((f(ones + zeros) - f(ones) - f(zeros)) / entropy_unit_bits));
}

/// The samples of a set as a list of sample numbers.
struct SampleList {
  std::uint8_t number[samples_max];
  std::size_t count = 0;

  [[gnu::always_inline]] explicit SampleList(SampleBits set) {
    for (; set != 0; set &= set - 1) {
      number[count++] = static_cast<std::uint8_t>(std::countr_zero(set));
    }
  }
};

/// The table for one half of the samples, which share a state of the first regulator.
struct Half {
  const std::int32_t* table;
  std::int32_t width;  ///< of a row of the table
};

/// The data of the search as plain pointers and sizes.
struct Search : RegulatorTables {
  const SampleBits* genes;
  std::size_t count;
  BestPair* best;
  std::uint8_t* counts;  ///< room for (2, candidates rounded up to 64)

  [[gnu::always_inline]] [[nodiscard]] Half half(std::size_t ones, std::size_t zeros) const {
    return {table + begins[ones * begins_stride + zeros], static_cast<std::int32_t>(zeros) + 1};
  }
};

/// For each lane, the least entropy so far and the number of its pair.
struct LaneBest {
  std::int32_t entropy[strip];
  std::int32_t pair[strip];
};

/// Counts for each candidate of a strip the samples of `list` in which it is active.
[[gnu::always_inline]] inline void count_active(const SampleList& list, const std::uint8_t* planes,
                                                std::size_t stride, std::uint8_t* counts) {
  Bytes sums[strip / sizeof(Bytes)] = {};
  for (std::size_t s = 0; s < list.count; ++s) {
    for (std::size_t k = 0; k < std::size(sums); ++k) {
      Bytes plane;
      std::memcpy(&plane, planes + list.number[s] * stride + k * sizeof plane, sizeof plane);
      sums[k] += plane;
    }
  }
  std::memcpy(counts, sums, sizeof sums);
}

/// Adds the entries of two tables at the given places. Reads four places as one 64-bit word and
/// separates them by shifts; extracting places from a vector costs several times as much.
[[gnu::always_inline]] inline void look_up(const std::int32_t* left,
                                           const std::uint16_t* left_places,
                                           const std::int32_t* right,
                                           const std::uint16_t* right_places, std::int32_t* sums) {
  static_assert(std::endian::native == std::endian::little,
                "the first place is in the lowest bits");
  constexpr std::size_t at_once = 4;
  for (std::size_t l = 0; l < strip; l += at_once) {
    std::uint64_t p;
    std::uint64_t q;
    std::memcpy(&p, left_places + l, sizeof p);
    std::memcpy(&q, right_places + l, sizeof q);
    for (std::size_t k = 0; k < at_once; ++k, p >>= 16, q >>= 16) {
      sums[l + k] = left[p & 0xFFFF] + right[q & 0xFFFF];
    }
  }
}

/// Tries all pairs of the candidate `a` with later candidates, for a gene active in the samples
/// `ones` and idle in `zeros`.
[[gnu::always_inline]] inline void try_partners(const Search& search, std::size_t a,
                                                SampleBits ones, SampleBits zeros, LaneBest& best) {
  const std::size_t stride = padded(search.candidates);
  const SampleList active_ones(search.active[a] & ones);
  const SampleList active_zeros(search.active[a] & zeros);
  const Half active = search.half(active_ones.count, active_zeros.count);
  const Half idle =
      search.half(static_cast<std::size_t>(std::popcount(ones)) - active_ones.count,
                  static_cast<std::size_t>(std::popcount(zeros)) - active_zeros.count);
  const auto first = static_cast<std::int32_t>(a);
  const auto end = static_cast<std::int32_t>(search.candidates);
  const std::int32_t numbers = first * static_cast<std::int32_t>(stride);
  for (std::size_t begin = (a + 1) / strip * strip; begin < search.candidates; begin += strip) {
    std::uint8_t i[strip];
    std::uint8_t j[strip];
    count_active(active_ones, search.planes + begin, stride, i);
    count_active(active_zeros, search.planes + begin, stride, j);
    const std::uint8_t* const all_i = search.counts + begin;
    const std::uint8_t* const all_j = search.counts + stride + begin;
    std::uint16_t in_active[strip];
    std::uint16_t in_idle[strip];
    for (std::size_t l = 0; l < strip; ++l) {
      in_active[l] = static_cast<std::uint16_t>(i[l] * active.width + j[l]);
      in_idle[l] = static_cast<std::uint16_t>((all_i[l] - i[l]) * idle.width + (all_j[l] - j[l]));
    }
    std::int32_t entropy[strip];
    look_up(active.table, in_active, idle.table, in_idle, entropy);
    for (std::size_t l = 0; l < strip; ++l) {
      const auto b = static_cast<std::int32_t>(begin + l);
      const bool is_better = (entropy[l] < best.entropy[l]) & (b > first) & (b < end);
      best.entropy[l] = is_better ? entropy[l] : best.entropy[l];
      best.pair[l] = is_better ? numbers + b : best.pair[l];
    }
  }
}

/// The body of `find_best_pairs`.
[[gnu::always_inline]] inline void search_all(Search search) {
  const std::size_t stride = padded(search.candidates);
  const SampleBits every = all_samples(search.samples);
  for (std::size_t g = 0; g < search.count; ++g) {
    const SampleBits ones = search.genes[g] & every;
    const SampleBits zeros = ~search.genes[g] & every;
    const SampleList all_ones(ones);
    const SampleList all_zeros(zeros);
    for (std::size_t begin = 0; begin < stride; begin += strip) {
      count_active(all_ones, search.planes + begin, stride, search.counts + begin);
      count_active(all_zeros, search.planes + begin, stride, search.counts + stride + begin);
    }
    LaneBest lanes;
    std::fill_n(lanes.entropy, strip, std::numeric_limits<std::int32_t>::max());
    std::fill_n(lanes.pair, strip, std::numeric_limits<std::int32_t>::max());
    for (std::size_t a = 0; a + 1 < search.candidates; ++a) {
      try_partners(search, a, ones, zeros, lanes);
    }
    std::size_t least = 0;
    for (std::size_t l = 1; l < strip; ++l) {
      const bool is_equal = lanes.entropy[l] == lanes.entropy[least];
      const bool is_better = lanes.entropy[l] < lanes.entropy[least];
      if (is_better || (is_equal && lanes.pair[l] < lanes.pair[least])) least = l;
    }
    const auto width = static_cast<std::int32_t>(stride);
    search.best[g] = {lanes.pair[least] / width, lanes.pair[least] % width, lanes.entropy[least]};
  }
}

}  // namespace

Regulators::Regulators(std::span<const SampleBits> candidates, std::size_t samples)
    : candidates_(candidates.size()),
      samples_(samples),
      active_(candidates.size()),
      planes_(samples * padded(candidates.size())),
      begins_(begins_stride * begins_stride),
      table_(table_entries(samples)) {
  std::ranges::copy(candidates, active_.data());
  for (std::size_t s = 0; s < samples_; ++s) {
    for (std::size_t c = 0; c < candidates_; ++c) {
      planes_.data()[s * padded(candidates_) + c] = candidates[c] >> s & 1;
    }
  }
  std::size_t at = 0;
  for (std::size_t m = 0; m <= samples_; ++m) {
    for (std::size_t k = 0; m + k <= samples_; ++k) {
      begins_.data()[m * begins_stride + k] = static_cast<std::int32_t>(at);
      for (std::size_t i = 0; i <= m; ++i) {
        for (std::size_t j = 0; j <= k; ++j) table_.data()[at++] = cell(i, j) + cell(m - i, k - j);
      }
    }
  }
}

double Regulators::bytes(std::size_t candidates, std::size_t samples) {
  const std::size_t whole = table_entries(samples) + begins_stride * begins_stride;
  return static_cast<double>(candidates * sizeof(SampleBits) + samples * padded(candidates) +
                             whole * sizeof(std::int32_t));
}

void find_best_pairs(const RegulatorTables& regulators, const SampleBits* genes, std::size_t count,
                     BestPair* best) {
  std::vector<std::uint8_t> counts(2 * padded(regulators.candidates));
  with_widest_vectors<search_all>(Search{regulators, genes, count, best, counts.data()});
}

}  // namespace equipoise
