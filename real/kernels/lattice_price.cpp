// The loop of the binomial lattice: one option a lane.
#include "real/kernels/lattice_price.hpp"

#include <algorithm>
#include <cmath>

#include "real/kernels/buffer.hpp"
#include "real/kernels/lanes.hpp"
#include "real/kernels/vectors.hpp"

namespace equipoise {
namespace {

/// What the lattices of eight options are made of.
struct Lattices {
  double lowest[lane_count];  ///< spot at expiry after going down at every step
  double ratio[lane_count];   ///< of a spot at expiry to the next lower one
  double strike[lane_count];
  double up[lane_count];  ///< discounted probabilities
  double down[lane_count];
  double price[lane_count];
};

/// Values at one moment, from the lowest spot: (steps + 1, 8).
using Values = double*;

[[gnu::always_inline]] inline void value_at_expiry(const Lattices& lattices, std::size_t steps,
                                                   Values values) {
  Lanes spot;
  Lanes ratio;
  Lanes strike;
  load(lattices.lowest, spot);
  load(lattices.ratio, ratio);
  load(lattices.strike, strike);
  for (std::size_t j = 0; j <= steps; ++j) {
    const Lanes gain = spot - strike;
    store(gain > 0.0 ? gain : Lanes{}, values + j * lane_count);
    spot *= ratio;
  }
}

/// Both weights are multiplied with at every node, as on a lattice whose options may be exercised
/// early; scaling the values could save that, until only the sum over expiry were left, which needs
/// no lattice.
[[gnu::always_inline]] inline void price_all(Lattices* lattices, std::size_t steps, Values values) {
  Lanes up;
  Lanes down;
  load(lattices->up, up);
  load(lattices->down, down);
  value_at_expiry(*lattices, steps, values);
  for (std::size_t nodes = steps; nodes > 0; --nodes) {
    Lanes lower;
    load(values, lower);
    for (std::size_t j = 0; j < nodes; ++j) {
      Lanes upper;
      load(values + (j + 1) * lane_count, upper);
      store(up * upper + down * lower, values + j * lane_count);
      lower = upper;
    }
  }
  std::copy_n(values, lane_count, lattices->price);
}

}  // namespace

void price_on_lattice(const LatticeColumns& columns, std::size_t first, std::size_t count,
                      double rate, std::size_t steps) {
  Buffer values((steps + 1) * lane_count);
  const auto n = static_cast<double>(steps);
  for (std::size_t begin = first; begin < first + count; begin += lane_count) {
    Lattices lattices;
    for (std::size_t l = 0; l < lane_count; ++l) {
      const std::size_t i = std::min(begin + l, first + count - 1);  // some twice, at the end
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
    with_widest_vectors<price_all>(&lattices, steps, values.data());
    std::copy_n(static_cast<const double*>(lattices.price),
                std::min(lane_count, first + count - begin), columns.call + begin);
  }
}

}  // namespace equipoise
