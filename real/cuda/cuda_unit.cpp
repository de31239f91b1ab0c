// Makes units of GPUs, and asks CUDA what these are.
#include "real/cuda/cuda_unit.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <exception>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "real/cuda/cuda_call.hpp"
#include "real/cuda/cuda_device.hpp"
#include "real/cuda/cuda_memory.hpp"
#include "real/cuda/gpu_part.hpp"
#include "real/devices/device_worker.hpp"
#include "real/gpu/programs.hpp"
#include "real/machine.hpp"
#include "real/unit_memory.hpp"
#include "shared_policies/model/failure.hpp"
#include "shared_policies/model/workload.hpp"

namespace equipoise {
namespace {

/// The part of a GPU's memory that is left to all libraries that compute there. Each unit has its
/// own handles: cuBLAS takes up to 32 MiB of workspace for one, and cuFFT up to 128 MiB, or as much
/// as one transform if that is larger. They get it before the unit gets its own memory, which is
/// less if they need more.
constexpr double reserve_share = 1.0 / 16.0;
/// The first driver that knows streams in parts of GPUs.
constexpr int version_of_parts = 12050;

std::string version_of(int number) {
  return fmt::format("{}.{}", number / 1000, number % 1000 / 10);
}

/// Why CUDA has no GPU here; empty if it has. The first call of CUDA in the program.
std::string find_out_why_absent() {
  // Otherwise all code of cuBLAS and cuFFT is loaded with them, which is reported to take seconds.
  // What is used is loaded before there is work, because loading may wait for all queues, also for
  // one that is stopped.
  setenv("CUDA_MODULE_LOADING", "LAZY", 0);
  // Otherwise streams of several units share a queue of the hardware, and wait for one another.
  setenv("CUDA_DEVICE_MAX_CONNECTIONS", "32", 0);
  int driver = 0;
  const cudaError_t asked = cudaDriverGetVersion(&driver);
  if (asked != cudaSuccess || driver == 0) {
    return fmt::format(
        "there is no NVIDIA driver here ({}): install NVIDIA's driver; a container must be started "
        "with the GPU",
        asked == cudaSuccess ? "libcuda.so.1 is not found" : cudaGetErrorString(asked));
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

int count_devices() {
  int count = 0;
  check_cuda(cudaGetDeviceCount(&count), "cudaGetDeviceCount");
  return count;
}

/// As NVML spells it.
std::string pci_bus_id_of(const cudaDeviceProp& properties) {
  return fmt::format("{:08x}:{:02x}:{:02x}.0", properties.pciDomainID, properties.pciBusID,
                     properties.pciDeviceID);
}

/// As units and meters call a GPU.
std::string name_of(int device) { return fmt::format("cuda:{}", device); }

/// What is known of a GPU, of which `part` is used. Throws as check_cuda does.
Gpu gpu_of(const GpuPart& part, const cudaDeviceProp& properties) {
  int clock_khz = 0;
  check_cuda(cudaDeviceGetAttribute(&clock_khz, cudaDevAttrClockRate, part.device),
             "cudaDeviceGetAttribute");
  return {name_of(part.device), pci_bus_id_of(properties), part.sms, 1e3 * clock_khz};
}

/// Those of `cores` that are on the GPU's side of the host, where that is known.
std::vector<int> near_gpu(const std::vector<int>& cores, int device) {
  int node = -1;
  if (cudaDeviceGetAttribute(&node, cudaDevAttrHostNumaId, device) == cudaSuccess) {
    return near_node(cores, node, this_machine());
  }
  static_cast<void>(cudaGetLastError());
  return cores;
}

class CudaFactory final : public UnitFactory {
 public:
  CudaFactory(const GpuPart& part, Gpu gpu, std::shared_ptr<CudaPool> pool)
      : part_(part), gpu_(std::move(gpu)), pool_(std::move(pool)) {}

  int cores() const override { return 0; }
  std::optional<Gpu> gpu() const override { return gpu_; }
  std::optional<LinkRates> measure_link(CopyPath path) const override {
    return measure_cuda_link(pool_, path);
  }
  bool has_program(const Kernel& kernel) const override { return has_gpu_program(kernel); }
  double host_bytes(const Unit& unit, const Workload& workload) const override {
    return staged_bytes(workload, room_items(unit, workload));  // pinned
  }
  UnitRates rates(const Unit& unit, double slowdown, const Scenario& scenario) const override {
    return rates_beside_loads(unit, slowdown, scenario);
  }
  std::unique_ptr<Worker> make_worker(WorkerSetup setup) const override {
    return make_device_worker(
        std::move(setup), [part = part_, pool = pool_](const WorkerSetup& of) {
          const std::vector<int> near = near_gpu(of.waiting, part.device);
          return open_cuda_device(open_cuda_context(part, pool), near, of.clock, of.copies_first);
        });
  }
  std::unique_ptr<CompetingLoad> make_load(const Clock& clock, const Disturbance& event,
                                           const std::vector<int>& /*cores*/) const override {
    return start_cuda_load(part_, clock, event.at, event.until, event.amount, pool_);
  }

 private:
  GpuPart part_;
  Gpu gpu_;
  std::shared_ptr<CudaPool> pool_;
};

FreeGpuMemory memory_of(int device) {
  std::size_t free_bytes = 0;
  std::size_t all_bytes = 0;
  check_cuda(cudaSetDevice(device), "cudaSetDevice");
  check_cuda(cudaMemGetInfo(&free_bytes, &all_bytes), "cudaMemGetInfo");
  return {device, static_cast<double>(free_bytes), reserve_share * static_cast<double>(all_bytes)};
}

/// The parts of a GPU for units that ask for SMs.
std::vector<GpuPart> make_parts(std::span<const GpuWish> wishes, int device, int sms) {
  int version = 0;
  check_cuda(cudaDriverGetVersion(&version), "cudaDriverGetVersion");
  if (version < version_of_parts) {
    throw InputError(wishes[0].where,
                     fmt::format("parts of GPUs (sms=) need a driver of CUDA {}, and the NVIDIA "
                                 "driver here knows CUDA {}",
                                 version_of(version_of_parts), version_of(version)));
  }
  SmGroups groups(device);
  std::vector<GpuPart> parts;
  for (const int count : divide_sms(wishes, {device, sms, groups.sms_of_group(), groups.count()})) {
    parts.push_back(groups.take(count));
  }
  return parts;
}

/// Completes all units of a GPU and makes their factories, at the same places. Throws as check_cuda
/// does.
void make_units_of(const std::shared_ptr<CudaPool>& pool, std::span<const GpuWish> wishes,
                   std::span<UnitRequest* const> requests,
                   std::span<std::shared_ptr<const UnitFactory>* const> factories) {
  const int device = pool->device();
  cudaDeviceProp properties{};
  check_cuda(cudaGetDeviceProperties(&properties, device), "cudaGetDeviceProperties");
  const int sms = properties.multiProcessorCount;
  check_wholes(wishes, device);
  const std::vector<GpuPart> parts = wishes[0].sms
                                         ? make_parts(wishes, device, sms)
                                         : std::vector<GpuPart>(wishes.size(), {device, sms});
  const std::vector<double> memory_bytes = divide_memory(wishes, memory_of(device));
  for (std::size_t i = 0; i < requests.size(); ++i) {
    Unit& unit = requests[i]->unit;
    unit.kind = UnitKind::gpu;
    unit.model = properties.name;
    if (wishes[i].sms) unit.model += fmt::format(", {} of {} SMs", parts[i].sms, sms);
    unit.device = name_of(device);
    unit.copy_engines = std::clamp(properties.asyncEngineCount, 1, 2);
    unit.memory_bytes = memory_bytes[i];
    *factories[i] = std::make_shared<CudaFactory>(parts[i], gpu_of(parts[i], properties), pool);
  }
}

}  // namespace

std::string why_no_cuda() {
  static const std::string why = find_out_why_absent();
  return why;
}

UnitFactories make_cuda_factories(std::span<UnitRequest> requests) {
  UnitFactories factories(requests.size());
  const std::string* where = &requests[0].where;
  try {
    std::vector<GpuWish> wishes;
    for (const UnitRequest& request : requests) wishes.push_back(wish_of(request));
    const std::vector<int> devices = choose_gpus(wishes, count_devices());
    const auto host = std::make_shared<CudaHostMemory>();
    for (const int device : std::set<int>(devices.begin(), devices.end())) {
      std::vector<GpuWish> of_gpu;
      std::vector<UnitRequest*> to_complete;
      std::vector<std::shared_ptr<const UnitFactory>*> to_make;
      for (std::size_t i = 0; i < requests.size(); ++i) {
        if (devices[i] != device) continue;
        of_gpu.push_back(wishes[i]);
        to_complete.push_back(&requests[i]);
        to_make.push_back(&factories[i]);
      }
      where = &to_complete[0]->where;
      make_units_of(std::make_shared<CudaPool>(device, host), of_gpu, to_complete, to_make);
    }
  } catch (const InputError&) {
    throw;
  } catch (const std::exception& failure) {
    throw BackendError(fmt::format("{}: the GPU cannot be used: {}", *where, failure.what()));
  }
  return factories;
}

std::vector<Gpu> cuda_gpus() {
  std::vector<Gpu> gpus;
  try {
    for (int device = 0; device < count_devices(); ++device) {
      cudaDeviceProp properties{};
      check_cuda(cudaGetDeviceProperties(&properties, device), "cudaGetDeviceProperties");
      gpus.push_back(gpu_of({device, properties.multiProcessorCount}, properties));
    }
  } catch (const std::exception&) {
    return gpus;
  }
  return gpus;
}

std::vector<std::string> cuda_libraries() {
  int driver = 0;
  check_cuda(cudaDriverGetVersion(&driver), "cudaDriverGetVersion");
  std::string driver_line = "driver: CUDA " + version_of(driver);
  if (driver < version_of_parts) {
    driver_line +=
        fmt::format("; parts of GPUs (sms=) need one of CUDA {}", version_of(version_of_parts));
  }
  std::vector<std::string> lines = gpu_library_lines();
  lines.insert(lines.begin(), std::move(driver_line));
  return lines;
}

}  // namespace equipoise
