// Reads counters of microjoules, which begin again at 0 after their largest value.
#include "real/meters/meter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>
#include <system_error>
#include <utility>

namespace equipoise {
namespace {

namespace fs = std::filesystem;

/// The first word of a file; nullopt if it cannot be read.
template <class Value>
std::optional<Value> read_value(const fs::path& path) {
  std::ifstream file(path);
  Value value{};
  if (!(file >> value)) return std::nullopt;
  return value;
}

class PackageMeter final : public Meter {
 public:
  PackageMeter(std::string domain, fs::path counter, std::uint64_t range_uj)
      : Meter(std::move(domain), "RAPL"), counter_(std::move(counter)), range_uj_(range_uj) {}

  std::optional<double> joules(double /*now_s*/) override {
    const auto count_uj = read_value<std::uint64_t>(counter_);
    if (!count_uj) return std::nullopt;
    if (last_uj_ && *count_uj < *last_uj_) {  // it has wrapped around
      if (*last_uj_ > range_uj_) return std::nullopt;
      sum_uj_ += range_uj_;
    }
    if (last_uj_) sum_uj_ += *count_uj - *last_uj_;
    last_uj_ = count_uj;
    return 1e-6 * static_cast<double>(sum_uj_);
  }

 private:
  fs::path counter_;
  std::uint64_t range_uj_;
  std::optional<std::uint64_t> last_uj_;
  std::uint64_t sum_uj_ = 0;
};

/// Why a file cannot be read.
std::string why_unreadable(const fs::path& path) {
  errno = 0;
  const std::ifstream file(path);
  if (file.is_open()) return "its counter is not a number";
  if (errno == EACCES || errno == EPERM) {
    return fmt::format("only root may read {}; allow it with chmod a+r", path.string());
  }
  return fmt::format("{}: {}", path.string(), std::strerror(errno));
}

/// The domains of the folder, in the order of their names.
std::vector<fs::path> domains_of(const std::string& folder) {
  std::vector<fs::path> domains;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    // A package has a second interface, in memory, with the same counter.
    if (at->path().filename().string().find("-mmio") != std::string::npos) continue;
    domains.push_back(at->path());
  }
  std::ranges::sort(domains);
  return domains;
}

void add_package(const std::string& name, const fs::path& domain, Meters& meters) {
  const fs::path counter = domain / "energy_uj";
  const auto range_uj = read_value<std::uint64_t>(domain / "max_energy_range_uj");
  if (!read_value<std::uint64_t>(counter)) {
    meters.notes.push_back(fmt::format("{} is not measured: {}", name, why_unreadable(counter)));
  } else if (!range_uj) {
    meters.notes.push_back(fmt::format("{} is not measured: {}", name,
                                       why_unreadable(domain / "max_energy_range_uj")));
  } else {
    meters.found.push_back(std::make_unique<PackageMeter>(name, counter, *range_uj));
  }
}

}  // namespace

Meters powercap_meters(const std::string& folder) {
  Meters meters;
  std::set<std::string> packages;
  std::set<std::string> beside;
  for (const fs::path& domain : domains_of(folder)) {
    const auto name = read_value<std::string>(domain / "name");
    if (!name) continue;
    if (name->starts_with("package-")) {
      if (packages.insert(*name).second) add_package(*name, domain, meters);
    } else if (*name == "dram" || *name == "psys") {
      beside.insert(*name);
    }
  }
  if (packages.empty()) {
    meters.notes.push_back(fmt::format("{} shows no CPU package", folder));
  } else {
    for (const std::string& name : beside) meters.notes.push_back(name + " is not counted");
  }
  return meters;
}

}  // namespace equipoise
