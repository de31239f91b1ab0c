// The versions that CMake found at build time, and what is known of this machine.
#include "tools/runs/version.hpp"

#include <cstdint>
#include <optional>

#include "real/machine.hpp"
#include "real/mpi/mpi_module.hpp"
#include "sim/sim_module.hpp"

namespace equipoise {

std::string built_with_text() {
  const std::optional<std::string> simgrid = simgrid_version();
  return "equipoise " EQUIPOISE_VERSION " (" +
         (simgrid ? "SimGrid " + *simgrid : "without SimGrid") +
         ", Ipopt " EQUIPOISE_IPOPT_VERSION ", OpenBLAS " EQUIPOISE_OPENBLAS_VERSION
         ", " EQUIPOISE_CUDA ", " +
         mpi_version().value_or("without MPI") + ")";
}

Facts machine_facts() {
  const Machine& machine = this_machine();
  return {{"name", {machine.name}},
          {"cpu", {machine.cpu_model}},
          {"hardware_threads", {static_cast<std::int64_t>(machine.threads.size())}},
          {"memory_bytes", {machine.memory_bytes}}};
}

}  // namespace equipoise
