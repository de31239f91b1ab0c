// The versions that CMake found.
#include "tools/commands/version.hpp"

namespace equipoise {

std::string version_text() { return EQUIPOISE_VERSION; }

std::string built_with_text() {
  return "equipoise " + version_text() +
         " (SimGrid " EQUIPOISE_SIMGRID_VERSION ", Ipopt " EQUIPOISE_IPOPT_VERSION
         ", OpenBLAS " EQUIPOISE_OPENBLAS_VERSION ", without CUDA, without MPI)";
}

}  // namespace equipoise
