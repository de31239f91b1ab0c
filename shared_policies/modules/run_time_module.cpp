// Finds modules beside the program and opens them.
#include "shared_policies/modules/run_time_module.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <sys/auxv.h>

#include <array>
#include <filesystem>

#include "shared_policies/model/failure.hpp"

namespace equipoise {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const RunTimeModule& module, const std::string& reason,
                         const char* remedy) {
  throw BackendError(fmt::format("{}: {}; {}{}{}", module.refusal, reason, remedy,
                                 *module.instead == '\0' ? "" : ", or ", module.instead));
}

constexpr const char* this_process = "/proc/self/exe";

/// The file of the shared library that has this code; none if it is the program.
std::optional<fs::path> own_library(std::error_code& error) {
  Dl_info own{};
  Dl_info program{};
  // NOLINTNEXTLINE(performance-no-int-to-ptr): it is an address
  const auto* const headers = reinterpret_cast<const void*>(::getauxval(AT_PHDR));
  const bool is_found = ::dladdr(&this_process, &own) != 0 && ::dladdr(headers, &program) != 0;
  if (!is_found || own.dli_fbase == program.dli_fbase) return std::nullopt;
  return fs::canonical(own.dli_fname, error);
}

constexpr const char* more_memory = "free some memory, or raise the limit (ulimit -v)";

/// Whether the loader's message says that there is no room for a library.
bool is_lack_of_memory(const std::string& why) {
  return why.find("annot allocate memory") != std::string::npos ||
         why.find("failed to map segment") != std::string::npos;
}

}  // namespace

std::optional<std::string> file_of(const RunTimeModule& module) {
  std::error_code error;
  const std::optional<fs::path> library = own_library(error);
  const fs::path file_of_code = library ? *library : fs::read_symlink(this_process, error);
  const fs::path folder = file_of_code.parent_path();
  if (folder.empty()) return std::nullopt;  // never search in the current directory
  const std::string name = std::string(module.name) + ".so";
  const fs::path around = folder / "..";
  for (const fs::path& file :
       std::array{folder / name, around / module.folder / name, around / "lib/equipoise" / name}) {
    if (fs::exists(file, error)) return file.string();
  }
  return std::nullopt;
}

std::string file_of_program() {
  std::error_code error;
  const std::optional<fs::path> library = own_library(error);
  if (!library) return this_process;
  const fs::path folder = library->parent_path();
  if (folder.empty()) throw BackendError("the folder of the library equipoise_loop is not known");
  for (const fs::path& file : {folder / "equipoise", folder / "../bin/equipoise"}) {
    if (fs::exists(file, error) && !fs::is_directory(file, error)) return file.string();
  }
  throw BackendError(
      fmt::format("the program equipoise, which simulates, is neither beside {} nor "
                  "in ../bin; install both together",
                  library->string()));
}

const void* table_of(const RunTimeModule& module) {
  const std::optional<std::string> path = file_of(module);
  const std::string name = path.value_or(std::string(module.name) + ".so");
  void* const file = ::dlopen(name.c_str(), RTLD_LAZY | RTLD_LOCAL);
  if (file == nullptr && !path) {
    refuse(module, fmt::format("{}.so is not beside the program", module.name),
           module.is_built ? "run it from its build folder, or install it with cmake --install"
                           : module.remedy);
  }
  if (file == nullptr) {
    const std::string why = ::dlerror();
    refuse(module, why, is_lack_of_memory(why) ? more_memory : module.remedy);
  }
  const void* const table = ::dlsym(file, module.name);
  if (table == nullptr) refuse(module, ::dlerror(), module.remedy);
  return table;
}

}  // namespace equipoise
