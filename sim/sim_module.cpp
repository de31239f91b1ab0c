// Finds the module beside the program and opens it, once.
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

/// Where the module may be: beside the program, as it is handed on, or as the build leaves it.
std::string module_file() {
  std::error_code error;
  const fs::path folder = fs::read_symlink("/proc/self/exe", error).parent_path();
  for (const fs::path& file : std::array{folder / file_name, folder / "../sim" / file_name}) {
    if (fs::exists(file, error)) return file.string();
  }
  throw BackendError(std::string("cannot simulate: this program is without SimGrid (there is no ") +
                     file_name + " beside it); " + to_do);
}

/// `dlerror`, or the like, as part of a sentence.
[[noreturn]] void refuse(const char* reason) {
  throw BackendError(std::string("cannot simulate: ") + reason + "; " + to_do);
}

const SimModule& opened_module() {
  // Never closed: SimGrid's threads and handlers outlive what asked for them.
  static const SimModule& module = []() -> const SimModule& {
    void* const file = ::dlopen(module_file().c_str(), RTLD_LAZY | RTLD_LOCAL);
    if (file == nullptr) refuse(::dlerror());
    const void* const table = ::dlsym(file, "equipoise_simgrid");
    if (table == nullptr) refuse(::dlerror());
    return *static_cast<const SimModule*>(table);
  }();
  return module;
}

}  // namespace

std::optional<std::string> simgrid_version() {
  try {
    return opened_module().simgrid_version;
  } catch (const BackendError&) {
    return std::nullopt;
  }
}

ProbedPlatform probe_platform(const std::string& platform_file,
                              const std::function<bool(const ProbedHost&)>& wants_routes) {
  return opened_module().probe_platform(platform_file, wants_routes);
}

std::unique_ptr<Executor> make_sim_executor(SimSetup setup) {
  return opened_module().make_executor(std::move(setup));
}

}  // namespace equipoise
