// A build without CUDA has no units of GPUs.
#include "real/cuda/cuda_unit.hpp"

namespace equipoise {

std::string why_no_cuda() {
  return "this build has no CUDA: configure again where nvcc 12.4 or newer is";
}

UnitFactories make_cuda_factories(std::span<UnitRequest> /*requests*/) { return {}; }

std::vector<Gpu> cuda_gpus() { return {}; }

std::vector<std::string> cuda_libraries() { return {}; }

}  // namespace equipoise
