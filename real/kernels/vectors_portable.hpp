// Loops compiled for the vectors that the compiler's own target has. Included through
// real/kernels/vectors.hpp, which CMake makes for the target at hand.
#pragma once

namespace equipoise {

/// Calls `loop`; see vectors_x86.hpp for what the other CPUs do.
template <auto loop, class... Arguments>
void with_widest_vectors(Arguments... arguments) {
  loop(arguments...);
}

}  // namespace equipoise
