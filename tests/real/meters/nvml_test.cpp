// Tests of the meters of GPUs, on a library that takes the place of NVML.
#include "real/meters/nvml.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

namespace equipoise::nvml_test {
namespace {

constexpr const char* fake_file = "libequipoise_fake_nvml.so";

/// What a test asks of the fake library.
class FakeNvml {
 public:
  FakeNvml() : library_(::dlopen(fake_file, RTLD_LAZY | RTLD_LOCAL)) {
    if (library_ == nullptr) throw std::runtime_error(::dlerror());
  }
  void set(unsigned long long energy_mj, unsigned int power_mw, bool lost = false) const {
    function<void(unsigned long long, unsigned int, bool)>("fake_nvml_set")(energy_mj, power_mw,
                                                                            lost);
  }
  [[nodiscard]] int users() const { return function<int()>("fake_nvml_users")(); }

 private:
  template <class Function>
  [[nodiscard]] Function* function(const char* name) const {
    return reinterpret_cast<Function*>(::dlsym(library_, name));
  }

  void* library_;
};

TEST(Nvml, ReadsACounterOfEnergyFromItsFirstReadingOn) {
  const FakeNvml fake;
  fake.set(5'000'000, 0);
  const std::vector<GpuPlace> gpus = {{"cuda0", "00000000:01:00.0"}};
  {
    const Meters meters = nvml_meters(gpus, fake_file);
    ASSERT_EQ(meters.found.size(), 1u);
    EXPECT_TRUE(meters.notes.empty());
    EXPECT_EQ(meters.found[0]->domain(), "cuda0");
    EXPECT_DOUBLE_EQ(meters.found[0]->joules(0.0).value(), 0.0);
    fake.set(5'012'500, 0);
    EXPECT_DOUBLE_EQ(meters.found[0]->joules(0.02).value(), 12.5);
    fake.set(0, 0, true);
    EXPECT_FALSE(meters.found[0]->joules(0.04)) << "the GPU is lost";
    EXPECT_EQ(fake.users(), 1);
  }
  EXPECT_EQ(fake.users(), 0);
}

TEST(Nvml, AddsUpThePowerOfAGpuWithoutACounter) {
  const FakeNvml fake;
  fake.set(0, 100'000);
  const std::vector<GpuPlace> gpus = {{"cuda1", "00000000:02:00.0"}};
  const Meters meters = nvml_meters(gpus, fake_file);
  ASSERT_EQ(meters.found.size(), 1u);
  EXPECT_DOUBLE_EQ(meters.found[0]->joules(10.0).value(), 0.0);
  fake.set(0, 300'000);
  EXPECT_DOUBLE_EQ(meters.found[0]->joules(10.5).value(), 0.5 * 200.0);
  EXPECT_DOUBLE_EQ(meters.found[0]->joules(11.0).value(), 0.5 * 200.0 + 0.5 * 300.0);
}

TEST(Nvml, SaysWhichGpusAreNotMeasuredAndWhy) {
  const FakeNvml fake;
  fake.set(0, 100'000);
  const std::vector<GpuPlace> gpus = {
      {"cuda0", "00000000:03:00.0"}, {"cuda1", "00000000:01:00.0"}, {"cuda2", "00000000:09:00.0"}};
  const Meters meters = nvml_meters(gpus, fake_file);
  ASSERT_EQ(meters.found.size(), 1u);
  EXPECT_EQ(meters.found[0]->domain(), "cuda1");
  EXPECT_EQ(meters.notes,
            (std::vector<std::string>{"cuda0 is not measured: Insufficient Permissions",
                                      "cuda2 is not measured: Not Found"}));
}

TEST(Nvml, SaysThatThereIsNoLibrary) {
  const std::vector<GpuPlace> gpus = {{"cuda0", "00000000:01:00.0"}};
  const Meters meters = nvml_meters(gpus, "libequipoise_no_such_library.so");
  EXPECT_TRUE(meters.found.empty());
  EXPECT_EQ(meters.notes,
            (std::vector<std::string>{
                "cuda0 is not measured: libequipoise_no_such_library.so cannot be opened"}));
}

TEST(Nvml, IsNotOpenedWithoutGpus) {
  const FakeNvml fake;
  const Meters meters = nvml_meters({}, fake_file);
  EXPECT_TRUE(meters.found.empty());
  EXPECT_TRUE(meters.notes.empty());
}

}  // namespace
}  // namespace equipoise::nvml_test
