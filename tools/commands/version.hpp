// What this program is, and what it was built with.
#pragma once

#include <string>

namespace equipoise {

/// "0.1.0".
[[nodiscard]] std::string version_text();
/// "equipoise 0.1.0 (SimGrid 3.32, Ipopt 3.11.9, OpenBLAS 0.3.21, without CUDA, without MPI)".
[[nodiscard]] std::string built_with_text();
/// A hash of the sources that it was built from: 16 hexadecimal digits, the same on every machine.
[[nodiscard]] std::string source_id();

}  // namespace equipoise
