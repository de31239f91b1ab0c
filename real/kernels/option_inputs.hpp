// The input of the pricing kernels.
#pragma once

#include <cstdint>
#include <span>

#include "real/kernels/buffer.hpp"

namespace equipoise {

/// The interest rate per year, continuously compounded.
inline constexpr double option_rate = 0.03;

/// Columns that describe an option: spot, strike, years, volatility.
inline constexpr std::size_t option_inputs = 4;

/// Fills these four columns: spot and strike from 10 to 100, years from 0.1 to 5, volatility from
/// 0.1 to 0.6.
void make_options(std::uint64_t seed, std::span<Buffer> inputs);

}  // namespace equipoise
