// The options that the pricing kernels are given.
#pragma once

#include <cstdint>
#include <span>

#include "real/kernels/buffer.hpp"

namespace equipoise {

/// The interest rate, continuously compounded, a year.
inline constexpr double option_rate = 0.03;

/// Columns that describe an option: spot, strike, years, volatility.
inline constexpr std::size_t option_inputs = 4;

/// Fills those four columns: spot and strike from 10 to 100, 0.1 to 5 years, volatility 0.1 to 0.6.
void make_options(std::uint64_t seed, std::span<Buffer> inputs);

}  // namespace equipoise
