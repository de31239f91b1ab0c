// `equipoise optimum --objective energy|edp`: the ideal split for energy or energy-delay product.
#pragma once

#include "tools/commands/options.hpp"

namespace equipoise {

/// Searches the split by the known times and watts, simulates it with mean block times in a process
/// of its own, and prints what it takes beside the split for the least time. Gives the exit code.
/// Throws InputError, naming them, for units without watts.
int energy_optimum_command(const Options& options);

}  // namespace equipoise
