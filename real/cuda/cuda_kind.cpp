// The row of the unit catalog for GPUs, the same in builds with and without CUDA.
#include "real/cuda/cuda_unit.hpp"

namespace equipoise {

UnitKindInfo cuda_kind() {
  return {"cuda",
          "a GPU of this machine or a part of it, driven by CUDA",
          with_common_parameters(
              {{"device", "auto", "",
                "which GPU, as CUDA numbers them; auto: the first that no other unit has, and 0 "
                "for a part of a GPU"},
               {"sms", "all", "SMs",
                "how many of the GPU's SMs the unit has; units with sms= never share one"}},
              "3",
              "its part of the GPU's free memory; a sixteenth of the GPU's memory is left to "
              "libraries"),
          why_no_cuda,
          make_cuda_factories,
          cuda_gpus};
}

}  // namespace equipoise
