// Tests of the platforms that are made from StarPU's machines.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "platforms/starpu_platform.hpp"
#include "tests/support/places.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/temporary_folder.hpp"

namespace equipoise::starpu_platform_test {
namespace {

const std::string config =
    "# Current configuration\n3 # Number of CPUs\n1 # Number of CUDA devices\n"
    "0 # Number of OpenCL devices\n";
const std::string bandwidth = "# to 0 to 1\n0 1e4 nan\n8e3 0 nan\nnan nan nan\n";
const std::string latency = "# to 0 to 1\n0 10.25 nan\n12.5 0 nan\nnan nan nan\n";
const std::string xml =
    "<platform version=\"4\"><AS id=\"AS0\" routing=\"Full\">"
    "<host id=\"CUDA0\" speed=\"1f\"><prop id=\"memsize\" value=\"4096\"/></host>"
    "<host id=\"RAM\" speed=\"1f\"/>"
    "<link id=\"Host\" bandwidth=\"10000000000.5Bps\" latency=\"0.000000s\"/>"
    "<link id=\"RAM-CUDA0\" bandwidth=\"10000000000Bps\" latency=\"0.000010s\"/>"
    "<link id=\"CUDA0-RAM\" bandwidth=\"8000000000Bps\" latency=\"0.000012s\"/>"
    "<link id=\"PCI up\" bandwidth=\"9000000000Bps\" latency=\"0.000000s\"/>"
    "<route src=\"RAM\" dst=\"CUDA0\"><link_ctn id=\"RAM-CUDA0\"/><link_ctn id=\"Host\"/></route>"
    "<route src=\"CUDA0\" dst=\"RAM\"><link_ctn id=\"CUDA0-RAM\"/><link_ctn id=\"PCI up\"/>"
    "<link_ctn id=\"Host\"/></route></AS></platform>";

/// A folder with the bus files of a machine called `toy`.
class StarpuMachineTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_.write("bus/toy.config", config);
    folder_.write("bus/toy.bandwidth", bandwidth);
    folder_.write("bus/toy.latency", latency);
  }

  [[nodiscard]] StarpuMachine read() const { return read_starpu_machine(folder_.path(""), "toy"); }

  TemporaryFolder folder_;
};

TEST_F(StarpuMachineTest, TakesMemoryLinksAndRoutesFromTheXml) {
  folder_.write("bus/toy.platform.v4.xml", xml);
  const StarpuMachine machine = read();
  EXPECT_EQ(machine.cpu_cores, 3);
  ASSERT_EQ(machine.gpus.size(), 1U);
  EXPECT_EQ(machine.gpus[0].unit.name, "cuda0");
  EXPECT_EQ(machine.gpus[0].unit.memory_bytes, 4096.0);
  EXPECT_EQ(machine.gpus[0].unit.copy_engines, 1);
  ASSERT_EQ(machine.links.size(), 4U);
  const Link& in = machine.links[machine.gpus[0].in.links.at(0)];
  EXPECT_EQ(in.name, "RAM-CUDA0");
  EXPECT_DOUBLE_EQ(in.latency.value, 10.25e-6);
  EXPECT_DOUBLE_EQ(in.bandwidth_bytes_per_s, 1e10);
  EXPECT_EQ(machine.gpus[0].out.links.size(), 3U);
  EXPECT_EQ(machine.gpus[0].in.links.at(1), machine.gpus[0].out.links.at(2));
}

TEST_F(StarpuMachineTest, MakesLinksOfTheMeasurementsWhereThereIsNoXml) {
  const StarpuMachine machine = read();
  ASSERT_EQ(machine.links.size(), 3U);
  EXPECT_EQ(machine.links[machine.gpus[0].in.links.at(1)].name, "Host");
  EXPECT_DOUBLE_EQ(machine.links[machine.gpus[0].in.links.at(1)].bandwidth_bytes_per_s, 1e10);
  EXPECT_DOUBLE_EQ(machine.links[machine.gpus[0].out.links.at(0)].bandwidth_bytes_per_s, 8e9);
  EXPECT_DOUBLE_EQ(machine.links[machine.gpus[0].out.links.at(0)].latency.value, 12.5e-6);
  EXPECT_FALSE(machine.gpus[0].unit.memory_bytes.has_value());
}

TEST_F(StarpuMachineTest, RefusesAMachineThatLacksWhatItAnnounces) {
  folder_.write("bus/toy.bandwidth", "0 nan\nnan 0\n");
  EXPECT_NE(refusal_of([&] { (void)read(); }).find("no bandwidth between main memory and CUDA 0"),
            std::string::npos);
  folder_.write("bus/toy.platform.v4.xml", "<platform version=\"4\"><AS/></platform>");
  EXPECT_NE(refusal_of([&] { (void)read(); }).find("no host CUDA0"), std::string::npos);
  folder_.write("bus/toy.config", "# nothing\n");
  EXPECT_NE(refusal_of([&] { (void)read(); }).find("; calibrate the machine again"),
            std::string::npos);
}

TEST_F(StarpuMachineTest, NamesTheNearestMachineAndThePackage) {
  EXPECT_EQ(refusal_of([&] { (void)read_starpu_machine(folder_.path(""), "tou"); }),
            "--machine: unknown machine of StarPU's models 'tou'; did you mean 'toy'?");
  EXPECT_NE(refusal_of([] {
              (void)read_starpu_machine("/nowhere", "toy");
            }).find("`apt install starpu-examples`, or give their directory with --perfmodels"),
            std::string::npos);
}

TEST_F(StarpuMachineTest, LeavesACoreOutForEachGpuUnlessToldNotTo) {
  const auto cores = [](const PlatformDescription& platform) {
    return std::count_if(platform.hosts.begin(), platform.hosts.end(),
                         [](const auto& host) { return host.name.starts_with("cpu"); });
  };
  EXPECT_EQ(cores(starpu_platform(read(), false, "test")), 2);
  EXPECT_EQ(cores(starpu_platform(read(), true, "test")), 3);
  StarpuMachine machine = read();
  machine.cpu_cores = 0;
  EXPECT_NE(
      refusal_of([&] { (void)starpu_platform(machine, false, "test"); }).find("--drivers keep"),
      std::string::npos);
}

TEST_F(StarpuMachineTest, ConnectsEveryUnitBothWays) {
  const PlatformDescription platform = starpu_platform(read(), false, "test");
  EXPECT_EQ(platform.hosts.front().name, "RAM");
  EXPECT_EQ(platform.hosts.size(), 4U);
  EXPECT_EQ(platform.routes.size(), 6U);
  for (const RouteDescription& route : platform.routes) {
    EXPECT_NE(route.from == "RAM", route.to == "RAM");
    EXPECT_FALSE(route.links.empty());
  }
  EXPECT_EQ(platform.routes[0].links, std::vector<std::string>{"memory"});
  EXPECT_FALSE(platform.links.back().shared);
  EXPECT_EQ(platform.links.back().latency.value, 0.0);
  EXPECT_EQ(starpu_units(read()).size(), 2U);
  const Facts facts = {
      {"name", {"toy"}}, {"cpu_cores", {std::int64_t{3}}}, {"cuda_devices", {std::int64_t{1}}}};
  EXPECT_EQ(starpu_machine_facts(read()), facts);
}

TEST(StarpuMachine, MakesTheCommittedPlatformsOfThePackagesFiles) {
  const std::string directory = "/usr/share/starpu/perfmodels/sampling";
  if (!std::filesystem::exists(directory)) {
    GTEST_SKIP() << "Debian package starpu-examples is not installed";
  }
  for (const std::string name : {"sirocco", "mirage", "attila", "idgraf", "hannibal"}) {
    const PlatformDescription made =
        starpu_platform(read_starpu_machine(directory, name), false, "test");
    const PlatformFileFacts committed =
        check_platform_file(repository() / "platforms" / (name + ".xml"));
    ASSERT_EQ(made.hosts.size(), committed.hosts.size()) << name;
    for (std::size_t i = 0; i < made.hosts.size(); ++i) {
      EXPECT_EQ(made.hosts[i].name, committed.hosts[i].name) << name;
    }
  }
}

}  // namespace
}  // namespace equipoise::starpu_platform_test
