// Loops compiled for every vector width of x86 CPUs. Included through real/kernels/vectors.hpp,
// which CMake generates for the target.
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

/// Calls the version of `loop` that was compiled for the widest vectors of this CPU. `loop` returns
/// nothing; it and all functions that it calls are always inlined. `arguments` are copied: numbers,
/// pointers, small structs. The width decides how many elements are computed at a time, not how
/// each is computed, so every CPU gives the same bits if the loop adds in a fixed order.
template <auto loop, class... Arguments>
void with_widest_vectors(Arguments... arguments) {
  static const vectors::Loop<Arguments...> chosen = vectors::widest<loop, Arguments...>();
  chosen(arguments...);
}

}  // namespace equipoise
