// Units that are GPUs, driven by CUDA.
#pragma once

#include "real/unit_spec.hpp"

namespace equipoise {

/// The kind "cuda".
[[nodiscard]] UnitKindInfo cuda_kind();

/// How many GPUs CUDA has here; 0 if there are no CUDA units. Throws as check_cuda does.
[[nodiscard]] int cuda_devices();

}  // namespace equipoise
