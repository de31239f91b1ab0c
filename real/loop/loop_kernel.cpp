// Loops of the user's program: what they say of their arrays, and the calls of their bodies.
#include "real/loop/loop_kernel.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <exception>
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
  static const auto set =
      reinterpret_cast<SetThreads>(::dlsym(RTLD_DEFAULT, "omp_set_num_threads"));
  if (set != nullptr) set(threads);
}

/// Calls the body, and turns what it throws into a BlockFailure. Lack of memory stays what it is.
template <class Body>
void call(const LoopWork& work, Body&& body) {
  const auto fail = [&work](const std::string& what) {
    work.failures->add(fmt::format("the body of {} threw: {}", work.workload.kernel, what));
    throw BlockFailure(work.failures->last());
  };
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
  bool has_cpu_program() const override { return work_->cpu != nullptr; }

  void allocate(std::uint64_t /*seed*/) override {}
  /// They are the program's, and its memory stays as it is.
  void clear_results() override {}
  void begin_iteration(int iteration) override {
    if (work_->between) work_->between(iteration);
    for (std::size_t i = 0; i < data_.resident.size(); ++i) {
      if (work_->resident_changes[i]) ++data_.resident[i].version;
    }
  }

  CpuProgram make_cpu_program() const override {
    return [work = work_](const StagedBlock& block, std::size_t first, std::size_t items) {
      limit_openmp(1);
      call(*work, [&] { work->cpu(block, first, items); });
    };
  }
  std::unique_ptr<BlockProgram> make_block_program(const UnitPlace& place) const override {
    if (work_->threads == BodyThreads::of_unit) return nullptr;
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

void complete(LoopWork& work) {
  Workload& workload = work.workload;
  check_name(workload.kernel);
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
  workload.parameters = workload.problem;
  workload.parameters["items"] = static_cast<double>(workload.items);
  workload.validate(workload.kernel);
  expect_apart(work);
}

std::unique_ptr<Kernel> make_loop_kernel(LoopWorkPtr work) {
  return std::make_unique<LoopKernel>(std::move(work));
}

}  // namespace equipoise
