// What the kernel interface promises, checked on every kernel of the catalog.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "real/kernels/catalog.hpp"
#include "tests/support/computed_blocks.hpp"

namespace equipoise::kernel_contract_test {
namespace {

/// A kernel with the parameters of a small problem.
struct KernelCase {
  std::string kernel;
  std::string variant;  ///< suffix of the test's name where a kernel has several cases
  TypedParameters parameters;
  std::string last_missing;   ///< part of the message of `verify` when the last item is missing
  bool has_results = true;    ///< false: there is nothing to verify
  bool is_iterative = false;  ///< results of an iteration become the input of the next

  friend void PrintTo(const KernelCase& shown, std::ostream* out) {
    *out << shown.kernel << shown.variant;
  }
};

const std::vector<KernelCase> cases = {
    {"matmul", "", {{"n", "50"}}, "row 49"},
    {"blackscholes", "", {{"options", "1000"}}, "option 999"},
    {"grn", "", {{"genes", "50"}, {"candidates", "70"}, {"samples", "10"}}, "gene 49 has no pair"},
    {.kernel = "kmeans",
     .variant = "",
     .parameters = {{"points", "301"}, {"dimensions", "3"}, {"clusters", "9"}},
     .last_missing = "point 300 has no centroid",
     .is_iterative = true},
    {"fft2d",
     "Forward",
     {{"transforms", "10"}, {"rows", "8"}, {"columns", "9"}, {"directions", "1"}},
     "transform 9"},
    {"fft2d",
     "ForwardAndInverse",
     {{"transforms", "10"}, {"rows", "8"}, {"columns", "9"}, {"directions", "2"}},
     "transform 9"},
    {.kernel = "nbody",
     .variant = "",
     .parameters = {{"bodies", "70"}},
     .last_missing = "body 69",
     .is_iterative = true},
    {"binomial", "", {{"options", "61"}, {"steps", "20"}}, "option 60:"},
    {"mandelbrot",
     "InRandomOrder",
     {{"width", "50"}, {"height", "41"}, {"max_iterations", "100"}, {"order", "random"}},
     "row "},
    {"mandelbrot",
     "InNaturalOrder",
     {{"width", "50"}, {"height", "41"}, {"max_iterations", "100"}, {"order", "natural"}},
     "row 40"},
    {"taylor", "", {{"points", "201"}, {"terms", "50"}}, "point 200:"},
    {"gaussian", "", {{"width", "33"}, {"height", "19"}, {"radius", "5"}}, "row 18, pixel 0"},
    {"synthetic", "", {{"items", "201"}, {"operations", "500"}, {"bytes", "76"}}, "item 200:"},
    {.kernel = "empty",
     .variant = "",
     .parameters = {{"items", "100"}},
     .last_missing = "",
     .has_results = false},
};

class EveryKernel : public testing::TestWithParam<KernelCase> {
 protected:
  EveryKernel() { kernel_->allocate(3); }

  /// Whether `verify` passes. It always passes for a kernel without results.
  [[nodiscard]] testing::AssertionResult is_verified() const {
    const Verification found = kernel_->verify();
    return (found.passed ? testing::AssertionSuccess() : testing::AssertionFailure()) << found.what;
  }
  [[nodiscard]] testing::AssertionResult is_unverified() const {
    const Verification found = kernel_->verify();
    return (found.passed != GetParam().has_results ? testing::AssertionSuccess()
                                                   : testing::AssertionFailure())
           << found.what;
  }

  std::unique_ptr<Kernel> kernel_ =
      make_kernel(GetParam().kernel, GetParam().parameters, "--workload");
  Items all_ = kernel_->workload().items;
  Items grain_ = kernel_->workload().grain_items;
};

TEST_P(EveryKernel, VerifiesHoweverItIsDivided) {
  EXPECT_TRUE(is_unverified());
  const Items a_third = std::max(all_ / 3 / grain_ * grain_, grain_);
  for (const Items block_items : {grain_, a_third, all_}) {
    compute_in_turns(*kernel_, block_items);
    EXPECT_TRUE(is_verified()) << "in blocks of " << block_items;
    kernel_->clear_results();
    EXPECT_TRUE(is_unverified()) << "after blocks of " << block_items;
  }
}

TEST_P(EveryKernel, VerifiesAfterALostBlockWasComputedAgain) {
  const Items a_third = std::max(all_ / 3 / grain_ * grain_, grain_);
  compute_in_turns(*kernel_, grain_);
  compute(*kernel_, a_third, a_third);
  EXPECT_TRUE(is_verified());
}

TEST_P(EveryKernel, NoticesThatTheLastItemIsMissing) {
  compute(*kernel_, 0, all_ - grain_);
  EXPECT_TRUE(is_unverified());
  const std::string what = kernel_->verify().what;
  EXPECT_NE(what.find(GetParam().last_missing), std::string::npos) << what;
  compute(*kernel_, all_ - grain_, grain_);
  EXPECT_TRUE(is_verified());
}

TEST_P(EveryKernel, VerifiesAfterEveryIteration) {
  for (int iteration = 0; iteration < 3; ++iteration) {
    if (iteration > 0) kernel_->begin_iteration(iteration);
    EXPECT_EQ(!kernel_->verify().passed,
              GetParam().has_results && (iteration == 0 || GetParam().is_iterative))
        << iteration;
    compute_in_turns(*kernel_, std::max(all_ / 2 / grain_ * grain_, grain_), iteration);
    EXPECT_TRUE(is_verified()) << iteration;
  }
}

TEST_P(EveryKernel, BringsWhatChangedBetweenIterationsToAUnitThatIsUpAlready) {
  compute_iterations(*kernel_, 3, [&](int iteration) { EXPECT_TRUE(is_verified()) << iteration; });
}

INSTANTIATE_TEST_SUITE_P(Catalog, EveryKernel, testing::ValuesIn(cases),
                         [](const auto& test) { return test.param.kernel + test.param.variant; });

TEST(KernelCases, AreThereForEveryKernelOfTheCatalog) {
  for (const KernelInfo& info : kernel_catalog()) {
    EXPECT_TRUE(std::ranges::find(cases, info.name, &KernelCase::kernel) != cases.end())
        << info.name;
  }
}

}  // namespace
}  // namespace equipoise::kernel_contract_test
