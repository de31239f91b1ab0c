// Loops of the user's program: what they say of their arrays, and the calls of their bodies.
#include "real/loop/loop_kernel.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <thread>
#include <utility>
#include <vector>

#include "real/kernels/catalog.hpp"
#include "real/threads/this_thread.hpp"
#include "real/unit_spec.hpp"
#include "real/worker.hpp"
#include "shared_policies/model/failure.hpp"

namespace equipoise {
namespace {

/// Lets parallel regions of OpenMP that this thread begins have `threads` threads, if the program
/// has OpenMP.
void limit_openmp(int threads) {
  using SetThreads = void (*)(int);
  static std::atomic<SetThreads> found = nullptr;
  if (found.load() == nullptr) {
    found = reinterpret_cast<SetThreads>(::dlsym(RTLD_DEFAULT, "omp_set_num_threads"));
  }
  if (const SetThreads set = found.load()) set(threads);
}

/// Calls a body, and turns what it throws into a BlockFailure. Lack of memory stays what it is.
template <class Body>
void call(const LoopWork& work, Body&& body) {
  const auto fail = [&work](const std::string& what) {
    const std::string text = fmt::format("the body of {} threw: {}", work.workload.kernel, what);
    work.calls->add_failure(text);
    throw BlockFailure(text);
  };
  const BodyCall going_on(work.calls);
  try {
    body();
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& failure) {
    fail(failure.what());
  } catch (...) {
    fail("what is no std::exception");
  }
}

/// Calls a body that starts threads of its own, which inherit the cores of the thread that starts
/// them.
class OwnThreadsProgram final : public BlockProgram {
 public:
  OwnThreadsProgram(LoopWorkPtr work, UnitPlace place)
      : work_(std::move(work)), place_(std::move(place)) {}

  void come_up() override {
    pin_this_thread(place_.cores);
    limit_openmp(static_cast<int>(place_.cores.size()));
  }
  bool compute(const StagedBlock& block, const BlockWish& /*wish*/) override {
    call(*work_, [&] { work_->cpu(block, 0, static_cast<std::size_t>(block.items)); });
    return true;
  }
  void keep_results(const StagedBlock& /*block*/) override {}

 private:
  LoopWorkPtr work_;
  UnitPlace place_;
};

class LoopKernel final : public Kernel {
 public:
  explicit LoopKernel(LoopWorkPtr work)
      : Kernel(work->item, work->workload), work_(std::move(work)) {
    data_ = work_->data;
  }

  ProgramSource program_source() const override { return ProgramSource::loop; }
  bool has_cpu_program() const override { return work_->cpu && !work_->starts_threads; }
  bool has_block_program() const override { return work_->cpu && work_->starts_threads; }

  void allocate(std::uint64_t /*seed*/) override {}
  /// They are the program's, and its memory stays as it is.
  void clear_results() override {}
  void begin_iteration(int iteration) override {
    // What was done twice, or of units that were lost, may still go on.
    work_->calls->await_end();
    if (work_->between) {
      const std::vector<int> before = cores_of_this_thread();
      pin_this_thread(work_->cores_of_between);
      work_->between(iteration);
      pin_this_thread(before);
    }
    for (std::size_t i = 0; i < data_.resident.size(); ++i) {
      if (work_->resident_changes[i]) ++data_.resident[i].version;
    }
  }

  CpuProgram make_cpu_program() const override {
    if (!has_cpu_program()) return nullptr;
    return [work = work_](const StagedBlock& block, std::size_t first, std::size_t items) {
      limit_openmp(1);
      call(*work, [&] { work->cpu(block, first, items); });
    };
  }
  std::unique_ptr<BlockProgram> make_block_program(const UnitPlace& place) const override {
    if (!has_block_program()) return nullptr;
    return std::make_unique<OwnThreadsProgram>(work_, place);
  }
  GpuLaunch gpu_launch() const override {
    if (!work_->gpu) return nullptr;
    return [work = work_](const StagedBlock& block, void* queue) {
      call(*work, [&] { work->gpu(block, queue); });
    };
  }

  Verification verify() const override {
    if (work_->verify) return work_->verify();
    return {true, "unverified: the loop has no check of its results", true};
  }

 private:
  LoopWorkPtr work_;
};

void check_arrays(const LoopWork& work) {
  const std::string& name = work.workload.kernel;
  const auto check = [&name](const auto& rows, const char* kind, std::size_t number) {
    const auto refuse = [&](const char* why) {
      throw InputError(name, fmt::format("{} {} {}", kind, number, why));
    };
    if (rows.data == nullptr) refuse("is a null pointer");
    if (rows.row_bytes == 0) refuse("has no bytes for an item");
    if (rows.further_rows < 0) refuse("needs fewer than no further items");
    constexpr std::uint64_t most = std::uint64_t{1} << 60;
    if (rows.row_bytes > most || rows.further_rows > (Items{1} << 60)) refuse("is too large");
  };
  for (std::size_t i = 0; i < work.data.inputs.size(); ++i) check(work.data.inputs[i], "input", i);
  for (std::size_t i = 0; i < work.data.results.size(); ++i) {
    check(work.data.results[i], "output", i);
  }
  for (std::size_t i = 0; i < work.data.resident.size(); ++i) {
    if (work.data.resident[i].data != nullptr && work.data.resident[i].bytes > 0) continue;
    throw InputError(name, fmt::format("resident data {} are a null pointer, or no bytes", i));
  }
}

struct Memory {
  std::uintptr_t begin;
  std::uintptr_t end;
};

template <class Byte>
Memory memory_of(const HostRows<Byte>& rows, Items items) {
  const auto begin = reinterpret_cast<std::uintptr_t>(rows.data);
  return {begin, begin + rows.bytes(items)};
}

void expect_apart(const LoopWork& work) {
  const std::string& name = work.workload.kernel;
  const Items items = work.workload.items;
  const auto expect = [&name](Memory a, Memory b, const std::string& which) {
    if (a.begin >= b.end || b.begin >= a.end) return;
    throw InputError(name, which +
                               " overlap; a block may be done twice, so that results must have "
                               "an array of their own");
  };
  for (std::size_t out = 0; out < work.data.results.size(); ++out) {
    const Memory results = memory_of(work.data.results[out], items);
    for (std::size_t in = 0; in < work.data.inputs.size(); ++in) {
      expect(results, memory_of(work.data.inputs[in], items),
             fmt::format("output {} and input {}", out, in));
    }
    for (std::size_t other = 0; other < out; ++other) {
      expect(results, memory_of(work.data.results[other], items),
             fmt::format("outputs {} and {}", other, out));
    }
    for (std::size_t i = 0; i < work.data.resident.size(); ++i) {
      const ResidentArray& array = work.data.resident[i];
      const auto begin = reinterpret_cast<std::uintptr_t>(array.data);
      expect(results, {begin, begin + array.bytes},
             fmt::format("output {} and resident data {}", out, i));
    }
  }
}

/// It becomes part of spellings (`NAME:items=1e6`) and of files.
void check_name(const std::string& name) {
  const std::string where = "the loop's name";
  if (name.empty()) throw InputError(where, "is empty; give it one, such as \"prices\"");
  static_cast<void>(checked_name(name, where));
  for (const KernelInfo& info : kernel_catalog()) {
    if (info.name != name) continue;
    throw InputError(where, name + " is a kernel of Equipoise; choose another name");
  }
}

}  // namespace

BodyCall::BodyCall(std::shared_ptr<BodyCalls> calls) : calls_(std::move(calls)) {
  ++calls_->going_on_;
}

BodyCall::~BodyCall() {
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin_;
  double longest_s = calls_->longest_s_;
  while (longest_s < took.count() &&
         !calls_->longest_s_.compare_exchange_weak(longest_s, took.count())) {
  }
  --calls_->going_on_;
}

void BodyCalls::await_end() const {
  const auto begin = std::chrono::steady_clock::now();
  const std::chrono::duration<double> patience(std::max(1.0, 10.0 * longest_s_));
  while (going_on() > 0 && std::chrono::steady_clock::now() - begin < patience) {
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
}

void check_and_measure(LoopWork& work) {
  Workload& workload = work.workload;
  check_name(workload.kernel);
  check_arrays(work);
  const auto add = [](double& bytes, const auto& arrays) {
    bytes = 0.0;
    for (const auto& rows : arrays) bytes += static_cast<double>(rows.row_bytes);
  };
  add(workload.in_bytes_per_item, work.data.inputs);
  add(workload.out_bytes_per_item, work.data.results);
  workload.memory_bytes_per_item = workload.in_bytes_per_item + workload.out_bytes_per_item;
  workload.resident_bytes = 0.0;
  workload.iteration_bytes = 0.0;
  for (std::size_t i = 0; i < work.data.resident.size(); ++i) {
    const auto bytes = static_cast<double>(work.data.resident[i].bytes);
    workload.resident_bytes += bytes;
    if (work.resident_changes[i]) workload.iteration_bytes += bytes;
  }
  workload.grain_items = std::min(workload.grain_items, workload.items);
  workload.parameters = workload.problem;
  workload.parameters["items"] = static_cast<double>(workload.items);
  workload.validate(workload.kernel);
  expect_apart(work);
}

std::unique_ptr<Kernel> make_loop_kernel(LoopWorkPtr work) {
  return std::make_unique<LoopKernel>(std::move(work));
}

}  // namespace equipoise
