// Memory for a kernel's data: aligned, in large pages where available, and written once before use.
#pragma once

#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <limits>
#include <memory>
#include <new>
#include <span>

#include "real/kernels/kernel_data.hpp"

namespace equipoise {

/// A fixed number of values, all 0 at first. The constructor writes every page, so that the memory
/// lies near the constructing thread and the first use is as fast as later ones.
template <class Number>
class BufferOf {
 public:
  BufferOf() = default;
  BufferOf(BufferOf&&) noexcept = default;
  BufferOf& operator=(BufferOf&&) noexcept = default;
  ~BufferOf() = default;
  /// Throws std::bad_alloc.
  explicit BufferOf(std::size_t count) : count_(count) {
    const std::size_t bytes = in_whole_pages(count * sizeof(Number) + 1);
    data_.reset(static_cast<Number*>(std::aligned_alloc(array_alignment, bytes)), Free{});
    if (!data_) throw std::bad_alloc();
    if (bytes >= large_page_bytes) madvise(data_.get(), bytes, MADV_HUGEPAGE);
    std::fill_n(data_.get(), count_, Number{});
  }

  [[nodiscard]] Number* data() { return data_.get(); }
  [[nodiscard]] const Number* data() const { return data_.get(); }
  [[nodiscard]] std::span<Number> span() { return {data_.get(), count_}; }
  [[nodiscard]] std::span<const Number> span() const { return {data_.get(), count_}; }
  /// The buffer as an array that nobody changes any more.
  [[nodiscard]] FixedArray fixed() const {
    return {{data_, reinterpret_cast<const std::byte*>(data_.get())}, count_ * sizeof(Number)};
  }

 private:
  struct Free {
    void operator()(Number* data) const { std::free(data); }
  };
  static constexpr std::size_t large_page_bytes = std::size_t{2} << 20;

  std::size_t count_ = 0;
  std::shared_ptr<Number> data_;  ///< shared with users of a fixed array
};

/// The buffer type of most kernels.
using Buffer = BufferOf<double>;

/// Fills `results` with NaN, which every check rejects.
inline void fill_with_nan(Buffer& results) {
  std::ranges::fill(results.span(), std::numeric_limits<double>::quiet_NaN());
}
inline void fill_with_nan(std::span<Buffer> results) {
  for (Buffer& column : results) fill_with_nan(column);
}

}  // namespace equipoise
