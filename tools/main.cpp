// The program `equipoise`.
#include "tools/command_line.hpp"

int main(int argc, char** argv) { return equipoise::run_program(argc, argv); }
