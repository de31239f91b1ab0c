// A fixture for tests that need a GPU.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "real/cuda/cuda_unit.hpp"

namespace equipoise {

/// Skips its tests where there is no GPU, and says why.
class GpuTest : public testing::Test {
 protected:
  void SetUp() override {
    const std::string why = cuda_kind().why_absent();
    if (!why.empty()) GTEST_SKIP() << why;
  }
};

}  // namespace equipoise
