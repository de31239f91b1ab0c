// Opens the module in processes that mpirun has started.
#include "real/mpi/mpi_module.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cstdlib>

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

bool may_have_other_ranks() {
  for (const char* const name : {"OMPI_COMM_WORLD_SIZE", "SLURM_STEP_NUM_TASKS"}) {
    // NOLINTNEXTLINE(concurrency-mt-unsafe): nothing changes the environment
    const char* const ranks = std::getenv(name);
    if (ranks != nullptr) return is_started_by_mpirun() && std::string_view(ranks) != "1";
  }
  return is_started_by_mpirun();
}

bool is_of_a_rank(std::string_view entry) {
  constexpr std::array<std::string_view, 4> starts = {"OMPI_", "PMIX_", "PMI_", "PRTE_"};
  return std::ranges::any_of(starts, [&](std::string_view s) { return entry.starts_with(s); });
}

std::optional<std::string> mpi_version() {
  if (!file_of(mpi_module)) return std::nullopt;
  return EQUIPOISE_MPI_VERSION;
}

namespace {

/// Opens MPI, and then the module, which looks for its functions in the whole process.
const MpiModule& open_mpi() {
  // Open MPI 3 to 5. Its own modules look for its functions there, too.
  constexpr const char* library = "libmpi.so.40";
  const bool is_built = file_of(mpi_module).has_value();
  if (is_built && ::dlopen(library, RTLD_LAZY | RTLD_GLOBAL) == nullptr) {
    // NOLINTNEXTLINE(concurrency-mt-unsafe): dlerror is of this thread
    throw BackendError(std::string("cannot connect with other ranks: ") + ::dlerror() +
                       "; install Open MPI (Debian, Ubuntu: apt install openmpi-bin)");
  }
  return open_module<MpiModule>(mpi_module);
}

}  // namespace

bool has_initialized_mpi() { return open_mpi().is_initialized(); }

std::unique_ptr<Transport> connect_by_mpi() {
  std::string why;
  std::unique_ptr<Transport> transport = open_mpi().connect(why);
  if (!transport) throw BackendError("cannot connect with other ranks: " + why);
  return transport;
}

}  // namespace equipoise
