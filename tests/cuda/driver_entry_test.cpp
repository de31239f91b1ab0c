// Tests of how builds with CUDA 12.4 find functions of the driver that are newer than the toolkit.
// They are compiled with every toolkit.
#include <gtest/gtest.h>

#include <string>

#include "real/cuda/driver_function.hpp"
#include "shared_policies/model/failure.hpp"
#include "tests/support/gpu/fake_cuda.hpp"

namespace {

/// That of the driver.
int driver_version = 0;

int seven() { return 7; }

}  // namespace

cudaError_t cudaDriverGetVersion(int* version) {
  *version = driver_version;
  return cudaSuccess;
}
cudaError_t cudaGetLastError() { return cudaSuccess; }
const char* cudaGetErrorName(cudaError_t /*error*/) { return "no name"; }
const char* cudaGetErrorString(cudaError_t /*error*/) { return "no text"; }

namespace equipoise {

void* find_fake_function(const std::string& name) {
  return name == "cuSeven" ? reinterpret_cast<void*>(seven) : nullptr;
}

namespace {

TEST(DriverEntryOfAnOldToolkit, IsThatOfTheVersionEvenIfTheToolkitIsOlder) {
  driver_version = 13000;
  int (*function)() = nullptr;
  find_driver_function("cuSeven", 13000, function);
  ASSERT_NE(function, nullptr);
  EXPECT_EQ(function(), 7);
}

/// What is said where the driver has no function `name` of CUDA 12.5.
std::string said_without(const char* name) {
  int (*function)() = nullptr;
  try {
    find_driver_function(name, 12050, function);
  } catch (const BackendError& error) {
    return error.what();
  }
  return "it was found";
}

TEST(DriverEntryOfAnOldToolkit, IsMissedByNameIfTheDriverHasNone) {
  driver_version = 13000;
  EXPECT_EQ(said_without("cuEight"), "the NVIDIA driver here has no cuEight");
  EXPECT_EQ(said_without("cuSeven"), "it was found");
}

TEST(DriverEntryOfAnOldToolkit, IsMissedByNameIfTheDriverIsOlder) {
  driver_version = 12040;
  EXPECT_EQ(said_without("cuSeven"), "the NVIDIA driver here has no cuSeven");
}

}  // namespace
}  // namespace equipoise
