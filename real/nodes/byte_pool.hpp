// Memory for what is on its way, which is used again and again: fresh memory costs a page fault for
// each page.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

namespace equipoise {

/// Bytes that go back to their pool when nobody owns them any more.
struct PooledBytes {
  std::shared_ptr<std::byte> owner;
  std::size_t size = 0;

  [[nodiscard]] std::span<std::byte> span() const { return {owner.get(), size}; }
  [[nodiscard]] std::span<const std::byte> bytes() const { return {owner.get(), size}; }
};

/// A pool, of which each size is rounded up to a power of two. Several threads may use it.
class BytePool {
 public:
  /// `size` bytes, with any contents.
  [[nodiscard]] PooledBytes take(std::size_t size) {
    const auto kind = static_cast<std::size_t>(std::bit_width(std::max<std::size_t>(size, 1) - 1));
    std::unique_ptr<std::byte[]> memory;  // NOLINT(modernize-avoid-c-arrays)
    {
      const std::lock_guard<std::mutex> lock(free_->mutex);
      auto& of_kind = free_->memory[kind];
      if (!of_kind.empty()) {
        memory = std::move(of_kind.back());
        of_kind.pop_back();
      }
    }
    // NOLINTNEXTLINE(modernize-avoid-c-arrays)
    if (!memory) memory = std::make_unique_for_overwrite<std::byte[]>(std::size_t{1} << kind);
    std::byte* const begin = memory.release();
    return {std::shared_ptr<std::byte>(begin,
                                       [free = free_, kind](std::byte* back) {
                                         const std::lock_guard<std::mutex> lock(free->mutex);
                                         free->memory[kind].emplace_back(back);
                                       }),
            size};
  }

 private:
  struct Free {
    std::mutex mutex;
    // NOLINTNEXTLINE(modernize-avoid-c-arrays)
    std::array<std::vector<std::unique_ptr<std::byte[]>>, 64> memory;
  };
  std::shared_ptr<Free> free_ = std::make_shared<Free>();
};

}  // namespace equipoise
