// Finds the SimGrid module beside the program and opens it once.
#include "sim/sim_module.hpp"

#include <dlfcn.h>

#include <array>
#include <filesystem>

#include "shared_policies/model/failure.hpp"

namespace equipoise {
namespace {

namespace fs = std::filesystem;

constexpr const char* file_name = "equipoise_simgrid.so";
constexpr const char* to_do =
    "install SimGrid (Debian, Ubuntu: apt install libsimgrid-dev) and build again";

/// The path of the module: beside the program, as installed, or where the build leaves it. None if
/// there is no module.
std::optional<std::string> module_file() {
  std::error_code error;
  const fs::path folder = fs::read_symlink("/proc/self/exe", error).parent_path();
  if (folder.empty()) return std::nullopt;  // never search in the current directory
  for (const fs::path& file : std::array{folder / file_name, folder / "../sim" / file_name}) {
    if (fs::exists(file, error)) return file.string();
  }
  return std::nullopt;
}

[[noreturn]] void refuse(const std::string& reason) {
  throw BackendError("cannot simulate: " + reason + "; " + to_do);
}

const SimModule& opened_module() {
  // Never closed: SimGrid's threads and handlers live until the program ends.
  static const SimModule& module = []() -> const SimModule& {
    const std::optional<std::string> path = module_file();
    if (!path) {
      refuse(std::string("this program was built without SimGrid (its module ") + file_name +
             " is missing)");
    }
    void* const file = ::dlopen(path->c_str(), RTLD_LAZY | RTLD_LOCAL);
    if (file == nullptr) refuse(::dlerror());
    const void* const table = ::dlsym(file, "equipoise_simgrid");
    if (table == nullptr) refuse(::dlerror());
    return *static_cast<const SimModule*>(table);
  }();
  return module;
}

}  // namespace

std::optional<std::string> simgrid_version() {
  if (!module_file()) return std::nullopt;
  return EQUIPOISE_SIMGRID_VERSION;
}

ProbedPlatform probe_platform(const PlatformSource& source,
                              const std::function<bool(const ProbedHost&)>& wants_routes,
                              MissingRoutes missing, const ProbeWatch& watch) {
  return opened_module().probe_platform(source, wants_routes, missing, watch);
}

std::unique_ptr<Executor> make_sim_executor(SimSetup setup) {
  return opened_module().make_executor(std::move(setup));
}

}  // namespace equipoise
