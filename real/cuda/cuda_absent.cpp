// The kind "cuda" in a build without CUDA.
#include "real/cuda/cuda_unit.hpp"

namespace equipoise {

UnitKindInfo cuda_kind() {
  return {"cuda", "a GPU of this machine, driven by CUDA",
          with_common_parameters({}, "3", "the GPU's"),
          [] { return std::string("this build has no CUDA"); },
          [](const Parameters&, Unit&, const std::string&) {
            return std::shared_ptr<const UnitFactory>();
          }};
}

}  // namespace equipoise
