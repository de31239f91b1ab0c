// A library that takes the place of NVML. Its GPUs: 01 counts energy, 02 tells only its power, 03
// tells nothing. Tests set what the next readings give.
#include <atomic>
#include <cstring>

namespace {

constexpr int success = 0;
constexpr int not_supported = 3;
constexpr int no_permission = 4;
constexpr int not_found = 6;

std::atomic<unsigned long long> energy_now_mj = 0;
std::atomic<unsigned int> power_now_mw = 0;
std::atomic<bool> is_lost = false;
int users = 0;

}  // namespace

struct FakeGpu {
  const char* pci_bus_id;
};

namespace {

FakeGpu gpus[] = {{"00000000:01:00.0"}, {"00000000:02:00.0"}, {"00000000:03:00.0"}};

}  // namespace

// NOLINTBEGIN(readability-identifier-naming): names of NVML
extern "C" {

void fake_nvml_set(unsigned long long energy_mj, unsigned int power_mw, bool lost) {
  energy_now_mj = energy_mj;
  power_now_mw = power_mw;
  is_lost = lost;
}
int fake_nvml_users() { return users; }

int nvmlInit_v2() {
  ++users;
  return success;
}
int nvmlShutdown() {
  --users;
  return success;
}
const char* nvmlErrorString(int result) {
  return result == no_permission ? "Insufficient Permissions" : "Not Found";
}
int nvmlDeviceGetHandleByPciBusId_v2(const char* pci_bus_id, FakeGpu** gpu) {
  for (FakeGpu& each : gpus) {
    if (std::strcmp(each.pci_bus_id, pci_bus_id) != 0) continue;
    *gpu = &each;
    return success;
  }
  return not_found;
}
int nvmlDeviceGetTotalEnergyConsumption(FakeGpu* gpu, unsigned long long* millijoules) {
  if (gpu != &gpus[0] || is_lost) return not_supported;
  *millijoules = energy_now_mj;
  return success;
}
int nvmlDeviceGetPowerUsage(FakeGpu* gpu, unsigned int* milliwatts) {
  if (gpu == &gpus[2]) return no_permission;
  if (is_lost) return not_supported;
  *milliwatts = power_now_mw;
  return success;
}

}  // extern "C"
// NOLINTEND(readability-identifier-naming)
