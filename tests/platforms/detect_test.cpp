// Tests of the detection of this machine as a platform.
#include <gtest/gtest.h>

#include "platforms/detect.hpp"
#include "tests/support/temporary_folder.hpp"

namespace equipoise::detect_test {
namespace {

TEST(Detect, FindsCoresAndMemory) {
  const ThisMachine machine = detect_machine();
  EXPECT_GE(machine.packages, 1);
  EXPECT_GE(machine.cores, 1);
  EXPECT_GE(machine.hardware_threads, machine.cores);
  EXPECT_GT(machine.memory_bytes, 0.0);
  EXPECT_FALSE(machine.name.empty());
}

TEST(Detect, MakesAPlatformWithOneUnitForEachCore) {
  const TemporaryFolder folder;
  folder.write("here.xml", platform_xml(detect_platform()));
  const PlatformFileFacts facts = check_platform_file(folder.path("here.xml"));
  EXPECT_EQ(facts.hosts.size(), static_cast<std::size_t>(detect_machine().cores) + 1);
  EXPECT_EQ(facts.master, "RAM");
  EXPECT_EQ(facts.hosts.at(1).name, "cpu0");
}

TEST(LocalPlatform, ConnectsEveryUnitOverMemory) {
  std::vector<Unit> units(2);
  units[0].name = "cpu0";
  units[1].name = "fast";
  const PlatformDescription platform = local_platform(units, 5e9, "two units");
  ASSERT_EQ(platform.hosts.size(), 3U);
  EXPECT_EQ(platform.hosts[2].name, "fast");
  EXPECT_EQ(platform.routes.size(), 4U);
  EXPECT_EQ(platform.links.at(0).bandwidth_bytes_per_s, 5e9);
  EXPECT_FALSE(platform.links[0].shared);
}

}  // namespace
}  // namespace equipoise::detect_test
