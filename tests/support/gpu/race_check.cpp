// Finds accesses of two threads of a block to the same memory, at least one of them a write, with
// no barrier between: what NVIDIA's racecheck finds on a GPU, here in kernels that the host runs
// (device_code_host.hpp). It sees the order that barriers make, not the one in which the threads
// happened to run, so one run finds what goes wrong only in another.
//
// Kernels are compiled as for the thread sanitizer, which calls a function before every access to
// memory, and are linked with the functions here in the place of its library. Neighbouring accesses
// of less than four bytes would be taken for the same one; no kernel has any.
#include <cstddef>
#include <cstdint>
#include <unordered_map>

#include "shared_policies/model/failure.hpp"
#include "tests/support/gpu/device_code_host.hpp"

namespace equipoise {
namespace {

constexpr std::uintptr_t word_bytes = 4;

/// The last accesses to a word: in which interval, and by which thread.
struct Accesses {
  std::uint64_t written = 0;
  std::uint64_t read = 0;
  unsigned writer = 0;
  unsigned reader = 0;
  bool has_readers = false;  ///< several threads have read it in that interval
};

std::unordered_map<std::uintptr_t, Accesses>& words() {
  static std::unordered_map<std::uintptr_t, Accesses> all;
  return all;
}

void read(Accesses& word, const RunningThread& now) {
  EQ_CHECK(word.written != now.interval || word.writer == now.number,
           "a barrier is between a write and another thread's read");
  word.has_readers = word.read == now.interval && (word.has_readers || word.reader != now.number);
  word.read = now.interval;
  word.reader = now.number;
}

void write(Accesses& word, const RunningThread& now) {
  EQ_CHECK(word.written != now.interval || word.writer == now.number,
           "a barrier is between the writes of two threads");
  EQ_CHECK(word.read != now.interval || (word.reader == now.number && !word.has_readers),
           "a barrier is between a read and another thread's write");
  word.written = now.interval;
  word.writer = now.number;
}

/// Calls `access` for the words of `bytes` bytes from `begin` on, unless they are the thread's own.
template <class Access>
void for_words(const void* begin, std::size_t bytes, Access access) {
  const RunningThread& now = running_thread();
  if (now.interval == 0) return;
  const auto first = reinterpret_cast<std::uintptr_t>(begin);
  const auto stack = reinterpret_cast<std::uintptr_t>(now.stack);
  if (first - stack < now.stack_bytes) return;
  for (std::uintptr_t at = first / word_bytes; at <= (first + bytes - 1) / word_bytes; ++at) {
    access(words()[at], now);
  }
}

}  // namespace
}  // namespace equipoise

// The names are the compiler's.
// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming)
extern "C" {
void __tsan_init() {}
void __tsan_func_entry(void* /*caller*/) {}
void __tsan_func_exit() {}
void __tsan_vptr_update(void** /*place*/, void* /*value*/) {}
void __tsan_read_range(const void* begin, std::size_t bytes) {
  equipoise::for_words(begin, bytes, equipoise::read);
}
void __tsan_write_range(const void* begin, std::size_t bytes) {
  equipoise::for_words(begin, bytes, equipoise::write);
}
#define EQUIPOISE_ACCESS(bytes)                                                             \
  void __tsan_read##bytes(const void* begin) { __tsan_read_range(begin, bytes); }           \
  void __tsan_write##bytes(const void* begin) { __tsan_write_range(begin, bytes); }         \
  void __tsan_unaligned_read##bytes(const void* begin) { __tsan_read_range(begin, bytes); } \
  void __tsan_unaligned_write##bytes(const void* begin) { __tsan_write_range(begin, bytes); }
EQUIPOISE_ACCESS(1)
EQUIPOISE_ACCESS(2)
EQUIPOISE_ACCESS(4)
EQUIPOISE_ACCESS(8)
EQUIPOISE_ACCESS(16)
#undef EQUIPOISE_ACCESS
}
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)
