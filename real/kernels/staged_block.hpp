// A block in the memory of a unit, as programs see it.
#pragma once

#include <cstddef>
#include <vector>

#include "shared_policies/model/measures.hpp"

namespace equipoise {

/// A block in the memory of a unit: pointers to the arrays of its kernel (KernelData), in their
/// order. Every array is contiguous and begins at a multiple of 4096 bytes. Input and results begin
/// with the row of the block's first item.
struct StagedBlock {
  Items first = 0;  ///< number of the block's first item
  Items items = 0;
  std::vector<std::byte*> inputs;
  std::vector<std::byte*> results;
  std::vector<std::byte*> resident;

  template <class Number>
  [[nodiscard]] const Number* input(std::size_t i) const {
    return reinterpret_cast<const Number*>(inputs[i]);
  }
  template <class Number>
  [[nodiscard]] Number* result(std::size_t i) const {
    return reinterpret_cast<Number*>(results[i]);
  }
  template <class Number>
  [[nodiscard]] const Number* kept(std::size_t i) const {
    return reinterpret_cast<const Number*>(resident[i]);
  }
};

}  // namespace equipoise
