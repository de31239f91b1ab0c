// Options as columns of numbers: those of the kernels blackscholes and binomial.
#pragma once

#include <cstddef>

#include "real/kernels/kernel_data.hpp"

namespace equipoise {

/// Options as columns of equal length. Prices, `years` to expiry and `volatility` per square root
/// of a year are positive.
template <class Price>
struct OptionColumnsOf {
  const double* spot;
  const double* strike;
  const double* years;
  const double* volatility;
  Price* call;
  Price* put = nullptr;  ///< null: puts are not priced
};
using OptionColumns = OptionColumnsOf<double>;
using PricedOptions = OptionColumnsOf<const double>;  ///< whose prices were computed

/// The interest rate per year, continuously compounded.
inline constexpr double option_rate = 0.03;

/// Columns that describe an option: spot, strike, years, volatility.
inline constexpr std::size_t option_inputs = 4;

/// The columns of a block: its inputs, then the calls' prices and, if the kernel computes them, the
/// puts'.
[[nodiscard]] inline OptionColumns option_columns(const StagedBlock& block) {
  return {block.input<double>(0),  block.input<double>(1),
          block.input<double>(2),  block.input<double>(3),
          block.result<double>(0), block.results.size() > 1 ? block.result<double>(1) : nullptr};
}

}  // namespace equipoise
