// Tests of CUDA units in runs.
#include "real/cuda/cuda_unit.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "real/kernels/catalog.hpp"
#include "real/real_executor.hpp"
#include "shared_policies/run/run_loop.hpp"
#include "tests/support/disturb.hpp"
#include "tests/support/gpu_test.hpp"
#include "tests/support/real_runs.hpp"
#include "tests/support/refusal.hpp"

namespace equipoise::cuda_unit_test {
namespace {

class CudaUnit : public GpuTest {};

TEST_F(CudaUnit, IsAGpuThatTakesItsFactsFromTheDevice) {
  const UnitSpec spec = parse_units({"cuda"})[0];
  EXPECT_EQ(spec.unit.name, "cuda0");
  EXPECT_EQ(spec.unit.kind, UnitKind::gpu);
  EXPECT_FALSE(spec.unit.model.empty());
  EXPECT_GE(spec.unit.copy_engines, 1);
  EXPECT_LE(spec.unit.copy_engines, 2);
  EXPECT_EQ(spec.unit.slots, 3);
  EXPECT_GT(spec.unit.memory_bytes.value_or(0.0), 0.0);
  EXPECT_EQ(spec.factory->cores(), 0);
  EXPECT_TRUE(spec.computes());
  EXPECT_EQ(spec.unit.device, "cuda:0");
  EXPECT_EQ(parse_units({"cuda,memory_bytes=8Mi"})[0].unit.memory_bytes, 8.0 * 1024 * 1024);
}

TEST_F(CudaUnit, SharesTheMemoryOfItsDeviceWithOtherUnits) {
  const double alone = parse_units({"cuda"})[0].unit.memory_bytes.value_or(0.0);
  const std::vector<UnitSpec> two = parse_units({"cuda,device=0", "cuda,device=0"});
  for (const UnitSpec& spec : two) {
    EXPECT_EQ(spec.unit.device, "cuda:0");
    EXPECT_NEAR(spec.unit.memory_bytes.value_or(0.0), alone / 2.0, alone / 10.0);
  }
}

// All GPUs that we know can be divided into groups of 8 SMs.
TEST_F(CudaUnit, MayBeAPartOfADevice) {
  const std::vector<UnitSpec> parts = parse_units({"cuda,sms=8", "cuda,device=0,sms=16"});
  EXPECT_NE(parts[0].unit.model.find(", 8 of "), std::string::npos) << parts[0].unit.model;
  EXPECT_NE(parts[1].unit.model.find(", 16 of "), std::string::npos) << parts[1].unit.model;
  EXPECT_EQ(parts[0].unit.device, parts[1].unit.device);
  EXPECT_NEAR(parts[1].unit.memory_bytes.value_or(0.0) / parts[0].unit.memory_bytes.value_or(1.0),
              2.0, 1e-6);
}

TEST_F(CudaUnit, KnowsItsGpuAndMeasuresItsLink) {
  const UnitSpec spec = parse_units({"cuda"})[0];
  const auto gpu = spec.factory->gpu();
  ASSERT_TRUE(gpu);
  EXPECT_EQ(gpu->name, spec.unit.device);
  EXPECT_GT(gpu->sms, 0);
  EXPECT_GT(gpu->clock_hz, 1e6);
  for (const CopyPath path : {CopyPath::pinned, CopyPath::staged}) {
    const auto rates = spec.factory->measure_link(path);
    ASSERT_TRUE(rates);
    EXPECT_GT(rates->in.bandwidth_bytes_per_s, 0.0);
    EXPECT_GE(rates->in.latency.value, 0.0);
    EXPECT_GT(rates->out.bandwidth_bytes_per_s, 0.0);
    EXPECT_GE(rates->out.latency.value, 0.0);
    EXPECT_GT(rates->both_bytes_per_s, 0.0);
  }
  EXPECT_GE(usable_gpus().size(), 1u);
}

TEST_F(CudaUnit, IsOfADeviceThatExists) {
  EXPECT_NE(refusal_of([] { (void)parse_units({"cuda,device=999"}); }).find(" here, device=0"),
            std::string::npos);
}

TEST_F(CudaUnit, RefusesAPartThatTheDeviceDoesNotHave) {
  EXPECT_NE(refusal_of([] { (void)parse_units({"cuda,sms=100000"}); }).find("SMs"),
            std::string::npos);
  EXPECT_NE(refusal_of([] {
              (void)parse_units({"cuda,sms=8", "cuda,device=0"});
            }).find("cuda1 would compute on all SMs of GPU 0, also on those of cuda0"),
            std::string::npos);
}

/// Sizes at which the last block of 61 items is smaller than the others.
const std::map<std::string, TypedParameters> small = {
    {"binomial", {{"options", "640"}, {"steps", "64"}}},
    {"blackscholes", {{"options", "1000"}}},
    {"fft2d", {{"transforms", "200"}, {"rows", "16"}, {"columns", "32"}}},
    {"gaussian", {{"width", "32"}, {"height", "250"}, {"radius", "5"}}},
    {"grn", {{"genes", "200"}, {"candidates", "16"}}},
    {"kmeans", {{"points", "5000"}, {"clusters", "8"}, {"iterations", "4"}}},
    {"mandelbrot", {{"width", "32"}, {"height", "250"}}},
    {"matmul", {{"n", "200"}}},
    {"nbody", {{"bodies", "250"}, {"iterations", "4"}}},
    {"synthetic", {{"items", "640"}, {"operations", "1000"}}},
    {"taylor", {{"points", "640"}, {"terms", "16"}}}};

/// Runs every kernel for which the last of `units` has a program, on all of them.
void expect_verified_results_of_every_kernel(const std::vector<std::string>& units) {
  const UnitSpec gpu = parse_units({units.back()})[0];
  for (const KernelInfo& info : kernel_catalog()) {
    if (info.name == "empty") continue;
    ASSERT_TRUE(small.contains(info.name)) << info.name << ": add small parameters";
    const auto kernel = make_kernel(info.name, small.at(info.name), "--workload");
    if (!gpu.factory->has_program(*kernel)) continue;
    kernel->allocate(1);
    MemoryJournal journal;
    EXPECT_TRUE(run_all(setup_of(units, {kernel.get()}), 61, journal).complete) << info.name;
    EXPECT_EQ(journal.count<LostBlock>(), 0) << info.name;
    EXPECT_TRUE(kernel->verify().passed) << info.name << ": " << kernel->verify().what;
  }
}

TEST_F(CudaUnit, ComputesEveryKernelThatHasAProgramWithVerifiedResults) {
  expect_verified_results_of_every_kernel({"cuda"});
}

TEST_F(CudaUnit, SharesEveryKernelThatHasAProgramWithACpu) {
  expect_verified_results_of_every_kernel({"cpu", "cuda"});
}

TEST_F(CudaUnit, SharesItsDeviceWithAnotherUnit) {
  expect_verified_results_of_every_kernel({"cuda,device=0", "cuda,device=0,slowdown=2"});
}

TEST_F(CudaUnit, ComputesEveryKernelOnPartsOfADevice) {
  expect_verified_results_of_every_kernel({"cuda,sms=8", "cuda,sms=16,slowdown=2", "cuda,sms=8"});
}

TEST_F(CudaUnit, ReadsResidentDataThatItsMemoryDoesNotHoldFromTheHosts) {
  for (const std::string name : {"grn", "kmeans", "matmul", "nbody"}) {
    for (const char* const unit : {"cuda", "cuda,slowdown=2"}) {
      const auto kernel = make_kernel(name, small.at(name), "--workload");
      kernel->allocate(1);
      RealSetup setup = setup_of({unit}, {kernel.get()});
      if (!setup.units[0].factory->has_program(*kernel)) continue;
      Unit& gpu = setup.units[0].unit;
      gpu.memory_bytes = kernel->workload().bytes_kept();  // and no row beside them
      ASSERT_TRUE(streamed_data(gpu, kernel->workload())) << name;
      const Items items = std::min(Items{61}, largest_block(gpu, kernel->workload()));
      MemoryJournal journal;
      EXPECT_TRUE(run_all(std::move(setup), items, journal).complete) << name;
      EXPECT_EQ(journal.count<LostBlock>(), 0) << name;
      EXPECT_TRUE(kernel->verify().passed) << name << ": " << kernel->verify().what;
    }
  }
}

TEST_F(CudaUnit, HoldsTheDataOfSomePhasesAndReadsThoseOfOthers) {
  const auto matmul = make_kernel("matmul", small.at("matmul"), "--workload");
  const auto nbody = make_kernel("nbody", small.at("nbody"), "--workload");
  const auto options = make_kernel("blackscholes", small.at("blackscholes"), "--workload");
  std::vector<Kernel*> phases = {options.get(), matmul.get(), nbody.get(), matmul.get()};
  for (Kernel* const kernel : {matmul.get(), nbody.get(), options.get()}) kernel->allocate(1);
  if (!parse_units({"cuda"})[0].factory->has_program(*matmul)) phases = {nbody.get()};
  for (int order = 0; order < 2; ++order, std::ranges::reverse(phases)) {
    MemoryJournal journal;
    EXPECT_TRUE(run_all(setup_of({"cuda,memory_bytes=300Ki"}, phases), 61, journal).complete);
    EXPECT_EQ(journal.count<LostBlock>(), 0);
    for (Kernel* const kernel : phases) EXPECT_TRUE(kernel->verify().passed);
  }
}

/// Runs blackscholes on `units` while a load competes with cuda0 for half of it, and returns which
/// share the load really had.
double share_of_load(const std::vector<std::string>& units) {
  const auto kernel = make_kernel("blackscholes", {{"options", "2000000"}}, "--workload");
  kernel->allocate(1);
  RealSetup setup = setup_of(units, {kernel.get()});
  setup.scenario.events.push_back(disturb(DisturbanceKind::compete, "cuda0", 0.0, 0.5));
  double share = -1.0;
  setup.report_load = [&](const LoadReport& report) { share = report.share; };
  MemoryJournal journal;
  EXPECT_TRUE(run_all(std::move(setup), 10'000, journal).complete);
  EXPECT_TRUE(kernel->verify().passed) << kernel->verify().what;
  return share;
}

TEST_F(CudaUnit, SharesItsSmsWithALoadThatCompetes) {
  for (const double share :
       {share_of_load({"cuda"}), share_of_load({"cuda,sms=8", "cuda,sms=16"})}) {
    EXPECT_GT(share, 0.0);
    EXPECT_LT(share, 0.6);
  }
}

TEST_F(CudaUnit, IsSlowedDownInEveryStageWhileALoadCompetes) {
  const auto kernel = make_kernel("blackscholes", {{"options", "100000"}}, "--workload");
  kernel->allocate(1);
  RealSetup setup = setup_of({"cuda,slowdown=3"}, {kernel.get()});
  setup.scenario.events.push_back(
      disturb(DisturbanceKind::bandwidth, in_link_of(setup.units[0].unit), 0.0, 0.5));
  setup.scenario.events.push_back(disturb(DisturbanceKind::compete, "cuda0", 0.0, 0.5));
  MemoryJournal journal;
  EXPECT_TRUE(run_all(std::move(setup), 10'000, journal).complete);
  EXPECT_EQ(journal.blocks.size(), 10u);
  EXPECT_TRUE(kernel->verify().passed) << kernel->verify().what;
}

TEST_F(CudaUnit, GoesAndComesAndEveryItemIsDoneOnce) {
  const auto kernel = make_kernel("blackscholes", {{"options", "2000000"}}, "--workload");
  kernel->allocate(1);
  RealSetup setup = setup_of({"cuda", "cpu"}, {kernel.get()});
  for (int i = 0; i < 20; ++i) {
    setup.scenario.events.push_back(
        disturb(DisturbanceKind::fail, "cuda0", 2e-3 * i, 1.0, Seconds{2e-3 * i + 1e-3}));
  }
  MemoryJournal journal;
  EXPECT_TRUE(run_all(std::move(setup), 10'000, journal).complete);
  EXPECT_TRUE(kernel->verify().passed) << kernel->verify().what;
}

TEST(RatesBesideLoads, LeaveLoadsThatCompeteToTheMachine) {
  Unit unit;
  unit.name = "cuda0";
  Scenario scenario;
  scenario.events.push_back(disturb(DisturbanceKind::compete, "cuda0", 1.0, 0.25, Seconds{2.0}));
  scenario.events.push_back(disturb(DisturbanceKind::slow, "cuda0", 1.0, 3.0, Seconds{2.0}));
  const UnitRates rates = rates_beside_loads(unit, 2.0, scenario);
  EXPECT_DOUBLE_EQ(rates.compute.at(Seconds{0.5}), 0.5);
  EXPECT_DOUBLE_EQ(rates.compute.at(Seconds{1.5}), 0.5 / 3.0);
  EXPECT_DOUBLE_EQ(rates.in.at(Seconds{1.5}), 1.0);
}

TEST(RatesBesideLoads, RefuseAUnitThatWouldHaveToBeFasterThanItIs) {
  Unit unit;
  unit.name = "cuda0";
  Scenario scenario;
  scenario.events.push_back(disturb(DisturbanceKind::slow, "cuda0", 0.0, 0.5));
  EXPECT_NE(
      refusal_of([&] { (void)rates_beside_loads(unit, 1.0, scenario); }).find("2 times as fast"),
      std::string::npos);
  EXPECT_DOUBLE_EQ(rates_beside_loads(unit, 2.0, scenario).compute.at(Seconds{}), 1.0);
}

TEST_F(CudaUnit, IsProbedOverItsBus) {
  const auto kernel = make_kernel("matmul", {{"n", "64"}}, "--workload");
  kernel->allocate(1);
  std::vector<Probed> ended;
  Scripted policy([&](const View&, const Event& event, Decisions& decisions) {
    if (std::holds_alternative<IterationStarted>(event.what)) {
      decisions.assign(UnitId{0}, 8);
      EXPECT_TRUE(decisions.probe(UnitId{0}, 1 << 18, 1 << 16, 1));
      EXPECT_TRUE(decisions.probe(UnitId{0}, 0, 0, 2));
    } else if (const auto* probed = std::get_if<Probed>(&event.what)) {
      ended.push_back(*probed);
    } else if (const auto* idle = std::get_if<UnitIdle>(&event.what)) {
      if (ended.size() == 2) decisions.assign(idle->unit, 8);
    }
    if (ended.size() == 2) decisions.assign(UnitId{0}, 8);
  });
  MemoryJournal journal;
  EXPECT_TRUE(run_by(policy, setup_of({"cuda"}, {kernel.get()}), journal).complete);
  EXPECT_TRUE(kernel->verify().passed) << kernel->verify().what;
  ASSERT_EQ(ended.size(), 2U);
  for (const Probed& probed : ended) {
    ASSERT_TRUE(probed.times);
    EXPECT_GT(probed.times->there, Seconds{});
    EXPECT_GT(probed.times->back, Seconds{});
    const Seconds there = probed.times->there_at + probed.times->there;
    EXPECT_GE(probed.times->back_at.value, there.value - 1e-12);
  }
}

}  // namespace
}  // namespace equipoise::cuda_unit_test
