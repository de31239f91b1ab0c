// Opens libraries of the CUDA toolkit.
#include "real/cuda/library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <new>

#include "real/worker.hpp"
#include "shared_policies/model/failure.hpp"

namespace equipoise {

Library::Library(const std::string& file, const std::string& user)
    : file_(file), user_(user), handle_(::dlopen(file.c_str(), RTLD_LAZY | RTLD_LOCAL)) {
  if (handle_ != nullptr) return;
  const char* const reason = ::dlerror();
  throw BackendError(fmt::format("{} needs {}; it comes with the CUDA toolkit ({})", user, file,
                                 reason == nullptr ? "no reason is known" : reason));
}

void* Library::address_of(const char* name) const {
  void* const address = ::dlsym(handle_, name);
  if (address == nullptr) {
    throw BackendError(
        fmt::format("{} needs {}, but this {} has none; install the version that "
                    "comes with the CUDA toolkit",
                    user_, name, file_));
  }
  return address;
}

std::string library_line(const std::string& name, const std::string& file,
                         const std::string& kernel) {
  try {
    const Library opened(file, kernel + " on CUDA");
    return fmt::format("{}: {} ({})", name, file, kernel);
  } catch (const BackendError& failure) {
    return fmt::format("{}: none: {}", name, failure.what());
  }
}

void throw_library_failure(const char* user, const char* call, int status, int no_memory,
                           const std::string& why) {
  if (status == no_memory) throw std::bad_alloc();
  throw BlockFailure(fmt::format("{}: {} failed: {}", user, call, why));
}

}  // namespace equipoise
