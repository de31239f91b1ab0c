// The row of the unit catalog for GPUs, and the values that users type: the same in builds with and
// without CUDA.
#include "real/cuda/cuda_unit.hpp"

namespace equipoise {

GpuWish wish_of(const UnitRequest& request) {
  constexpr Items largest_number = 1023;
  constexpr Items most_sms = 1 << 20;
  GpuWish wish{.unit = request.unit.name, .where = request.where};
  const Parameters& read = request.read;
  if (read.text("device") != "auto") {
    wish.device = static_cast<int>(read.items("device", 0, largest_number));
  }
  if (read.text("sms") != "all") wish.sms = static_cast<int>(read.items("sms", 1, most_sms));
  wish.memory_bytes = request.unit.memory_bytes;
  return wish;
}

UnitKindInfo cuda_kind() {
  return {
      "cuda",
      "a GPU of this machine or a part of it, driven by CUDA",
      with_common_parameters(
          {{"device", "auto", "",
            "number of the GPU: 0, 1, ...; auto: the first free GPU; with sms= GPU 0"},
           {"sms", "all", "SMs",
            "how many of the GPU's SMs the unit has, only multiples of the GPU's group (2, 4 or "
            "8); units with sms= never share one"}},
          "3",
          "its part of the GPU's free memory; a sixteenth of the GPU's memory is left to "
          "libraries"),
      why_no_cuda,
      make_cuda_factories,
      cuda_gpus,
      [](const UnitRequest& request) { static_cast<void>(wish_of(request)); },
      cuda_libraries};
}

}  // namespace equipoise
