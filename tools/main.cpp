// The program `equipoise`.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "real/worker.hpp"
#include "tools/commands/command_line.hpp"
#include "tools/simulations/simulation_server.hpp"

int main(int argc, char** argv) {
  // OpenBLAS would start a thread for each core when a module brings it, and if it cannot start
  // them, never let the program end. Ours needs none: units multiply in threads of their own.
  ::setenv("OPENBLAS_NUM_THREADS", "1",
           1);  // NOLINT(concurrency-mt-unsafe): there is one thread yet
  if (const auto socket = equipoise::socket_to_serve(argc, argv)) {
    return equipoise::serve_simulations(*socket);
  }
  const int exit_code = equipoise::run_program(argc, argv);
  if (equipoise::threads_left_behind() == 0) return exit_code;
  // A thread that was left behind still computes, and may use data that exit() would destroy.
  std::fflush(nullptr);
  ::_exit(exit_code);
}
