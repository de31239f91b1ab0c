// What this program is, and what it was built with.
#pragma once

#include <string>

namespace equipoise {

/// "0.1.0".
[[nodiscard]] std::string version_text();
/// "equipoise 0.1.0 (SimGrid 3.32, Ipopt 3.11.9, OpenBLAS 0.3.21, without CUDA, without MPI)".
[[nodiscard]] std::string built_with_text();

}  // namespace equipoise
