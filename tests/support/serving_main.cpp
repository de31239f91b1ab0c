// The main function of tests that simulate: their program, too, is started as simulation server.
#include <gtest/gtest.h>

#include "tools/simulations/simulation_server.hpp"

int main(int argc, char** argv) {
  if (const auto socket = equipoise::socket_to_serve(argc, argv)) {
    return equipoise::serve_simulations(*socket);
  }
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
