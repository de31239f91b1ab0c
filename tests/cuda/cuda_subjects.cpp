// GPUs, for the contract of devices: a whole one, and a part.
#include "real/cuda/cuda_device.hpp"
#include "real/cuda/cuda_unit.hpp"
#include "real/cuda/gpu_part.hpp"
#include "tests/support/device_subjects.hpp"

namespace equipoise {

std::vector<DeviceSubject> device_subjects() {
  const std::string why_absent = cuda_kind().why_absent();
  const auto open = [](const GpuPart& part, const std::vector<int>& waiting,
                       std::shared_ptr<Clock> clock) {
    return open_cuda_device(open_cuda_context(part), waiting, std::move(clock));
  };
  return {{"cuda", why_absent,
           [open](const std::vector<int>& waiting, std::shared_ptr<Clock> clock) {
             return open({}, waiting, std::move(clock));
           }},
          {"part_of_cuda", why_absent,
           [open](const std::vector<int>& waiting, std::shared_ptr<Clock> clock) {
             return open(SmGroups(0).take(1), waiting, std::move(clock));
           }}};
}

}  // namespace equipoise
