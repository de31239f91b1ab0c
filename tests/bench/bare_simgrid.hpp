// The program that a user would write by hand with SimGrid. Our simulator is compared with it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace equipoise {

/// Equal blocks that are handed out when units ask for them.
struct BareWork {
  std::string platform_file;      ///< hosts `master`, u0, u1, ...
  std::vector<double> compute_s;  ///< (units), computing time of a block
  std::uint64_t blocks = 0;
  std::uint64_t in_bytes = 0;
  std::uint64_t out_bytes = 0;
};

/// A bare master and workers on S4U with one actor per unit. A block is a transfer, an execution
/// and a transfer back. Uses the fastest settings that we know. Returns the simulated time in
/// seconds. Call it once per process. It is in a separate module, opened as the simulator's module
/// is and for the same reason (sim/sim_module.hpp).
extern "C" double run_bare(const BareWork& work);
using RunBare = decltype(run_bare);

}  // namespace equipoise
