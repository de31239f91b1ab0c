// Energy meters: their interface, those that a machine has, and where they are found.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "real/gpu/gpu.hpp"

namespace equipoise {

/// Counts the energy that a domain of the machine takes: a CPU package or a GPU.
class Meter {
 public:
  /// `source` is what the readings come from: "RAPL", "NVML".
  Meter(std::string domain, std::string source)
      : domain_(std::move(domain)), source_(std::move(source)) {}
  Meter(const Meter&) = delete;
  Meter& operator=(const Meter&) = delete;
  virtual ~Meter() = default;

  /// "package-0", "cuda:0"
  [[nodiscard]] const std::string& domain() const { return domain_; }
  [[nodiscard]] const std::string& source() const { return source_; }

  /// The energy in joules that the domain has taken since its first reading, which gives 0. `now_s`
  /// is the time now in seconds since any moment; meters that only tell power need it. Returns
  /// nullopt if the meter cannot be read (any more). To be called by one thread at a time, at least
  /// every few seconds while its readings are compared: counters wrap around.
  [[nodiscard]] virtual std::optional<double> joules(double now_s) = 0;

 private:
  std::string domain_;
  std::string source_;
};

/// The meters that were found.
struct Meters {
  std::vector<std::unique_ptr<Meter>> found;
  /// What is not measured, and why: phrases for people.
  std::vector<std::string> notes;
};

/// The folder in which Linux shows meters of packages.
inline constexpr const char* powercap_folder = "/sys/class/powercap";

/// A meter for each package that the folder shows and that can be read, named as there:
/// "package-0". Other domains are no meters here: those of cores and graphics are parts of a
/// package, "psys" contains all packages, and "dram" is beside them. The notes say if "dram" or
/// "psys" are not counted, if there is no package, and why one cannot be read.
[[nodiscard]] Meters powercap_meters(const std::string& folder = powercap_folder);

/// The file of NVML.
inline constexpr const char* nvml_file = "libnvidia-ml.so.1";

/// A meter for each of `gpus` that NVML knows. It reads the GPU's counter of energy, or, if there
/// is none, its power, and adds that up. A GPU that is divided is measured as a whole. The notes
/// say which GPUs are not measured, and why. Without GPUs, NVML is not opened.
[[nodiscard]] Meters nvml_meters(std::span<const Gpu> gpus, const std::string& file = nvml_file);

/// Where meters are found. Tests have others.
struct MeterPlaces {
  std::string powercap = powercap_folder;
  std::string nvml = nvml_file;
};

/// Meters of all CPU packages of this machine, and of `gpus`.
[[nodiscard]] Meters machine_meters(std::span<const Gpu> gpus, const MeterPlaces& places = {});

/// The meters that were found, and what is not measured, in one line: "package-0 (RAPL), cuda:0
/// (NVML); dram is not counted", or "none: " and why.
[[nodiscard]] std::string meters_text(const Meters& meters);

}  // namespace equipoise
