// Loops compiled for every vector width that x86 CPUs have. Included through
// real/kernels/vectors.hpp, which CMake makes for the target at hand.
#pragma once

namespace equipoise {

namespace vectors {

template <auto loop, class... Arguments>
void by_two(Arguments... arguments) {
  loop(arguments...);
}

template <auto loop, class... Arguments>
[[gnu::target("avx2")]] void by_four(Arguments... arguments) {
  loop(arguments...);
}

template <auto loop, class... Arguments>
[[gnu::target("avx512f,avx512bw,avx512dq,avx512vl,prefer-vector-width=512")]] void by_eight(
    Arguments... arguments) {
  loop(arguments...);
}

template <class... Arguments>
using Loop = void (*)(Arguments...);

template <auto loop, class... Arguments>
Loop<Arguments...> widest() {
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")) {
    return by_eight<loop, Arguments...>;
  }
  return __builtin_cpu_supports("avx2") ? by_four<loop, Arguments...> : by_two<loop, Arguments...>;
}

}  // namespace vectors

/// Calls `loop` (a function that is always inlined, as is all that it calls, and that gives
/// nothing) as it was compiled for the widest vectors that this CPU has. `arguments` are copied:
/// numbers, pointers, small structs. The width changes how many elements are computed at a time,
/// not how: every CPU gives the same bits, as long as the loop itself adds in an order that it
/// says.
template <auto loop, class... Arguments>
void with_widest_vectors(Arguments... arguments) {
  static const vectors::Loop<Arguments...> chosen = vectors::widest<loop, Arguments...>();
  chosen(arguments...);
}

}  // namespace equipoise
