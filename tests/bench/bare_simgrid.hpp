// The program that one would write by hand: what our simulator is measured against.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace equipoise {

/// Blocks that are handed out as units ask for them.
struct BareWork {
  std::string platform_file;      ///< hosts `master`, u0, u1, ...
  std::vector<double> compute_s;  ///< (units), of a block
  std::uint64_t blocks = 0;
  std::uint64_t in_bytes = 0;
  std::uint64_t out_bytes = 0;
};

/// A bare master and workers on S4U: one actor a unit; a block is a transfer, an execution and a
/// transfer back; the fastest settings that we know of. Returns the simulated time in seconds. One
/// a process. It is in a module of its own, opened as the simulator's is, and for the same reason.
extern "C" double run_bare(const BareWork& work);
using RunBare = decltype(run_bare);

}  // namespace equipoise
