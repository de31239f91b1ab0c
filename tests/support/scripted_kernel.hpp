// A kernel whose units do what a test tells them: fail, wait or count.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "real/kernels/kernel.hpp"

namespace equipoise {

/// The behaviour of a scripted kernel, and counts of its calls.
struct KernelScript {
  /// On the unit's thread; may throw. Gets the items and the iteration of the block; its `id` is
  /// the number of blocks that were computed before. `program` is the number of the unit in the
  /// order of coming up.
  std::function<void(const Block&, int program)> compute;
  std::function<void(int program)> come_up;  ///< when a unit's program is made; may throw
  std::function<void()> merge;               ///< between two iterations
  std::vector<std::int64_t> written;         ///< (items), how often the results of each came back
  std::vector<int> merges;                   ///< the arguments of `begin_iteration`
  mutable std::atomic<int> programs = 0;
  mutable std::atomic<std::uint64_t> computed = 0;

  int iterations = 1;
  double resident_bytes = sizeof(std::int64_t);  ///< as the workload says
  Distribution distribution = Distribution::master;
  /// An item's input is the count at the begin of the iteration, in an array of its own: a block
  /// may be read while results of the same items are written.
  bool has_inputs_apart = false;

  explicit KernelScript(Items items) : written(static_cast<std::size_t>(items)) {}
};

/// A kernel that counts how often each item was done: an item's input is the count so far, and its
/// result one more. Its resident data is the number of the iteration, plus 1.
class ScriptedKernel final : public Kernel {
 public:
  explicit ScriptedKernel(KernelScript& script) : Kernel("item", {}), script_(script) {
    workload_.kernel = "scripted";
    workload_.items = static_cast<Items>(script.written.size());
    workload_.iterations = script.iterations;
    workload_.in_bytes_per_item = workload_.out_bytes_per_item = sizeof(std::int64_t);
    workload_.memory_bytes_per_item = 2.0 * sizeof(std::int64_t);
    workload_.resident_bytes = script.resident_bytes;
    workload_.distribution = script.distribution;
    before_ = script.written;
    const std::vector<std::int64_t>& inputs = script.has_inputs_apart ? before_ : script.written;
    data_ = {{input_rows(inputs.data())},
             {result_rows(script.written.data())},
             {resident_array(std::span<const std::int64_t>(&resident_, 1))}};
  }

  void allocate(std::uint64_t /*seed*/) override {}
  void clear_results() override {
    for (auto& count : script_.written) count = 0;
    std::ranges::copy(script_.written, before_.begin());
    announce(0);
  }
  void begin_iteration(int iteration) override {
    script_.merges.push_back(iteration);
    if (script_.merge) script_.merge();
    std::ranges::copy(script_.written, before_.begin());
    announce(iteration);
  }
  /// Changes the resident data without a new version, so that only a unit that gets all of it anew
  /// sees this number as its iteration.
  void change_silently(int iteration) { resident_ = iteration + 1; }
  /// One thread computes the whole block.
  CpuProgram make_cpu_program() const override {
    const int program = script_.programs++;
    if (script_.come_up) script_.come_up(program);
    return [&script = std::as_const(script_), program](const StagedBlock& block, std::size_t first,
                                                       std::size_t /*items*/) {
      if (first != 0) return;
      const std::uint64_t computed_before = script.computed++;
      if (script.compute) {
        script.compute({.id = computed_before,
                        .first = block.first,
                        .items = block.items,
                        .iteration = static_cast<int>(*block.kept<std::int64_t>(0)) - 1},
                       program);
      }
      for (Items i = 0; i < block.items; ++i) {
        block.result<std::int64_t>(0)[i] = block.input<std::int64_t>(0)[i] + 1;
      }
    };
  }
  Verification verify() const override {
    for (const auto& count : script_.written) {
      if (count != script_.iterations) return {false, "an item was not done exactly once"};
    }
    return {true, "every item was done exactly once"};
  }

 private:
  void announce(int iteration) {
    resident_ = iteration + 1;
    ++data_.resident[0].version;
  }

  KernelScript& script_;
  std::vector<std::int64_t> before_;
  std::int64_t resident_ = 1;
};

/// Whether the results of every item came back. `complete` proves that each was accepted once;
/// where a unit is lost, a block may have been written, then lost with its unit, and computed
/// again.
inline bool has_all_results(const KernelScript& script) {
  return std::ranges::all_of(script.written, [](std::int64_t count) { return count >= 1; });
}

}  // namespace equipoise
