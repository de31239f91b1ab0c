// Black-Scholes prices on a GPU.
#pragma once

#include <cstddef>

#include "real/gpu/stream.hpp"
#include "real/kernels/blackscholes/option_price.hpp"

namespace equipoise {

/// Loads the kernels onto the current device, so that no launch waits for that. Throws as
/// check_cuda does.
void load_blackscholes();
/// Enqueues the pricing of `count` options (at least one), as `price_options` prices them. Columns
/// are in the device's memory and begin at multiples of 16 bytes.
void launch_blackscholes(const Stream& stream, const OptionColumns& options, std::size_t count,
                         double rate);

}  // namespace equipoise
