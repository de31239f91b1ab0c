// Makes units of GPUs, and asks CUDA what these are.
#include "real/cuda/cuda_unit.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "real/cuda/cuda_call.hpp"
#include "real/cuda/cuda_device.hpp"
#include "real/cuda/programs.hpp"
#include "real/device_worker.hpp"
#include "real/unit_memory.hpp"
#include "shared_policies/model/failure.hpp"
#include "shared_policies/model/workload.hpp"

namespace equipoise {
namespace {

/// The part of a GPU's memory that is left to the libraries that compute there.
constexpr double reserve_share = 1.0 / 16.0;

std::string version_of(int number) {
  return fmt::format("{}.{}", number / 1000, number % 1000 / 10);
}

/// Why CUDA has no GPU here; empty if it has. The first call of CUDA in the program.
std::string find_out_why_absent() {
  // Otherwise kernels are loaded when they are first used, and that may wait for all queues, also
  // for one that this thread has stopped.
  setenv("CUDA_MODULE_LOADING", "EAGER", 0);
  int driver = 0;
  if (cudaDriverGetVersion(&driver) != cudaSuccess || driver == 0) {
    return "there is no NVIDIA driver here";
  }
  int count = 0;
  const cudaError_t error = cudaGetDeviceCount(&count);
  if (error == cudaErrorNoDevice || (error == cudaSuccess && count == 0)) {
    return "there is no NVIDIA GPU here";
  }
  if (error == cudaErrorInsufficientDriver) {
    return fmt::format("the NVIDIA driver here knows CUDA {}, and this build needs {}",
                       version_of(driver), version_of(CUDART_VERSION));
  }
  return error == cudaSuccess ? std::string() : cudaGetErrorString(error);
}

const std::string& why_absent() {
  static const std::string why = find_out_why_absent();
  return why;
}

int count_devices() {
  int count = 0;
  check_cuda(cudaGetDeviceCount(&count), "cudaGetDeviceCount");
  return count;
}

/// Completes `unit` with what the GPU `device` is. Throws as check_cuda does.
void describe(int device, Unit& unit) {
  cudaDeviceProp properties{};
  check_cuda(cudaGetDeviceProperties(&properties, device), "cudaGetDeviceProperties");
  unit.kind = UnitKind::gpu;
  unit.model = properties.name;
  unit.copy_engines = std::clamp(properties.asyncEngineCount, 1, 2);
  if (unit.memory_bytes) return;
  std::size_t free_bytes = 0;
  std::size_t all_bytes = 0;
  check_cuda(cudaSetDevice(device), "cudaSetDevice");
  check_cuda(cudaMemGetInfo(&free_bytes, &all_bytes), "cudaMemGetInfo");
  const double reserve_bytes = reserve_share * static_cast<double>(all_bytes);
  unit.memory_bytes = std::max(1.0, static_cast<double>(free_bytes) - reserve_bytes);
}

/// As NVML spells it. Throws as check_cuda does.
std::string pci_bus_id_of(int device) {
  cudaDeviceProp properties{};
  check_cuda(cudaGetDeviceProperties(&properties, device), "cudaGetDeviceProperties");
  return fmt::format("{:08x}:{:02x}:{:02x}.0", properties.pciDomainID, properties.pciBusID,
                     properties.pciDeviceID);
}

class CudaFactory final : public UnitFactory {
 public:
  CudaFactory(int device, std::string pci_bus_id)
      : device_(device), pci_bus_id_(std::move(pci_bus_id)) {}

  int cores() const override { return 0; }
  std::optional<GpuPlace> gpu() const override {
    return GpuPlace{fmt::format("cuda{}", device_), pci_bus_id_};
  }
  bool has_program(const std::string& kernel) const override { return has_cuda_program(kernel); }
  double host_bytes(const Unit& unit, const Workload& workload) const override {
    return staged_bytes(workload, room_items(unit, workload));  // pinned
  }
  UnitRates rates(const Unit& unit, double slowdown, const Scenario& scenario) const override {
    return rates_with_loads(unit, slowdown, scenario);
  }
  std::unique_ptr<Worker> make_worker(WorkerSetup setup) const override {
    return make_device_worker(std::move(setup), [device = device_](const WorkerSetup& of) {
      return open_cuda_device(device, of.waiting, of.clock);
    });
  }
  std::unique_ptr<CompetingLoad> make_load(const Clock& /*clock*/, const Disturbance& /*event*/,
                                           const std::vector<int>& /*cores*/) const override {
    return nullptr;
  }

 private:
  int device_;
  std::string pci_bus_id_;
};

std::shared_ptr<const UnitFactory> make_cuda_factory(UnitRequest& request) {
  try {
    const auto device = static_cast<int>(request.read.items("device", 0, count_devices() - 1));
    describe(device, request.unit);
    return std::make_shared<CudaFactory>(device, pci_bus_id_of(device));
  } catch (const InputError&) {
    throw;
  } catch (const std::exception& failure) {
    throw BackendError(
        fmt::format("{}: the GPU cannot be used: {}", request.where, failure.what()));
  }
}

UnitFactories make_cuda_factories(std::span<UnitRequest> requests) {
  UnitFactories factories;
  for (UnitRequest& request : requests) factories.push_back(make_cuda_factory(request));
  return factories;
}

}  // namespace

UnitKindInfo cuda_kind() {
  return {"cuda", "a GPU of this machine, driven by CUDA",
          with_common_parameters({{"device", "0", "", "which GPU, as CUDA numbers them"}}, "3",
                                 "what is free, less a sixteenth"),
          [] { return why_absent(); }, make_cuda_factories};
}

}  // namespace equipoise
