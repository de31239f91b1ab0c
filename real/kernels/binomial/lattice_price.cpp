// The loop of the binomial lattice, written so that the compiler can vectorise it: eight options
// side by side, and two steps of four nodes each time that the nodes' values are loaded.
#include "real/kernels/binomial/lattice_price.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "real/kernels/buffer.hpp"
#include "real/kernels/vectors.hpp"

namespace equipoise {
namespace {

constexpr std::size_t together = 8;  ///< options
constexpr std::size_t unrolled = 2;  ///< steps
constexpr std::size_t nodes_at_once = 4;

/// One number for each option.
using Row = std::array<double, together>;

/// The parameters and prices of `together` lattices.
struct Lattices {
  Row lowest;  ///< spot at expiry after going down at every step
  Row ratio;   ///< ratio of a spot price at expiry to the next lower one
  Row strike;
  Row up;  ///< discounted probabilities
  Row down;
  Row price;
};

/// The values of the nodes at one moment, starting at the lowest spot: (steps + 1). There is room
/// for `unrolled` values before them and `nodes_at_once` values after them, because loops that
/// ignore the ends write unused values there.
using Values = Row*;

[[gnu::always_inline]] inline void value_at_expiry(const Lattices& lattices, std::size_t steps,
                                                   Values values) {
  Row spots = lattices.lowest;
  const Row ratio = lattices.ratio;
  const Row strike = lattices.strike;
  for (std::size_t j = 0; j <= steps; j += nodes_at_once) {
#pragma GCC unroll 1  // otherwise it is unrolled completely before it can be vectorised
    for (std::size_t l = 0; l < together; ++l) {
      double spot = spots[l];
#pragma GCC unroll 4
      for (std::size_t i = 0; i < nodes_at_once; ++i) {
        const double gain = spot - strike[l];
        values[j + i][l] = gain > 0.0 ? gain : 0.0;
        spot *= ratio[l];
      }
      spots[l] = spot;
    }
  }
}

/// Moves the values of `nodes` + 1 nodes back by `steps` steps (at most `nodes`). Every node is
/// multiplied by both weights, as a lattice for options with early exercise requires. Scaling the
/// values would save multiplications; carried through, it would leave only the sum over the values
/// at expiry, which needs no lattice.
template <std::size_t steps>
[[gnu::always_inline]] inline void step_back(const Row& up, const Row& down, std::size_t nodes,
                                             Values values) {
  const Values back = values - steps;
  Row lower[steps] = {values[0]};  // (moment) the node below; at first only [0] is known
  for (std::size_t j = 1; j <= nodes; j += nodes_at_once) {
#pragma GCC unroll 1
    for (std::size_t l = 0; l < together; ++l) {
      double below[steps];
#pragma GCC unroll 4
      for (std::size_t k = 0; k < steps; ++k) below[k] = lower[k][l];
#pragma GCC unroll 4
      for (std::size_t i = 0; i < nodes_at_once; ++i) {
        double value = values[j + i][l];
#pragma GCC unroll 4
        for (std::size_t k = 0; k < steps; ++k) {
          const double earlier = up[l] * value + down[l] * below[k];
          below[k] = value;
          value = earlier;
        }
        back[j + i][l] = value;
      }
#pragma GCC unroll 4
      for (std::size_t k = 0; k < steps; ++k) lower[k][l] = below[k];
    }
  }
}

[[gnu::always_inline]] inline void price_all(Lattices* lattices, std::size_t steps, Values values) {
  value_at_expiry(*lattices, steps, values);
  const Row up = lattices->up;
  const Row down = lattices->down;
  std::size_t nodes = steps;
  for (; nodes >= unrolled; nodes -= unrolled) step_back<unrolled>(up, down, nodes, values);
  for (; nodes > 0; --nodes) step_back<1>(up, down, nodes, values);
  lattices->price = values[0];
}

}  // namespace

void price_on_lattice(const OptionColumns& columns, std::size_t first, std::size_t count,
                      double rate, std::size_t steps) {
  BufferOf<Row> values(unrolled + steps + nodes_at_once);
  const auto n = static_cast<double>(steps);
  for (std::size_t begin = first; begin < first + count; begin += together) {
    Lattices lattices;
    for (std::size_t l = 0; l < together; ++l) {
      const std::size_t i = std::min(begin + l, first + count - 1);  // repeats the last option at
                                                                     // the end
      const double step_years = columns.years[i] / n;
      const double log_up = columns.volatility[i] * std::sqrt(step_years);
      const double u = std::exp(log_up);
      const double d = std::exp(-log_up);
      const double growth = std::exp(rate * step_years);
      const double p = (growth - d) / (u - d);
      lattices.lowest[l] = columns.spot[i] * std::exp(-log_up * n);
      lattices.ratio[l] = u * u;
      lattices.strike[l] = columns.strike[i];
      lattices.up[l] = p / growth;
      lattices.down[l] = (1.0 - p) / growth;
    }
    with_widest_vectors<price_all>(&lattices, steps, values.data() + unrolled);
    std::copy_n(lattices.price.data(), std::min(together, first + count - begin),
                columns.call + begin);
  }
}

}  // namespace equipoise
