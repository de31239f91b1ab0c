// Opens the module in processes that mpirun has started.
#include "real/mpi/mpi_module.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <vector>

#include "shared_policies/model/failure.hpp"
#include "shared_policies/modules/run_time_module.hpp"

namespace equipoise {
namespace {

constexpr RunTimeModule mpi_module{
    .name = "equipoise_mpi",
    .folder = "real/mpi",
    .refusal = "cannot connect with other ranks",
    .remedy =
        "install Open MPI (Debian, Ubuntu: apt install openmpi-bin libopenmpi-dev) and build "
        "again",
    .is_built = EQUIPOISE_MPI_IS_BUILT == 1,
    .instead = "start the program without mpirun"};

}  // namespace

bool is_started_by_mpirun() {
  for (const char* const name : {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK"}) {
    // NOLINTNEXTLINE(concurrency-mt-unsafe): nothing changes the environment
    if (std::getenv(name) != nullptr) return true;
  }
  return false;
}

void forget_mpirun() {
  std::vector<std::string> names;
  for (char** entry = ::environ; *entry != nullptr; ++entry) {
    const std::string name(*entry, std::strcspn(*entry, "="));
    for (const char* const begin : {"OMPI_", "PMIX_", "PRTE_"}) {
      if (name.starts_with(begin)) names.push_back(name);
    }
  }
  for (const std::string& name : names) {
    ::unsetenv(name.c_str());  // NOLINT(concurrency-mt-unsafe): there is one thread
  }
}

std::optional<std::string> mpi_version() {
  if (!file_of(mpi_module)) return std::nullopt;
  return EQUIPOISE_MPI_VERSION;
}

std::unique_ptr<Transport> connect_by_mpi() {
  // Open MPI 3 to 5. Its own modules look for its functions among those of the whole process.
  constexpr const char* library = "libmpi.so.40";
  const bool is_built = file_of(mpi_module).has_value();
  if (is_built && ::dlopen(library, RTLD_LAZY | RTLD_GLOBAL) == nullptr) {
    // NOLINTNEXTLINE(concurrency-mt-unsafe): dlerror is of this thread
    throw BackendError(std::string("cannot connect with other ranks: ") + ::dlerror() +
                       "; install Open MPI (Debian, Ubuntu: apt install openmpi-bin)");
  }
  std::string why;
  std::unique_ptr<Transport> transport = open_module<MpiModule>(mpi_module).connect(why);
  if (!transport) throw BackendError("cannot connect with other ranks: " + why);
  return transport;
}

}  // namespace equipoise
