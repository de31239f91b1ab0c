// Tests of unit specifications as users type them, and of the cores that units get.
#include "real/unit_spec.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "real/kernels/catalog.hpp"
#include "real/machine.hpp"
#include "real/unit_rates.hpp"
#include "tests/support/refusal.hpp"

namespace equipoise::unit_spec_test {
namespace {

std::string refusal(const std::vector<std::string>& texts) {
  std::string why = refusal_of([&] { (void)parse_units(texts); });
  EXPECT_TRUE(why == "not refused" || why.starts_with("--unit " + texts.back() + ": ")) << why;
  return why;
}

/// A machine of `cores` cores with two hardware threads each, numbered as Linux usually does.
Machine machine_of(int cores) {
  Machine machine;
  for (int i = 0; i < 2 * cores; ++i) machine.threads.push_back({i, i % cores});
  return machine;
}

TEST(UnitSpec, ReadsEveryParameter) {
  const auto specs =
      parse_units({"cpu,threads=3,slowdown=2.5,slots=4,id=big,memory_bytes=64Mi,"
                   "node=attic"});
  ASSERT_EQ(specs.size(), 1u);
  EXPECT_EQ(specs[0].unit.name, "big");
  EXPECT_EQ(specs[0].unit.node, "attic");
  EXPECT_EQ(specs[0].unit.slots, 4);
  EXPECT_EQ(specs[0].unit.memory_bytes, 64.0 * 1024 * 1024);
  EXPECT_EQ(specs[0].factory->cores(), 3);
  EXPECT_EQ(specs[0].slowdown, 2.5);
}

TEST(UnitSpec, NamesUnitsByKindAndOrder) {
  const auto specs = parse_units({"cpu", "cpu,id=other", "cpu,slowdown=3"});
  EXPECT_EQ(specs[0].unit.name, "cpu0");
  EXPECT_EQ(specs[1].unit.name, "other");
  EXPECT_EQ(specs[2].unit.name, "cpu2");
  EXPECT_EQ(specs[0].unit.node, specs[2].unit.node);
  EXPECT_FALSE(specs[0].unit.memory_bytes);
}

TEST(UnitSpec, ReadsPacedUnitsWhichTakeNoCores) {
  const auto specs =
      parse_units({"paced,trace_unit=cuda0,copy_engines=2", "cpu", "paced,trace_unit=x"});
  EXPECT_EQ(specs[0].unit.name, "paced0");
  EXPECT_EQ(specs[0].name_in_traces(), "cuda0");
  EXPECT_EQ(specs[1].name_in_traces(), "cpu0");
  EXPECT_FALSE(specs[0].computes());
  EXPECT_EQ(specs[0].unit.copy_engines, 2);
  EXPECT_EQ(specs[2].unit.name, "paced1");
  EXPECT_EQ(specs[1].unit.copy_engines, 0);
  const Placement placement = place_units(specs, machine_of(2));
  EXPECT_EQ(placement.cores, (std::vector<std::vector<int>>{{}, {0}, {}}));
  EXPECT_EQ(refusal({"paced"}),
            "--unit paced: a paced unit needs a unit of a trace; give trace_unit=");
}

TEST(UnitSpec, LetsEmulatedUnitsShareADeviceOfOneSpeed) {
  const auto specs = parse_units({"emulated,device=card,copy_engines=1,memory_bytes=64Mi", "cpu",
                                  "emulated,device=card,copy_engines=1,threads=2", "emulated"});
  EXPECT_EQ(specs[0].unit.device, "emulated:card");
  EXPECT_EQ(specs[2].unit.device, "emulated:card");
  EXPECT_EQ(specs[0].unit.memory_bytes, 64.0 * 1024 * 1024);
  EXPECT_EQ(specs[2].unit.memory_bytes, 1024.0 * 1024 * 1024);
  EXPECT_EQ(specs[1].unit.device, "");
  EXPECT_EQ(specs[3].unit.device, "");
  EXPECT_EQ(in_link_of(specs[2].unit), "RAM-emulated:card");
  EXPECT_EQ(out_link_of(specs[3].unit), "emulated2-RAM");
  for (const char* const other :
       {"in_bytes_per_s=1e9", "out_bytes_per_s=1e9", "latency_s=0", "node=x"}) {
    EXPECT_NE(refusal({"emulated,device=card", std::string("emulated,device=card,") + other})
                  .find("shares its device with emulated0"),
              std::string::npos)
        << other;
  }
  EXPECT_NE(refusal({"emulated,device=card", "emulated,device=card,copy_engines=1"})
                .find("emulated0 and emulated1 share a device, so they have the same copy_engines"),
            std::string::npos);
  EXPECT_NE(refusal({"emulated,device=a b"}).find("is no name"), std::string::npos);
}

TEST(UnitSpec, SaysWhatIsWrong) {
  EXPECT_NE(refusal({"cpus"}).find("did you mean 'cpu'"), std::string::npos);
  EXPECT_NE(refusal({"cpu,thread=2"}).find("did you mean 'threads'"), std::string::npos);
  EXPECT_NE(refusal({"cpu,threads=0"}).find("out of range"), std::string::npos);
  EXPECT_NE(refusal({"cpu,threads=1.5"}).find("whole"), std::string::npos);
  EXPECT_NE(refusal({"cpu,slowdown=0.5"}).find("out of range"), std::string::npos);
  EXPECT_NE(refusal({"cpu,slowdown=nan"}), "not refused");
  EXPECT_NE(refusal({"cpu,slowdown"}), "not refused");
  EXPECT_NE(refusal({"cpu,id="}), "not refused");
  EXPECT_NE(refusal({"cpu,id=a b"}), "not refused");
  EXPECT_NE(refusal({""}), "not refused");
  EXPECT_NE(refusal({"cpu,threads=1,threads=2"}).find("twice"), std::string::npos);
  EXPECT_NE(refusal({"cpu", "cpu,id=cpu0"}).find("already"), std::string::npos);
}

TEST(UnitSpec, ListsEveryKindWithDefaultsThatAreLegalButForWhatIsRequired) {
  for (const UnitKindInfo& info : unit_catalog()) {
    EXPECT_FALSE(info.parameters.empty());
    if (info.is_absent()) continue;
    const bool needs_trace = info.name == "paced";
    EXPECT_EQ(parse_units({info.name + (needs_trace ? ",trace_unit=x" : "")}).size(), 1u);
  }
}

TEST(UnitSpec, SaysWhatRunsHereAndWhatCanBeDoneWithUnitsThatAreElsewhere) {
  std::string kinds;
  std::string why_no_cuda;
  for (const UnitKindInfo& info : unit_catalog()) {
    if (info.name == "cuda") why_no_cuda = info.why_absent();
    if (!info.is_absent()) kinds += (kinds.empty() ? "" : ", ") + info.name;
  }
  std::vector<std::string> refused = {"gpu"};
  if (!why_no_cuda.empty()) refused.insert(refused.end(), {"cuda", "cuda,device=0,sms=32"});
  for (const std::string& asked : refused) {
    const std::string why = refusal({asked});
    EXPECT_NE(why.find("kinds that run here: " + kinds + ";"), std::string::npos) << why;
    EXPECT_NE(why.find(why_no_cuda), std::string::npos) << why;
    EXPECT_NE(why.find("paced,trace_unit=NAME"), std::string::npos) << why;
    EXPECT_EQ(why.find("did you mean"), std::string::npos) << why;
  }
}

TEST(UnitSpec, FindsWhatIsMistypedAlsoWhereThereIsNoSuchUnit) {
  for (const auto& [asked, found] : {std::pair("cuda,sm=32", "did you mean 'sms'"),
                                     {"cuda,sms=none", "sms"},
                                     {"cuda,sms=0", "sms"},
                                     {"cuda,device=-1", "device"},
                                     {"cuda,memory_bytes=x", "memory_bytes"},
                                     {"cuda,slowdown=0.5", "slowdown"}}) {
    const std::string why = refusal({asked});
    EXPECT_NE(why.find(found), std::string::npos) << why;
    EXPECT_EQ(why.find("kinds that run here"), std::string::npos) << why;
  }
}

/// A unit that has a program for one kernel only.
class OneProgram final : public UnitFactory {
 public:
  int cores() const override { return 0; }
  bool has_program(const Kernel& kernel) const override {
    return kernel.workload().kernel == "matmul";
  }
  double host_bytes(const Unit& /*unit*/, const Workload& /*workload*/) const override {
    return 0.0;
  }
  UnitRates rates(const Unit& /*unit*/, double /*slowdown*/,
                  const Scenario& /*scenario*/) const override {
    return {};
  }
  std::unique_ptr<Worker> make_worker(WorkerSetup /*setup*/) const override { return nullptr; }
  std::unique_ptr<CompetingLoad> make_load(const Clock& /*clock*/, const Disturbance& /*event*/,
                                           const std::vector<int>& /*cores*/) const override {
    return nullptr;
  }
};

TEST(CheckPrograms, RefusesAKernelForWhichAUnitHasNoProgram) {
  std::vector<UnitSpec> units = parse_units({"cpu", "cpu,id=odd"});
  units[1].factory = std::make_shared<OneProgram>();
  std::vector<std::unique_ptr<Kernel>> kernels;
  kernels.push_back(make_kernel("matmul", {{"n", "8"}}, "--workload"));
  check_programs(kernels, units);
  kernels.push_back(nullptr);  // a phase that no unit computes
  check_programs(kernels, units);
  kernels.push_back(make_kernel("grn", {{"genes", "8"}}, "--workload"));
  EXPECT_EQ(refusal_of([&] { check_programs(kernels, units); }),
            "--unit: odd has no program for grn; leave the unit out, or choose another kernel");
}

TEST(Placement, GivesEachUnitTheNextCoresAndKeepsTheRestFree) {
  const Placement placement = place_units(parse_units({"cpu,threads=2", "cpu"}), machine_of(4));
  EXPECT_EQ(placement.cores, (std::vector<std::vector<int>>{{0, 1}, {2}}));
  EXPECT_EQ(placement.waiting, (std::vector<int>{3, 4, 5, 6, 7}));
  EXPECT_FALSE(placement.waiting_compute);
  EXPECT_TRUE(placement.warnings.empty());
}

TEST(Placement, GivesTheControllerACoreOfItsOwnWhereFourAreFree) {
  const Placement four = place_units(parse_units({"cpu,threads=4"}), machine_of(4));
  EXPECT_EQ(four.controller(), (std::vector<int>{4}));
  EXPECT_EQ(four.others(), (std::vector<int>{5, 6, 7}));
  const Placement three = place_units(parse_units({"cpu,threads=4", "cpu"}), machine_of(4));
  EXPECT_EQ(three.controller(), (std::vector<int>{5, 6, 7}));
  EXPECT_EQ(three.others(), three.waiting);
}

TEST(Placement, SaysWhetherThreadsThatCopyHaveOnlyCoresOfAUnit) {
  Placement placement;
  placement.cores = {{0}, {1, 2}};
  placement.waiting = {1};
  EXPECT_FALSE(copies_have_cores_of(placement, 0));
  EXPECT_TRUE(copies_have_cores_of(placement, 1));
  placement.waiting = {2, 3};  // one of them is free
  EXPECT_FALSE(copies_have_cores_of(placement, 1));
  placement.waiting = {0, 1, 2, 1};  // the first is the controller's alone
  EXPECT_TRUE(copies_have_cores_of(placement, 1));
}

TEST(Placement, FindsTheThreadsOfANumaNode) {
  Machine machine;
  machine.threads = {{0, 0, 0}, {1, 1, 0}, {2, 2, 1}, {3, 3, 1}};
  EXPECT_EQ(near_node({0, 2, 3}, 1, machine), (std::vector<int>{2, 3}));
  EXPECT_EQ(near_node({0, 1}, 1, machine), (std::vector<int>{0, 1})) << "none is near";
}

TEST(Placement, LetsThoseThatWaitShareACoreOfTheMostSlowedUnitWhenNoneIsFree) {
  const auto waiting = [](const std::vector<std::string>& units) {
    const Placement placement = place_units(parse_units(units), machine_of(2));
    EXPECT_TRUE(placement.waiting_compute);
    return placement.waiting;
  };
  EXPECT_EQ(waiting({"cpu", "cpu,threads=2,slowdown=3", "cpu"}), (std::vector<int>{2}));
  EXPECT_EQ(waiting({"cpu", "cpu,threads=3"}), (std::vector<int>{3})) << "the last of equals";
}

TEST(Placement, SaysThatUnitsShareACoreBeforeItWrapsAround) {
  const Placement placement =
      place_units(parse_units({"cpu,threads=2", "cpu", "cpu,threads=2"}), machine_of(2));
  EXPECT_EQ(placement.cores, (std::vector<std::vector<int>>{{0, 1}, {2}, {3, 0}}));
  ASSERT_EQ(placement.warnings.size(), 2u);
  EXPECT_NE(placement.warnings[0].find("cpu0 and cpu1"), std::string::npos);
  EXPECT_NE(placement.warnings[1].find("cpu0 and cpu2"), std::string::npos);
}

TEST(Placement, SaysThatAUnitHasMoreThreadsThanThereAreCores) {
  const Placement placement = place_units(parse_units({"cpu,threads=3"}), machine_of(2));
  ASSERT_EQ(placement.warnings.size(), 1u);
  EXPECT_EQ(placement.warnings[0],
            "unit cpu0 has more threads (3) than cores are left (2); give fewer threads");
}

TEST(ThisMachine, HasCoresAndMemory) {
  EXPECT_FALSE(this_machine().name.empty());
  EXPECT_GE(this_machine().packages, 1);
  EXPECT_GE(this_machine().cores, 1);
  EXPECT_GE(this_machine().hardware_threads, this_machine().cores);
  EXPECT_LE(this_machine().threads.size(),
            static_cast<std::size_t>(this_machine().hardware_threads));
  EXPECT_GT(this_machine().memory_bytes, 0.0);
  EXPECT_GT(available_memory_bytes(), 0.0);
  EXPECT_LE(available_memory_bytes(), this_machine().memory_bytes);
}

}  // namespace
}  // namespace equipoise::unit_spec_test
