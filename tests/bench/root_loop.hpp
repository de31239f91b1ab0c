// How fast this machine's vectors take square roots and divide.
#pragma once

#include <cstdint>
#include <span>

namespace equipoise {

/// Takes square roots of positive numbers and divides by them; gives how many times.
std::int64_t take_roots_and_divide(std::span<double, 64> numbers);

}  // namespace equipoise
