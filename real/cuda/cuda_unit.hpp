// Units that are GPUs, driven by CUDA.
#pragma once

#include "real/unit_spec.hpp"

namespace equipoise {

/// The kind "cuda".
[[nodiscard]] UnitKindInfo cuda_kind();

}  // namespace equipoise
