// Opens the module in processes that mpirun has started.
#include "real/mpi/mpi_module.hpp"

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
    .remedy = "install Open MPI (Debian, Ubuntu: apt install openmpi-bin libopenmpi-dev) and build "
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

std::optional<std::string> mpi_version() {
  if (!file_of(mpi_module)) return std::nullopt;
  return EQUIPOISE_MPI_VERSION;
}

std::unique_ptr<Transport> connect_by_mpi() {
  std::string why;
  std::unique_ptr<Transport> transport = open_module<MpiModule>(mpi_module).connect(why);
  if (!transport) throw BackendError("cannot connect with other ranks: " + why);
  return transport;
}

}  // namespace equipoise
