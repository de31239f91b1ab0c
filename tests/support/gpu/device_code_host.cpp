// Runs CUDA kernels on the host: the threads of a block are fibers.
#include "tests/support/gpu/device_code_host.hpp"

#include <ucontext.h>

#include <cstring>
#include <memory>
#include <new>
#include <set>
#include <vector>

#include "shared_policies/model/failure.hpp"

// The address sanitizer's interface for fibers. It is there in a build with the sanitizer only.
// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming)
extern "C" {
[[gnu::weak]] void __sanitizer_start_switch_fiber(void** fake_stack, const void* bottom,
                                                  std::size_t bytes);
[[gnu::weak]] void __sanitizer_finish_switch_fiber(void* fake_stack, const void** bottom,
                                                   std::size_t* bytes);
}
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)

namespace equipoise {

Index3 threadIdx;
Index3 blockIdx;
Size3 blockDim;
Size3 gridDim;

namespace {

std::set<const void*> loaded;
int unloaded_launches = 0;

constexpr std::size_t stack_bytes = std::size_t{64} << 10;
constexpr unsigned block_threads_max = 1024;
/// What a kernel gets without asking the device for more.
constexpr std::size_t shared_bytes_max = std::size_t{48} << 10;
constexpr unsigned grid_x_max = (1U << 31) - 1;
constexpr unsigned grid_yz_max = (1U << 16) - 1;

/// A stack, and where its code goes on.
struct Stack {
  ucontext_t context = {};
  const void* bottom = nullptr;
  std::size_t bytes = 0;
  void* fake_stack = nullptr;  ///< the sanitizer's
};

/// A thread of a block.
struct Fiber {
  std::unique_ptr<std::byte[]> memory{new std::byte[stack_bytes]};
  Stack stack;
  Index3 index;
  bool has_ended = false;
};

std::size_t cache_bytes = std::size_t{32} << 20;

// A test runs one kernel at a time.
Stack caller;
Fiber* running = nullptr;
RunningThread shown;
std::uint64_t intervals = 0;  ///< of all blocks so far
const std::function<void()>* work = nullptr;
std::byte* shared = nullptr;

void go_from(Stack& here, Stack& there, bool comes_back) {
  if (__sanitizer_start_switch_fiber != nullptr) {
    __sanitizer_start_switch_fiber(comes_back ? &here.fake_stack : nullptr, there.bottom,
                                   there.bytes);
  }
  swapcontext(&here.context, &there.context);
}

/// The first thing after a switch to `here`. Learns of the stack that was left.
void arrive(Stack& here, Stack& left) {
  if (__sanitizer_finish_switch_fiber != nullptr) {
    __sanitizer_finish_switch_fiber(here.fake_stack, &left.bottom, &left.bytes);
  }
}

void run_thread() {
  arrive(running->stack, caller);
  (*work)();
  running->has_ended = true;
  go_from(running->stack, caller, false);
}

void prepare(Fiber& fiber, Index3 index) {
  Stack& stack = fiber.stack;
  stack.bottom = fiber.memory.get();
  stack.bytes = stack_bytes;
  stack.fake_stack = nullptr;
  getcontext(&stack.context);
  stack.context.uc_stack.ss_sp = fiber.memory.get();
  stack.context.uc_stack.ss_size = stack_bytes;
  makecontext(&stack.context, run_thread, 0);
  fiber.index = index;
  fiber.has_ended = false;
}

/// Lets `fiber` run to the next barrier or to its end.
void resume(Fiber& fiber, std::size_t number) {
  running = &fiber;
  threadIdx = fiber.index;
  shown = {static_cast<unsigned>(number), intervals, fiber.memory.get(), stack_bytes};
  go_from(caller, fiber.stack, true);
  arrive(caller, fiber.stack);
  shown = {};
}

/// Runs one block. The order of its threads changes from turn to turn, so that a missing barrier
/// shows whoever needs it.
void run_block(std::vector<Fiber>& fibers) {
  std::size_t at = 0;
  for (unsigned z = 0; z < blockDim.z; ++z) {
    for (unsigned y = 0; y < blockDim.y; ++y) {
      for (unsigned x = 0; x < blockDim.x; ++x) prepare(fibers[at++], {x, y, z});
    }
  }
  for (std::size_t turn = blockIdx.x;; ++turn) {
    std::size_t ended = 0;
    ++intervals;
    for (std::size_t i = 0; i < fibers.size(); ++i) {
      const std::size_t number = turn % 2 == 0 ? i : fibers.size() - 1 - i;
      Fiber& fiber = fibers[number];
      resume(fiber, number);
      ended += fiber.has_ended ? 1 : 0;
    }
    if (ended == fibers.size()) return;
    EQ_CHECK(ended == 0, "all threads of a block come to the same barriers");
  }
}

}  // namespace

void __syncthreads() {  // NOLINT(bugprone-reserved-identifier)
  Stack& here = running->stack;
  go_from(here, caller, true);
  arrive(here, caller);
}

std::byte* dynamic_shared_bytes() { return shared; }

const RunningThread& running_thread() { return shown; }

std::size_t imagined_cache_bytes() { return cache_bytes; }

void set_second_level_cache_bytes(std::size_t bytes) { cache_bytes = bytes; }

void note_loading(const void* kernel) { loaded.insert(kernel); }
void note_launch(const void* kernel) { unloaded_launches += loaded.contains(kernel) ? 0 : 1; }
int launches_without_loading() { return unloaded_launches; }

void run_grid(Size3 grid, Size3 block, std::size_t shared_bytes,
              const std::function<void()>& thread) {
  const std::size_t threads = std::size_t{block.x} * block.y * block.z;
  EQ_CHECK(threads >= 1 && threads <= block_threads_max, "a block has 1 to 1024 threads");
  EQ_CHECK(grid.x >= 1 && grid.x <= grid_x_max && grid.y >= 1 && grid.y <= grid_yz_max &&
               grid.z >= 1 && grid.z <= grid_yz_max,
           "a grid is as large as a GPU allows");
  EQ_CHECK(shared_bytes <= shared_bytes_max, "a block's shared memory is there on every GPU");
  EQ_CHECK(work == nullptr, "one kernel runs at a time");
  constexpr auto alignment = std::align_val_t(16);
  const auto release = [](std::byte* bytes) { ::operator delete[](bytes, alignment); };
  const std::unique_ptr<std::byte[], decltype(release)> of_block(
      static_cast<std::byte*>(::operator new[](shared_bytes, alignment)), release);
  std::vector<Fiber> fibers(threads);
  work = &thread;
  shared = of_block.get();
  gridDim = grid;
  blockDim = block;
  for (blockIdx.z = 0; blockIdx.z < grid.z; ++blockIdx.z) {
    for (blockIdx.y = 0; blockIdx.y < grid.y; ++blockIdx.y) {
      for (blockIdx.x = 0; blockIdx.x < grid.x; ++blockIdx.x) {
        std::memset(shared, 0xFF, shared_bytes);  // NaNs
        run_block(fibers);
      }
    }
  }
  work = nullptr;
}

}  // namespace equipoise
