// The module that connects ranks by MPI, and how the program opens it. MPI's libraries are opened
// only in processes that mpirun has started.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "real/nodes/transport.hpp"

namespace equipoise {

/// What the module exports, by C's rules: the module is not linked with our libraries.
struct MpiModule {
  /// Connects this process with all others that mpirun has started. Null if that fails; `why` then
  /// says it.
  std::unique_ptr<Transport> (*connect)(std::string& why);
};

/// Whether mpirun, or srun with PMIx, has started this process.
[[nodiscard]] bool is_started_by_mpirun();

/// Lets this process, and those that it starts, be no ranks: for children, which MPI would take for
/// their parent. To be called while there is one thread.
void forget_mpirun();

/// The MPI that the module was built with, such as "Open MPI 4.1.4"; none: the program has no MPI.
[[nodiscard]] std::optional<std::string> mpi_version();

/// Connects by MPI. The thread that calls it is the one that makes all calls of MPI. Throws
/// BackendError if there is no module, if MPI is missing here, or if the ranks cannot be connected.
[[nodiscard]] std::unique_ptr<Transport> connect_by_mpi();

}  // namespace equipoise
