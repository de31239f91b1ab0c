// `equipoise optimum --objective energy|edp`: the ideal split for energy or energy-delay product.
#pragma once

#include "tools/runs/options.hpp"

namespace equipoise {

/// Searches the split with the known times and watts, simulates it with mean block times in a
/// separate process, and prints the result beside the split for the least time. Returns the exit
/// code. Throws InputError with the names of units without watts.
int energy_optimum_command(const Options& options);

}  // namespace equipoise
