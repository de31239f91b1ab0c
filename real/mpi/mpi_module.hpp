// The module that connects ranks by MPI, and how the program opens it. MPI's libraries are opened
// only in processes that mpirun has started.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "real/nodes/transport.hpp"

namespace equipoise {

/// What the module exports, by C's rules: the module is not linked with our libraries.
struct MpiModule {
  /// Connects this process with all others that mpirun has started. Null if that fails; `why` then
  /// says it.
  std::unique_ptr<Transport> (*connect)(std::string& why);
  /// Whether MPI is initialised, and not finalised.
  bool (*is_initialized)();
};

/// Whether mpirun, or srun with PMIx, has started this process.
[[nodiscard]] bool is_started_by_mpirun();

/// Whether mpirun or srun has started other processes beside this one, as far as the environment
/// tells.
[[nodiscard]] bool may_have_other_ranks();

/// Whether a variable of the environment, `NAME=value`, makes a process that opens MPI one of the
/// ranks that mpirun started: what a rank starts must not inherit it.
[[nodiscard]] bool is_of_a_rank(std::string_view entry);

/// Whether this program has initialised MPI by itself. The library then uses MPI only while a loop
/// of the program runs. To be called where mpirun has started the program. Throws BackendError if
/// MPI cannot be opened.
[[nodiscard]] bool has_initialized_mpi();

/// The MPI that the module was built with, such as "Open MPI 4.1.4"; none: the program has no MPI.
[[nodiscard]] std::optional<std::string> mpi_version();

/// Connects by MPI. The thread that calls it is the one that makes all calls of MPI. Throws
/// BackendError if there is no module, if MPI is missing here, or if the ranks cannot be connected.
[[nodiscard]] std::unique_ptr<Transport> connect_by_mpi();

}  // namespace equipoise
