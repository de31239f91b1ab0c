// The version of the program and of its libraries, and the machine on which it runs.
#pragma once

#include <string>

#include "shared_policies/records/facts.hpp"

namespace equipoise {

/// "equipoise 0.1.0 (SimGrid 3.32, Ipopt 3.11.9, OpenBLAS 0.3.21, CUDA 13.0, without MPI)".
/// SimGrid: if its module is there. The others: with which the program was built.
[[nodiscard]] std::string built_with_text();
/// A hash of the program's sources: 16 hexadecimal digits, the same on every machine.
[[nodiscard]] std::string source_id();
/// Of this machine: name, processor, hardware threads, bytes of memory.
[[nodiscard]] Facts machine_facts();

}  // namespace equipoise
