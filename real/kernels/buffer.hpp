// Memory for a kernel's data: aligned, in large pages where there are some, touched from the start.
#pragma once

#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <span>

namespace equipoise {

/// A fixed number of doubles, all 0 at first. Every page is written when the buffer is made, by the
/// thread that makes it, so that it lies near that thread and no first use is slower than a later
/// one.
class Buffer {
 public:
  Buffer() = default;
  /// Throws std::bad_alloc.
  explicit Buffer(std::size_t count) : count_(count) {
    const std::size_t bytes = (count * sizeof(double) / alignment + 1) * alignment;
    data_.reset(static_cast<double*>(std::aligned_alloc(alignment, bytes)));
    if (!data_) throw std::bad_alloc();
    if (bytes >= large_page_bytes) madvise(data_.get(), bytes, MADV_HUGEPAGE);
    std::fill_n(data_.get(), count_, 0.0);
  }

  [[nodiscard]] double* data() { return data_.get(); }
  [[nodiscard]] const double* data() const { return data_.get(); }
  [[nodiscard]] std::span<double> span() { return {data_.get(), count_}; }
  [[nodiscard]] std::span<const double> span() const { return {data_.get(), count_}; }

 private:
  struct Free {
    void operator()(double* data) const { std::free(data); }
  };
  static constexpr std::size_t large_page_bytes = std::size_t{2} << 20;
  static constexpr std::size_t alignment = 4096;

  std::size_t count_ = 0;
  std::unique_ptr<double, Free> data_;
};

}  // namespace equipoise
