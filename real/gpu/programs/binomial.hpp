// Option prices on a binomial lattice on a GPU.
#pragma once

#include <cstddef>

#include "real/gpu/stream.hpp"
#include "real/kernels/binomial/lattice_price.hpp"

namespace equipoise {

/// Loads the kernels onto the current device, so that no launch waits for that. Throws as
/// check_cuda does.
void load_binomial();
/// Enqueues the pricing of `count` calls (at least one) on lattices of `steps` steps, from 1 to
/// `lattice_steps_max`, as `price_on_lattice` prices them. Columns are in the device's memory.
void launch_binomial(const Stream& stream, const LatticeColumns& options, std::size_t count,
                     double rate, std::size_t steps);

}  // namespace equipoise
