// Units that are GPUs, driven by CUDA.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "real/gpu/gpu.hpp"
#include "real/gpu/gpu_shares.hpp"
#include "real/unit_spec.hpp"

namespace equipoise {

/// What a user asks for one unit. Throws InputError if a value is none that any machine has.
[[nodiscard]] GpuWish wish_of(const UnitRequest& request);

/// UnitKindInfo::why_absent
[[nodiscard]] std::string why_no_cuda();
/// UnitKindInfo::make. Throws BackendError, too, if a GPU cannot be used.
[[nodiscard]] UnitFactories make_cuda_factories(std::span<UnitRequest> requests);
/// UnitKindInfo::gpus: those that can be asked.
[[nodiscard]] std::vector<Gpu> cuda_gpus();
/// UnitKindInfo::libraries
[[nodiscard]] std::vector<std::string> cuda_libraries();

}  // namespace equipoise
