// The program `equipoise`.
#include <unistd.h>

#include <cstdio>

#include "real/worker.hpp"
#include "tools/commands/command_line.hpp"

int main(int argc, char** argv) {
  const int exit_code = equipoise::run_program(argc, argv);
  if (equipoise::threads_left_behind() == 0) return exit_code;
  // A computation that nobody can stop still goes on: what exit() destroys, it may use.
  std::fflush(nullptr);
  ::_exit(exit_code);
}
