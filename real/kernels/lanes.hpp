// Eight doubles side by side, for loops that say themselves what is computed at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace equipoise {

/// How many numbers are computed at once, whatever the CPU: an order of additions that depends on
/// it is the same everywhere.
inline constexpr std::size_t lane_count = 8;

/// Eight doubles, on which + - * / < and ?: work one by one; the compiler makes one, two or four
/// instructions of each as the CPU's vectors are wide (GCC's and Clang's vector extension). Never
/// in the signature of a function that is not inlined: how they are passed depends on the CPU.
using Lanes = double __attribute__((vector_size(lane_count * sizeof(double))));

/// Eight whole numbers; what comparing `Lanes` gives: all bits set where it holds.
using WholeLanes = std::int64_t __attribute__((vector_size(lane_count * sizeof(std::int64_t))));

/// Eight doubles that lie behind one another, at any address of a double.
[[gnu::always_inline]] inline void load(const double* from, Lanes& to) {
  std::memcpy(&to, from, sizeof(Lanes));
}

[[gnu::always_inline]] inline void store(const Lanes& from, double* to) {
  std::memcpy(to, &from, sizeof(Lanes));
}

}  // namespace equipoise
