// The program `equipoise`.
#include <unistd.h>

#include <cstdio>

#include "real/worker.hpp"
#include "tools/commands/command_line.hpp"
#include "tools/simulations/simulation_server.hpp"

int main(int argc, char** argv) {
  if (const auto socket = equipoise::socket_to_serve(argc, argv)) {
    return equipoise::serve_simulations(*socket);
  }
  const int exit_code = equipoise::run_program(argc, argv);
  if (equipoise::threads_left_behind() == 0) return exit_code;
  // A thread that was left behind still computes, and may use data that exit() would destroy.
  std::fflush(nullptr);
  ::_exit(exit_code);
}
