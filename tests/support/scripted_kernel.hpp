// A kernel whose units do what a test tells them: fail, wait or count.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "real/kernels/kernel.hpp"

namespace equipoise {

/// The behaviour of a scripted kernel, and counts of its calls.
struct KernelScript {
  std::function<void(const Block&, int side)> compute;  ///< on the unit's thread; may throw
  std::function<void(int side)> come_up;                ///< when a unit's side is made; may throw
  std::function<void()> copy_resident;                  ///< on the unit's thread
  std::vector<std::atomic<int>> written;                ///< (items), how often each came back
  std::vector<int> merges;                              ///< the arguments of `begin_iteration`
  std::atomic<int> residents = 0;
  std::atomic<int> sides = 0;

  int iterations = 1;
  double resident_bytes = 0.0;

  explicit KernelScript(Items items) : written(static_cast<std::size_t>(items)) {}
};

/// A kernel that computes nothing and counts how often each item was done.
class ScriptedKernel final : public Kernel {
 public:
  explicit ScriptedKernel(KernelScript& script) : script_(script) {
    workload_.kernel = "scripted";
    workload_.items = static_cast<Items>(script.written.size());
    workload_.iterations = script.iterations;
    workload_.in_bytes_per_item = 8.0;
    workload_.resident_bytes = script.resident_bytes;
  }

  const Workload& workload() const override { return workload_; }
  std::string item() const override { return "item"; }
  std::map<std::string, double> problem() const override { return {}; }
  double host_bytes() const override { return 0.0; }
  void allocate(std::uint64_t /*seed*/) override {}
  void clear_results() override {
    for (auto& count : script_.written) count = 0;
  }
  void begin_iteration(int iteration) override { script_.merges.push_back(iteration); }
  std::unique_ptr<UnitKernel> make_cpu_side(Items /*items_max*/) override {
    const int side = script_.sides++;
    if (script_.come_up) script_.come_up(side);
    return std::make_unique<Side>(script_, side);
  }
  Verification verify() const override {
    for (const auto& count : script_.written) {
      if (count != script_.iterations) return {false, "an item was not done exactly once"};
    }
    return {true, "every item was done exactly once"};
  }

 private:
  class Side final : public UnitKernel {
   public:
    Side(KernelScript& script, int side) : script_(script), side_(side) {}
    void copy_resident() override {
      ++script_.residents;
      if (script_.copy_resident) script_.copy_resident();
    }
    void copy_in(const Block& /*block*/) override {}
    void compute(const Block& block, ThreadTeam& /*team*/) override {
      if (script_.compute) script_.compute(block, side_);
    }
    void copy_out(const Block& block) override {
      for (Items i = block.first; i < block.first + block.items; ++i) {
        ++script_.written[static_cast<std::size_t>(i)];
      }
    }

   private:
    KernelScript& script_;
    int side_;
  };

  KernelScript& script_;
  Workload workload_;
};

}  // namespace equipoise
