// A load that competes with a unit for the SMs of its GPU.
#pragma once

#include <cstddef>
#include <cstdint>

#include "real/gpu/stream.hpp"

namespace equipoise {

/// What a load does, and what it shares with the host: memory of the host that the GPU sees, too.
struct CompetingBlocks {
  unsigned count = 1;            ///< blocks, each of which keeps one SM busy
  std::size_t shared_bytes = 0;  ///< all that a block can have, so that an SM has room for one only
  std::uint64_t span_ns = 0;     ///< how long each is busy
  const volatile std::uint64_t* stops = nullptr;  ///< all end soon after this is not 0
  volatile std::uint64_t* busy_ns = nullptr;      ///< (blocks) how long each was busy is added here
};

/// Loads the code onto the current device, so that a launch does not wait for it.
void load_compete();

/// Enqueues a load. A load that finds `stops` set when it begins ends at once.
void launch_compete(const Stream& stream, const CompetingBlocks& blocks);

}  // namespace equipoise
