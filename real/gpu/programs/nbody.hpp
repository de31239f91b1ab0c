// Gravity among bodies on a GPU.
#pragma once

#include <cstddef>

#include "real/gpu/stream.hpp"
#include "real/kernels/nbody/gravity.hpp"

namespace equipoise {

/// Loads the kernels onto the current device, so that no launch waits for that. Throws as
/// check_cuda does.
void load_nbody();
/// Enqueues the accelerations of the bodies [first, first + count), at least one, as `accelerate`
/// computes them. They are added in another order, so their last bits differ. Columns are in the
/// device's memory.
void launch_nbody(const Stream& stream, const BodyColumns& bodies, std::size_t first,
                  std::size_t count, double softening, const AccelerationColumns& out);

}  // namespace equipoise
