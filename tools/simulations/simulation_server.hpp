// The other side of tools/simulations/simulations.hpp: the process that opens SimGrid and forks a
// process for each simulation.
#pragma once

#include <optional>
#include <string>

namespace equipoise {

/// The command by which the program starts itself as a simulation server, with the number of an
/// inherited socket as its argument. It is not for users, and no help lists it.
inline constexpr const char* serve_command = "serve-simulations";

/// The socket of the simulation server that this process is started as; nullopt: it is started as
/// something else. To be called first by every program that simulates.
[[nodiscard]] std::optional<int> socket_to_serve(int argc, char** argv);

/// Does what the other end of `socket` asks for until it is closed. Returns the exit code.
[[nodiscard]] int serve_simulations(int socket);

}  // namespace equipoise
