// The programs over cuBLAS and cuFFT, with libraries in their place: what they say where a library
// is missing, and what becomes of a call that fails.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "real/cuda/library.hpp"
#include "real/gpu/programs.hpp"
#include "real/kernels/catalog.hpp"
#include "real/worker.hpp"
#include "shared_policies/model/failure.hpp"
#include "tests/support/gpu/device_code_host.hpp"

namespace equipoise::cuda_libraries_test {
namespace {

using Fails = void(const char* call, int status);

/// Makes a call of one of the libraries fail for a while.
class Failing {
 public:
  Failing(const char* file, const char* control, const char* call, int status) : call_(call) {
    Library(file, "a test").find(control, fails_);
    fails_(call, status);
  }
  Failing(const Failing&) = delete;
  Failing& operator=(const Failing&) = delete;
  ~Failing() { fails_(call_, 0); }

 private:
  const char* call_;
  Fails* fails_ = nullptr;
};

Failing cublas_failing(const char* call, int status) {
  return {CUBLAS_FILE, "fake_cublas_fails", call, status};
}
Failing cufft_failing(const char* call, int status) {
  return {CUFFT_FILE, "fake_cufft_fails", call, status};
}

std::unique_ptr<Kernel> small_matmul() {
  std::unique_ptr<Kernel> kernel = make_kernel("matmul", {{"n", "5"}}, "--workload");
  kernel->allocate(1);
  return kernel;
}

std::unique_ptr<Kernel> small_fft2d() {
  std::unique_ptr<Kernel> kernel =
      make_kernel("fft2d", {{"transforms", "13"}, {"rows", "8"}, {"columns", "8"}}, "--workload");
  kernel->allocate(1);
  return kernel;
}

/// What a program says when it is made for `kernel` and cannot be.
std::string refusal_of(const Kernel& kernel) {
  try {
    static_cast<void>(make_gpu_program(kernel));
  } catch (const BackendError& error) {
    return error.what();
  }
  return "it was made";
}

/// Enqueues all items of `kernel`, where they are.
void enqueue_all(const Kernel& kernel, const GpuProgram& program) {
  const KernelData& data = kernel.data();
  const auto place = [](const auto& array) { return const_cast<std::byte*>(array.data); };
  StagedBlock block;
  block.items = kernel.workload().items;
  std::ranges::transform(data.inputs, std::back_inserter(block.inputs), place);
  std::ranges::transform(data.results, std::back_inserter(block.results), place);
  std::ranges::transform(data.resident, std::back_inserter(block.resident), place);
  program.launch(Stream{}, block);
}

TEST(CudaLibrary, SaysWhoNeedsIt) {
  try {
    const Library library("libno_such_library.so.1", "matmul on CUDA");
    FAIL() << "it was opened";
  } catch (const BackendError& error) {
    EXPECT_EQ(std::string(error.what())
                  .find("matmul on CUDA needs libno_such_library.so.1; it comes with the CUDA "
                        "toolkit ("),
              0u)
        << error.what();
  }
}

TEST(CudaLibrary, HasALineForTheListOfUnits) {
  EXPECT_EQ(gpu_library_lines(), (std::vector<std::string>{"cuBLAS: " CUBLAS_FILE " (matmul)",
                                                           "cuFFT: " CUFFT_FILE " (fft2d)"}));
  const std::string none = library_line("cuBLAS", "libno_such_library.so.1", "matmul");
  EXPECT_EQ(none.find("cuBLAS: none: matmul on CUDA needs libno_such_library.so.1; it comes"), 0u)
      << none;
}

TEST(CudaLibrary, SaysWhichFunctionItLacks) {
  const Library library(CUBLAS_FILE, "matmul on CUDA");
  int (*function)() = nullptr;
  try {
    library.find("cublasNoSuchFunction", function);
    FAIL() << "it was found";
  } catch (const BackendError& error) {
    EXPECT_EQ(
        std::string(error.what())
            .find("matmul on CUDA needs cublasNoSuchFunction, but this " CUBLAS_FILE " has none"),
        0u)
        << error.what();
  }
}

TEST(CudaMatmul, FailsWithItsUnitIfThereIsNoHandle) {
  const std::unique_ptr<Kernel> kernel = small_matmul();
  {
    const Failing failing = cublas_failing("cublasCreate", 1);
    EXPECT_EQ(refusal_of(*kernel), "matmul on CUDA: cublasCreate failed: OTHER");
  }
  const Failing failing = cublas_failing("cublasCreate", 3);
  EXPECT_THROW(static_cast<void>(make_gpu_program(*kernel)), std::bad_alloc);
}

TEST(CudaMatmul, LosesTheBlockWhoseProductFails) {
  const std::unique_ptr<Kernel> kernel = small_matmul();
  const GpuProgram program = make_gpu_program(*kernel);
  {
    const Failing failing = cublas_failing("cublasDgemm", 13);
    EXPECT_THROW(enqueue_all(*kernel, program), BlockFailure);
  }
  {
    const Failing failing = cublas_failing("cublasDgemm", 3);
    EXPECT_THROW(enqueue_all(*kernel, program), std::bad_alloc);
  }
  EXPECT_NO_THROW(enqueue_all(*kernel, program));
}

TEST(CudaFft2d, FailsWithItsUnitIfThereIsNoPlan) {
  const std::unique_ptr<Kernel> kernel = small_fft2d();
  {
    const Failing failing = cufft_failing("cufftMakePlanMany64", 5);
    EXPECT_EQ(refusal_of(*kernel), "fft2d on CUDA: cufftMakePlanMany64 failed: status 5 of cuFFT");
  }
  const Failing failing = cufft_failing("cufftMakePlanMany64", 2);
  EXPECT_THROW(static_cast<void>(make_gpu_program(*kernel)), std::bad_alloc);
}

TEST(CudaFft2d, LosesTheBlockWhoseTransformFails) {
  const std::unique_ptr<Kernel> kernel = small_fft2d();
  const GpuProgram program = make_gpu_program(*kernel);
  {
    const Failing failing = cufft_failing("cufftExecZ2Z", 6);
    EXPECT_THROW(enqueue_all(*kernel, program), BlockFailure);
  }
  EXPECT_NO_THROW(enqueue_all(*kernel, program));
}

// 13 transforms are 8 + 4 + 1; more than 8 in one plan are never needed.
TEST(CudaFft2d, HasPlansForPowersOfTwoOfTransformsFromTheStart) {
  int (*plans)() = nullptr;
  Library(CUFFT_FILE, "a test").find("fake_cufft_plans", plans);
  const std::unique_ptr<Kernel> kernel = small_fft2d();
  {
    const GpuProgram program = make_gpu_program(*kernel);
    EXPECT_EQ(plans(), 4);
    enqueue_all(*kernel, program);
    EXPECT_EQ(plans(), 4) << "none is made when a block is there";
  }
  EXPECT_EQ(plans(), 0);
}

// An array has 16 * 16 * 16 = 4096 bytes. Of 40,000 bytes half are for a part: four arrays.
TEST(CudaFft2d, HasNoPlanForMoreThanHalfTheCacheHolds) {
  int (*plans)() = nullptr;
  Library(CUFFT_FILE, "a test").find("fake_cufft_plans", plans);
  const std::size_t usual = second_level_cache_bytes();
  set_second_level_cache_bytes(40'000);
  const std::unique_ptr<Kernel> kernel =
      make_kernel("fft2d", {{"transforms", "13"}, {"rows", "16"}, {"columns", "16"}}, "--workload");
  kernel->allocate(1);
  const GpuProgram program = make_gpu_program(*kernel);
  set_second_level_cache_bytes(usual);
  EXPECT_EQ(plans(), 3) << "for 1, 2 and 4";
  enqueue_all(*kernel, program);
  EXPECT_TRUE(kernel->verify().passed);
}

// However many transforms a block has, of up to all: with a cache of 40,000 bytes a part would have
// four.
TEST(CudaFft2d, PutsNoMoreCommandsIntoAQueueThanABlockMay) {
  const std::size_t usual = second_level_cache_bytes();
  set_second_level_cache_bytes(40'000);
  for (const Items transforms : {1, 107, 119, 127, 256, 1919}) {
    const std::unique_ptr<Kernel> kernel = make_kernel(
        "fft2d", {{"transforms", std::to_string(transforms)}, {"rows", "16"}, {"columns", "16"}},
        "--workload");
    kernel->allocate(1);
    const GpuProgram program = make_gpu_program(*kernel);
    for (Items items = 1; items <= transforms; ++items) {
      EXPECT_LE(program.commands(items), block_commands_max) << items << " of " << transforms;
    }
  }
  set_second_level_cache_bytes(usual);
}

TEST(CudaFft2d, TransformsLargeArraysOneByOne) {
  int (*plans)() = nullptr;
  Library(CUFFT_FILE, "a test").find("fake_cufft_plans", plans);
  const std::unique_ptr<Kernel> kernel = make_kernel(
      "fft2d", {{"transforms", "2"}, {"rows", "1024"}, {"columns", "1025"}, {"directions", "1"}},
      "--workload");
  kernel->allocate(1);
  const GpuProgram program = make_gpu_program(*kernel);
  enqueue_all(*kernel, program);
  EXPECT_EQ(plans(), 1);
}

}  // namespace
}  // namespace equipoise::cuda_libraries_test
