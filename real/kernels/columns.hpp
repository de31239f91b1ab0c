// Kernels whose items are rows of numbers, stored column by column, and the inputs of those that
// price options.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "real/kernels/buffer.hpp"
#include "real/kernels/kernel.hpp"
#include "real/kernels/options.hpp"

namespace equipoise {

/// A kernel whose data are columns of equal length with one number per item: first the inputs, then
/// the results. It has no resident data.
class ColumnKernel : public Kernel {
 public:
  void allocate(std::uint64_t seed) final;
  void clear_results() final;

 protected:
  ColumnKernel(const std::string& name, std::string item, Items items, const Parameters& parameters,
               std::size_t inputs, std::size_t results);

  virtual void make_inputs(std::uint64_t seed, std::span<Buffer> inputs) const = 0;

  /// (items)
  [[nodiscard]] const double* column(std::size_t i) const { return columns_[i].data(); }

 private:
  std::size_t inputs_;
  std::vector<Buffer> columns_;
};

/// Fills the columns that describe options: spot and strike from 10 to 100, years from 0.1 to 5,
/// volatility from 0.1 to 0.6; ranges in which all prices have an ordinary size.
void make_options(std::uint64_t seed, std::span<Buffer> inputs);

}  // namespace equipoise
