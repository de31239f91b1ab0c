// The programs for CUDA devices, compiled for the host and run on blocks in the host's memory:
// every one passes its kernel's check, alone and beside the CPU's program.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <memory>
#include <new>
#include <ostream>
#include <string>
#include <vector>

#include "real/block_copies.hpp"
#include "real/gpu/programs.hpp"
#include "real/kernels/catalog.hpp"
#include "real/unit_memory.hpp"
#include "tests/support/computed_blocks.hpp"
#include "tests/support/gpu/device_code_host.hpp"

namespace equipoise::gpu_programs_test {
namespace {

/// A kernel with the parameters of a small problem.
struct ProgramCase {
  std::string kernel;
  std::string variant;  ///< suffix of the test's name
  TypedParameters parameters;
  bool differs = false;       ///< items have increasing costs
  bool is_exact = false;      ///< the results are the CPU's, bit by bit
  bool is_iterative = false;  ///< results of an iteration become the input of the next

  friend void PrintTo(const ProgramCase& shown, std::ostream* out) {
    *out << shown.kernel << shown.variant;
  }
};

// Few items, odd counts, more items than a block of threads has, and parts of a block of threads.
const std::vector<ProgramCase> cases = {
    {.kernel = "binomial", .variant = "One", .parameters = {{"options", "1"}, {"steps", "1"}}},
    {.kernel = "binomial", .variant = "Some", .parameters = {{"options", "61"}, {"steps", "254"}}},
    {.kernel = "binomial",
     .variant = "SideBySide",
     .parameters = {{"options", "8209"}, {"steps", "15"}}},
    {.kernel = "binomial",
     .variant = "Many",
     .parameters = {{"options", "66001"}, {"steps", "35"}}},
    {.kernel = "binomial",
     .variant = "SixteenThreadsEach",
     .parameters = {{"options", "2051"}, {"steps", "20"}}},
    {.kernel = "binomial",
     .variant = "WithTheLongestRowInRegisters",
     .parameters = {{"options", "3"}, {"steps", "1023"}}},
    {.kernel = "binomial",
     .variant = "WholeBands",
     .parameters = {{"options", "3"}, {"steps", "1024"}}},
    {.kernel = "binomial",
     .variant = "InPasses",
     .parameters = {{"options", "1"}, {"steps", "16411"}}},
    {.kernel = "blackscholes", .variant = "One", .parameters = {{"options", "1"}}},
    {.kernel = "blackscholes", .variant = "Some", .parameters = {{"options", "1003"}}},
    {.kernel = "fft2d",
     .variant = "One",
     .parameters = {{"transforms", "1"}, {"rows", "1"}, {"columns", "1"}, {"directions", "2"}}},
    {.kernel = "fft2d",
     .variant = "Forward",
     .parameters = {{"transforms", "79"}, {"rows", "8"}, {"columns", "9"}, {"directions", "1"}}},
    {.kernel = "fft2d",
     .variant = "ForwardAndInverse",
     .parameters = {{"transforms", "79"}, {"rows", "9"}, {"columns", "32"}, {"directions", "2"}}},
    {.kernel = "gaussian",
     .variant = "One",
     .parameters = {{"width", "1"}, {"height", "1"}, {"radius", "1"}}},
    {.kernel = "gaussian",
     .variant = "Some",
     .parameters = {{"width", "173"}, {"height", "41"}, {"radius", "7"}}},
    {.kernel = "gaussian",
     .variant = "WithAWideFilter",
     .parameters = {{"width", "9"}, {"height", "3"}, {"radius", "67"}}},
    {.kernel = "grn",
     .variant = "One",
     .parameters = {{"genes", "1"}, {"candidates", "2"}, {"samples", "1"}},
     .is_exact = true},
    {.kernel = "grn",
     .variant = "Some",
     .parameters = {{"genes", "43"}, {"candidates", "70"}, {"samples", "20"}},
     .is_exact = true},
    {.kernel = "grn",
     .variant = "WithManyGenes",
     .parameters = {{"genes", "1030"}, {"candidates", "9"}, {"samples", "12"}},
     .is_exact = true},
    {.kernel = "grn",
     .variant = "WithManyGenesAndSamples",
     .parameters = {{"genes", "1027"}, {"candidates", "7"}, {"samples", "64"}},
     .is_exact = true},
    {.kernel = "grn",
     .variant = "WithManyCandidates",
     .parameters = {{"genes", "2"}, {"candidates", "1100"}, {"samples", "33"}},
     .is_exact = true},
    {.kernel = "kmeans",
     .variant = "One",
     .parameters = {{"points", "1"}, {"dimensions", "1"}, {"clusters", "1"}},
     .is_exact = true,
     .is_iterative = true},
    {.kernel = "kmeans",
     .variant = "Some",
     .parameters = {{"points", "301"}, {"dimensions", "3"}, {"clusters", "9"}},
     .is_exact = true,
     .is_iterative = true},
    {.kernel = "kmeans",
     .variant = "WithSomeClusters",
     .parameters = {{"points", "260"}, {"dimensions", "8"}, {"clusters", "31"}},
     .is_exact = true,
     .is_iterative = true},
    {.kernel = "kmeans",
     .variant = "WithManyClusters",
     .parameters = {{"points", "257"}, {"dimensions", "19"}, {"clusters", "130"}},
     .is_exact = true,
     .is_iterative = true},
    {.kernel = "mandelbrot",
     .variant = "One",
     .parameters = {{"width", "1"}, {"height", "1"}, {"max_iterations", "1"}},
     .is_exact = true},
    {.kernel = "mandelbrot",
     .variant = "Some",
     .parameters = {{"width", "101"}, {"height", "83"}, {"max_iterations", "103"}},
     .is_exact = true},
    {.kernel = "matmul", .variant = "One", .parameters = {{"n", "1"}}},
    {.kernel = "matmul", .variant = "Some", .parameters = {{"n", "83"}}},
    {.kernel = "nbody", .variant = "One", .parameters = {{"bodies", "1"}}, .is_iterative = true},
    {.kernel = "nbody", .variant = "Some", .parameters = {{"bodies", "301"}}, .is_iterative = true},
    {.kernel = "synthetic",
     .variant = "One",
     .parameters = {{"items", "1"}, {"operations", "1"}, {"bytes", "16"}},
     .is_exact = true},
    {.kernel = "synthetic",
     .variant = "Some",
     .parameters = {{"items", "301"}, {"operations", "1100"}, {"bytes", "908"}},
     .is_exact = true},
    {.kernel = "synthetic",
     .variant = "WithItemsThatDiffer",
     .parameters = {{"items", "301"}, {"operations", "333"}, {"bytes", "20"}},
     .differs = true,
     .is_exact = true},
    {.kernel = "taylor", .variant = "One", .parameters = {{"points", "1"}, {"terms", "1"}}},
    {.kernel = "taylor", .variant = "Some", .parameters = {{"points", "517"}, {"terms", "300"}}},
};

/// An array of a block in memory of its own, so that the address sanitizer finds what is read or
/// written beside it. All bits are 1 at first.
class ExactArray {
 public:
  explicit ExactArray(std::size_t bytes)
      : bytes_(static_cast<std::byte*>(::operator new(bytes, alignment))) {
    std::memset(bytes_.get(), 0xFF, bytes);
  }
  [[nodiscard]] std::byte* data() const { return bytes_.get(); }

 private:
  static constexpr std::align_val_t alignment{array_alignment};
  struct Free {
    void operator()(std::byte* bytes) const { ::operator delete(bytes, alignment); }
  };
  std::unique_ptr<std::byte, Free> bytes_;
};

/// A unit in the host's memory that computes with the program for CUDA devices.
class CudaUnitOnHost {
 public:
  explicit CudaUnitOnHost(const Kernel& kernel)
      : data_(kernel.data()), program_(make_gpu_program(kernel)), versions_(data_.resident.size()) {
    for (const ResidentArray& array : data_.resident) resident_.emplace_back(array.bytes);
    program_.load();
  }

  void perform(const Block& block) {
    StagedBlock staged;
    staged.first = block.first;
    staged.items = block.items;
    std::vector<ExactArray> arrays;
    const auto array_of = [&](std::size_t bytes) { return arrays.emplace_back(bytes).data(); };
    for (const InputRows& rows : data_.inputs) {
      staged.inputs.push_back(array_of(rows.bytes(block.items)));
    }
    for (const ResultRows& rows : data_.results) {
      staged.results.push_back(array_of(rows.bytes(block.items)));
    }
    for (const ExactArray& array : resident_) staged.resident.push_back(array.data());
    copy_resident(data_, staged, versions_);
    copy_in(data_, block, staged);
    program_.launch(Stream{}, staged);
    copy_out(data_, block, staged);
  }

 private:
  const KernelData& data_;
  GpuProgram program_;
  std::vector<ExactArray> resident_;
  std::vector<std::uint64_t> versions_;
};

class EveryGpuProgram : public testing::TestWithParam<ProgramCase> {
 protected:
  EveryGpuProgram() {
    if (GetParam().differs) {
      kernel_->set_costs(
          std::make_shared<ItemCosts>(generated_costs(CostPattern::increasing, all_, 1)));
    }
    kernel_->allocate(3);
  }
  ~EveryGpuProgram() override {
    EXPECT_EQ(launches_without_loading(), launches_before_) << "load leaves out a kernel";
  }

  [[nodiscard]] testing::AssertionResult is_verified() const {
    const Verification found = kernel_->verify();
    return (found.passed ? testing::AssertionSuccess() : testing::AssertionFailure()) << found.what;
  }

  /// The block number `id` of blocks of `block_items`.
  [[nodiscard]] Block block_of(Items id, Items block_items) const {
    const Items first = id * block_items;
    return {.id = static_cast<std::uint64_t>(id),
            .first = first,
            .items = std::min(block_items, all_ - first)};
  }
  [[nodiscard]] Items blocks_of(Items block_items) const {
    return (all_ + block_items - 1) / block_items;
  }

  /// Block sizes that leave a part at the end, if there are so many items: a few items, about a
  /// third, and all.
  [[nodiscard]] std::vector<Items> block_sizes() const {
    std::vector<Items> sizes = {all_};
    for (const Items items : {all_ / 3 + 1, Items{37}}) {
      const Items size = (items + grain_ - 1) / grain_ * grain_;
      if (size < all_ && size != sizes.back()) sizes.push_back(size);
    }
    return sizes;
  }

  /// The bytes of all results on the host.
  [[nodiscard]] std::vector<std::byte> results() const {
    std::vector<std::byte> all;
    for (const ResultRows& rows : kernel_->data().results) {
      all.insert(all.end(), rows.data, rows.data + rows.bytes(all_));
    }
    return all;
  }

  std::unique_ptr<Kernel> kernel_ =
      make_kernel(GetParam().kernel, GetParam().parameters, "--workload");
  Items all_ = kernel_->workload().items;
  Items grain_ = kernel_->workload().grain_items;
  int launches_before_ = launches_without_loading();
};

TEST_P(EveryGpuProgram, PassesTheKernelsCheckHoweverItIsDivided) {
  for (const Items block_items : block_sizes()) {
    kernel_->clear_results();
    CudaUnitOnHost unit(*kernel_);
    for (Items id = 0; id < blocks_of(block_items); ++id) unit.perform(block_of(id, block_items));
    EXPECT_TRUE(is_verified()) << "in blocks of " << block_items;
  }
}

TEST_P(EveryGpuProgram, SharesAWorkloadWithCpus) {
  const Items block_items = block_sizes().back();
  CudaUnitOnHost cuda(*kernel_);
  for (Items id = 0; id < blocks_of(block_items); ++id) {
    const Block block = block_of(id, block_items);
    if (id % 2 == 0) {
      cuda.perform(block);
    } else {
      compute(*kernel_, block.first, block.items);
    }
  }
  EXPECT_TRUE(is_verified());
}

class ExactGpuProgram : public EveryGpuProgram {};

TEST_P(ExactGpuProgram, GivesTheBitsOfTheCpu) {
  compute(*kernel_, 0, all_);
  const std::vector<std::byte> by_cpu = results();
  kernel_->clear_results();
  CudaUnitOnHost(*kernel_).perform(block_of(0, all_));
  EXPECT_EQ(results(), by_cpu);
}

class IterativeGpuProgram : public EveryGpuProgram {};

TEST_P(IterativeGpuProgram, SeesWhatChangedBetweenIterations) {
  CudaUnitOnHost unit(*kernel_);
  for (int iteration = 0; iteration < 3; ++iteration) {
    if (iteration > 0) kernel_->begin_iteration(iteration);
    Block block = block_of(0, all_);
    block.iteration = iteration;
    unit.perform(block);
    EXPECT_TRUE(is_verified()) << iteration;
  }
}

std::vector<ProgramCase> cases_with(bool ProgramCase::*property) {
  std::vector<ProgramCase> chosen;
  std::ranges::copy_if(
      cases, std::back_inserter(chosen), [](bool has) { return has; }, property);
  return chosen;
}

std::string name_of(const testing::TestParamInfo<ProgramCase>& test) {
  return test.param.kernel + test.param.variant;
}

INSTANTIATE_TEST_SUITE_P(Catalog, EveryGpuProgram, testing::ValuesIn(cases), name_of);
INSTANTIATE_TEST_SUITE_P(Catalog, ExactGpuProgram,
                         testing::ValuesIn(cases_with(&ProgramCase::is_exact)), name_of);
INSTANTIATE_TEST_SUITE_P(Catalog, IterativeGpuProgram,
                         testing::ValuesIn(cases_with(&ProgramCase::is_iterative)), name_of);

// Eight points a thread; full registers of eight threads an option, and of sixteen.
TEST(GpuPrograms, PassTheKernelsCheckInLargeBlocks) {
  const std::vector<ProgramCase> large = {
      {.kernel = "taylor", .variant = "", .parameters = {{"points", "131207"}, {"terms", "130"}}},
      {.kernel = "binomial", .variant = "", .parameters = {{"options", "4099"}, {"steps", "255"}}},
      {.kernel = "binomial", .variant = "", .parameters = {{"options", "2050"}, {"steps", "256"}}}};
  for (const ProgramCase& one : large) {
    const std::unique_ptr<Kernel> kernel = make_kernel(one.kernel, one.parameters, "--workload");
    kernel->allocate(3);
    CudaUnitOnHost(*kernel).perform({.items = kernel->workload().items});
    const Verification found = kernel->verify();
    EXPECT_TRUE(found.passed) << one.kernel << ": " << found.what;
  }
}

TEST(GpuPrograms, AreTriedForEveryKernelThatHasOne) {
  for (const KernelInfo& info : kernel_catalog()) {
    EXPECT_EQ(std::ranges::find(cases, info.name, &ProgramCase::kernel) != cases.end(),
              has_gpu_program(*make_kernel(info.name, {}, "--workload")))
        << info.name;
  }
}

}  // namespace
}  // namespace equipoise::gpu_programs_test
