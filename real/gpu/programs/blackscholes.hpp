// Black-Scholes prices on a GPU.
#pragma once

#include <cstddef>

#include "real/gpu/stream.hpp"
#include "real/kernels/blackscholes/option_price.hpp"

namespace equipoise {

/// Enqueues the pricing of `count` options (at least one), as `price_options` prices them. Columns
/// are in the device's memory and begin at multiples of 16 bytes.
void launch_blackscholes(const Stream& stream, const OptionColumns& options, std::size_t count,
                         double rate);

}  // namespace equipoise
