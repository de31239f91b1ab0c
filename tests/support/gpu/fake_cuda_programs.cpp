// The programs of the fake GPU: those of CPUs, on one of its stream's threads.
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "real/gpu/programs.hpp"
#include "real/kernels/kernel.hpp"
#include "real/threads/this_thread.hpp"
#include "real/threads/thread_team.hpp"
#include "tests/support/gpu/fake_cuda_driver.hpp"

namespace equipoise {
namespace {

/// `block`, for the host: where its bytes really are.
StagedBlock on_host(StagedBlock block) {
  for (std::vector<std::byte*>* const arrays : {&block.inputs, &block.results, &block.resident}) {
    for (std::byte*& array : *arrays) array = behind(array);
  }
  return block;
}

}  // namespace

void load_compete() {}

/// Sleeps in place of computing.
void launch_compete(const Stream& stream, const CompetingBlocks& blocks) {
  const cudaStream_t into = static_cast<cudaStream_t>(stream.handle);
  static_cast<void>(into->put([into, blocks] {
    using Word = std::uint64_t;
    using SteadyTime = std::chrono::steady_clock;
    auto& stops = *reinterpret_cast<Word*>(behind(const_cast<Word*>(blocks.stops)));
    auto* const busy_ns = reinterpret_cast<Word*>(behind(const_cast<Word*>(blocks.busy_ns)));
    const auto begin = SteadyTime::now();
    Word counted_ns = 0;
    fake_driver().load_sms += static_cast<int>(blocks.count);
    into->await([&] {
      const auto past_ns = static_cast<Word>((SteadyTime::now() - begin).count());
      for (unsigned i = 0; i < blocks.count; ++i) {
        std::atomic_ref(busy_ns[i]).fetch_add(past_ns - counted_ns);
      }
      counted_ns = past_ns;
      return past_ns >= blocks.span_ns || std::atomic_ref(stops).load() != 0;
    });
    fake_driver().load_sms -= static_cast<int>(blocks.count);
  }));
}

bool has_gpu_program(const Kernel& /*kernel*/) { return true; }

std::vector<std::string> gpu_library_lines() { return {}; }

GpuProgram make_gpu_program(const Kernel& kernel) {
  const auto program = std::make_shared<const CpuProgram>(kernel.make_cpu_program());
  const auto is_loaded = std::make_shared<bool>(false);
  return {
      .load = [is_loaded] { *is_loaded = true; },
      .launch =
          [program, is_loaded](const Stream& stream, const StagedBlock& block) {
            // What was not loaded is loaded at its first launch, which waits for all queues.
            if (!std::exchange(*is_loaded, true)) {
              static_cast<void>(alone_after_all_streams([] {}));
            }
            const auto into = static_cast<cudaStream_t>(stream.handle);
            static_cast<void>(into->put([program, staged = on_host(block)] {
              ThreadTeam team({cores_of_this_thread().front()});
              compute_with(team, *program, staged);
            }));
            for (int i = 1; i < fake_driver().commands; ++i) {
              static_cast<void>(into->put([] {}));
            }
          },
      .commands =
          [](Items /*items*/) { return static_cast<std::uint64_t>(fake_driver().commands.load()); },
      .prepares_at_first_use = kernel.workload().kernel == "matmul"};
}

}  // namespace equipoise
