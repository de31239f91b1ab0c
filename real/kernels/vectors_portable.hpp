// Loops compiled for the default vectors of the compiler's target. Included through
// real/kernels/vectors.hpp, which CMake generates for the target.
#pragma once

namespace equipoise {

/// Calls `loop`. vectors_x86.hpp chooses a vector width at run time instead.
template <auto loop, class... Arguments>
void with_widest_vectors(Arguments... arguments) {
  loop(arguments...);
}

}  // namespace equipoise
