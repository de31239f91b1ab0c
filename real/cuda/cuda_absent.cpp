// The kind "cuda" in a build without CUDA.
#include "real/cuda/cuda_unit.hpp"

#include <span>

namespace equipoise {

UnitKindInfo cuda_kind() {
  return {"cuda", "a GPU of this machine or a part of it, driven by CUDA",
          with_common_parameters({}, "3", "the GPU's"),
          [] { return std::string("this build has no CUDA"); },
          [](std::span<UnitRequest>) { return UnitFactories(); }};
}

}  // namespace equipoise
