// Measures how fast this machine's vector units take square roots and divide.
#pragma once

#include <cstdint>
#include <span>

namespace equipoise {

/// Takes square roots of positive numbers and divides by them. Returns how many of each were done.
std::int64_t take_roots_and_divide(std::span<double, 64> numbers);

}  // namespace equipoise
