// Opens NVML and reads the energy of GPUs. The declarations are ours, because the toolkit has none.
#include "real/meters/meter.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <memory>
#include <utility>

namespace equipoise {
namespace {

/// What NVML's functions return if they succeed.
constexpr int nvml_success = 0;

/// A GPU, of which only NVML knows what it is.
struct NvmlGpu;

/// The functions of NVML that we call.
struct NvmlFunctions {
  int (*init)() = nullptr;
  int (*shutdown)() = nullptr;
  const char* (*error_text)(int) = nullptr;
  int (*gpu_at)(const char* pci_bus_id, NvmlGpu** gpu) = nullptr;
  int (*energy_mj)(NvmlGpu* gpu, unsigned long long* millijoules) = nullptr;
  int (*power_mw)(NvmlGpu* gpu, unsigned int* milliwatts) = nullptr;
};

/// NVML, while it is initialised. The library is never closed.
class Nvml {
 public:
  /// Sets `why` if NVML cannot be used.
  Nvml(const std::string& file, std::string& why) {
    void* const library = ::dlopen(file.c_str(), RTLD_LAZY | RTLD_LOCAL);
    if (library == nullptr) {
      why = fmt::format("{} cannot be opened", file);
      return;
    }
    const bool has_all = find(library, "nvmlInit_v2", functions.init) &&
                         find(library, "nvmlShutdown", functions.shutdown) &&
                         find(library, "nvmlErrorString", functions.error_text) &&
                         find(library, "nvmlDeviceGetHandleByPciBusId_v2", functions.gpu_at) &&
                         find(library, "nvmlDeviceGetPowerUsage", functions.power_mw);
    if (!has_all) {
      why = fmt::format("{} is too old", file);
      return;
    }
    find(library, "nvmlDeviceGetTotalEnergyConsumption", functions.energy_mj);
    const int result = functions.init();
    is_up_ = result == nvml_success;
    if (!is_up_) why = fmt::format("NVML does not start: {}", functions.error_text(result));
  }
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;
  ~Nvml() {
    if (is_up_) functions.shutdown();
  }

  NvmlFunctions functions;

 private:
  template <class Function>
  static bool find(void* library, const char* name, Function*& function) {
    function = reinterpret_cast<Function*>(::dlsym(library, name));
    return function != nullptr;
  }

  bool is_up_ = false;
};

class NvmlMeter : public Meter {
 public:
  NvmlMeter(std::string domain, std::shared_ptr<const Nvml> nvml, NvmlGpu* gpu)
      : Meter(std::move(domain), "NVML"), nvml_(std::move(nvml)), gpu_(gpu) {}

 protected:
  std::shared_ptr<const Nvml> nvml_;
  NvmlGpu* gpu_;
};

/// Reads a GPU's counter of energy.
class GpuEnergyMeter final : public NvmlMeter {
 public:
  using NvmlMeter::NvmlMeter;

  std::optional<double> joules(double /*now_s*/) override {
    unsigned long long count_mj = 0;
    if (nvml_->functions.energy_mj(gpu_, &count_mj) != nvml_success) return std::nullopt;
    if (!first_mj_) first_mj_ = count_mj;
    if (count_mj < *first_mj_) return std::nullopt;  // the driver was loaded again
    return 1e-3 * static_cast<double>(count_mj - *first_mj_);
  }

 private:
  std::optional<unsigned long long> first_mj_;
};

/// Adds up a GPU's power, which is taken to change linearly from reading to reading.
class GpuPowerMeter final : public NvmlMeter {
 public:
  using NvmlMeter::NvmlMeter;

  std::optional<double> joules(double now_s) override {
    unsigned int power_mw = 0;
    if (nvml_->functions.power_mw(gpu_, &power_mw) != nvml_success) return std::nullopt;
    const double power_w = 1e-3 * power_mw;
    if (last_) sum_j_ += 0.5 * (last_->power_w + power_w) * (now_s - last_->at_s);
    last_ = Power{now_s, power_w};
    return sum_j_;
  }

 private:
  struct Power {
    double at_s = 0.0;
    double power_w = 0.0;
  };

  std::optional<Power> last_;
  double sum_j_ = 0.0;
};

/// Adds the meter of one GPU, or a note.
void add_gpu(const std::shared_ptr<const Nvml>& nvml, const Gpu& gpu, Meters& meters) {
  const NvmlFunctions& functions = nvml->functions;
  NvmlGpu* handle = nullptr;
  int result = functions.gpu_at(gpu.pci_bus_id.c_str(), &handle);
  if (result == nvml_success) {
    unsigned long long count_mj = 0;
    if (functions.energy_mj != nullptr && functions.energy_mj(handle, &count_mj) == nvml_success) {
      meters.found.push_back(std::make_unique<GpuEnergyMeter>(gpu.name, nvml, handle));
      return;
    }
    unsigned int power_mw = 0;
    result = functions.power_mw(handle, &power_mw);
    if (result == nvml_success) {
      meters.found.push_back(std::make_unique<GpuPowerMeter>(gpu.name, nvml, handle));
      return;
    }
  }
  meters.notes.push_back(
      fmt::format("{} is not measured: {}", gpu.name, functions.error_text(result)));
}

}  // namespace

Meters nvml_meters(std::span<const Gpu> gpus, const std::string& file) {
  Meters meters;
  if (gpus.empty()) return meters;
  std::string why;
  const auto nvml = std::make_shared<const Nvml>(file, why);
  for (const Gpu& gpu : gpus) {
    if (why.empty()) {
      add_gpu(nvml, gpu, meters);
    } else {
      meters.notes.push_back(fmt::format("{} is not measured: {}", gpu.name, why));
    }
  }
  return meters;
}

}  // namespace equipoise
