// Tests of the meters of packages, on folders like those that Linux shows.
#include "real/meters/meter.hpp"

#include <gtest/gtest.h>

#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/temporary_folder.hpp"

namespace equipoise::powercap_test {
namespace {

constexpr const char* range_uj = "262143328850";

void write_domain(const TemporaryFolder& folder, const std::string& domain, const std::string& name,
                  const std::string& energy_uj) {
  folder.write(domain + "/name", name + "\n");
  folder.write(domain + "/energy_uj", energy_uj + "\n");
  folder.write(domain + "/max_energy_range_uj", std::string(range_uj) + "\n");
}

/// A server with two packages, as its powercap folder shows it.
void write_two_packages(const TemporaryFolder& folder) {
  folder.write("intel-rapl/enabled", "1\n");
  write_domain(folder, "intel-rapl:0", "package-0", "262143000000");
  write_domain(folder, "intel-rapl:0:0", "dram", "5000000");
  write_domain(folder, "intel-rapl:1", "package-1", "1000000");
  write_domain(folder, "intel-rapl:1:0", "dram", "6000000");
}

TEST(Powercap, MeasuresPackagesFromTheirFirstReadingOn) {
  const TemporaryFolder folder;
  write_two_packages(folder);
  const Meters meters = powercap_meters(folder.path(""));
  ASSERT_EQ(meters.found.size(), 2u);
  EXPECT_EQ(meters.found[0]->domain(), "package-0");
  EXPECT_EQ(meters.found[1]->domain(), "package-1");
  EXPECT_EQ(meters.notes, (std::vector<std::string>{"dram is not counted"}));
  EXPECT_DOUBLE_EQ(meters.found[1]->joules(0.0).value(), 0.0);
  write_domain(folder, "intel-rapl:1", "package-1", "3500000");
  EXPECT_DOUBLE_EQ(meters.found[1]->joules(0.1).value(), 2.5);
  EXPECT_DOUBLE_EQ(meters.found[1]->joules(0.2).value(), 2.5) << "the counter stands still";
}

TEST(Powercap, GoesOnWhenACounterWrapsAround) {
  const TemporaryFolder folder;
  write_two_packages(folder);
  const Meters meters = powercap_meters(folder.path(""));
  ASSERT_EQ(meters.found.size(), 2u);
  Meter& package = *meters.found[0];
  EXPECT_DOUBLE_EQ(package.joules(0.0).value(), 0.0);
  write_domain(folder, "intel-rapl:0", "package-0", "671150");
  // 262143.328850 - 262143 + 0.671150
  EXPECT_DOUBLE_EQ(package.joules(0.1).value(), 1.0);
  write_domain(folder, "intel-rapl:0", "package-0", "1671150");
  EXPECT_DOUBLE_EQ(package.joules(0.2).value(), 2.0);
  write_domain(folder, "intel-rapl:0", "package-0", "0");
  EXPECT_DOUBLE_EQ(package.joules(0.3).value(), 2.0 + 262143.328850 - 1.671150);
}

TEST(Powercap, DoesNotGuessHowACounterBeyondItsRangeWrapsAround) {
  const TemporaryFolder folder;
  write_domain(folder, "intel-rapl:0", "package-0", "300000000000");
  const Meters meters = powercap_meters(folder.path(""));
  ASSERT_EQ(meters.found.size(), 1u);
  EXPECT_TRUE(meters.found[0]->joules(0.0));
  write_domain(folder, "intel-rapl:0", "package-0", "1000000");
  EXPECT_FALSE(meters.found[0]->joules(0.1));
}

TEST(Powercap, TakesEachPackageOnceAndNothingButPackages) {
  const TemporaryFolder folder;
  write_domain(folder, "intel-rapl-mmio:0", "package-0", "7000000");
  write_domain(folder, "intel-rapl:0", "package-0", "1000000");
  write_domain(folder, "intel-rapl:0:0", "core", "1000000");
  write_domain(folder, "intel-rapl:0:1", "uncore", "1000000");
  write_domain(folder, "intel-rapl:1", "psys", "1000000");
  const Meters meters = powercap_meters(folder.path(""));
  ASSERT_EQ(meters.found.size(), 1u);
  EXPECT_EQ(meters.notes, (std::vector<std::string>{"psys is not counted"}));
  EXPECT_TRUE(meters.found[0]->joules(0.0));
  write_domain(folder, "intel-rapl:0", "package-0", "2000000");
  EXPECT_DOUBLE_EQ(meters.found[0]->joules(0.1).value(), 1.0);
}

TEST(Powercap, NoLongerReadsADomainThatVanishes) {
  const TemporaryFolder folder;
  write_two_packages(folder);
  const Meters meters = powercap_meters(folder.path(""));
  ASSERT_EQ(meters.found.size(), 2u);
  EXPECT_TRUE(meters.found[0]->joules(0.0));
  std::filesystem::remove_all(folder.path("intel-rapl:0"));
  EXPECT_FALSE(meters.found[0]->joules(0.1));
  EXPECT_TRUE(meters.found[1]->joules(0.1));
}

TEST(Powercap, SaysThatOnlyRootMayReadACounter) {
  const TemporaryFolder folder;
  write_two_packages(folder);
  std::filesystem::permissions(folder.path(""), std::filesystem::perms(0755));
  std::filesystem::permissions(folder.path("intel-rapl:0/energy_uj"), std::filesystem::perms::none);
  const bool is_root = geteuid() == 0;
  constexpr uid_t nobody = 65534;
  if (is_root) {
    ASSERT_EQ(seteuid(nobody), 0) << "root may read everything";
  }
  const Meters meters = powercap_meters(folder.path(""));
  if (is_root) {
    ASSERT_EQ(seteuid(0), 0);
  }
  ASSERT_EQ(meters.found.size(), 1u);
  EXPECT_EQ(meters.found[0]->domain(), "package-1");
  ASSERT_EQ(meters.notes.size(), 2u);
  EXPECT_EQ(meters.notes[0], "package-0 is not measured: only root may read " + folder.path("") +
                                 "intel-rapl:0/energy_uj; allow it with chmod a+r");
}

TEST(Powercap, SaysWhenACounterIsNoNumber) {
  const TemporaryFolder folder;
  write_domain(folder, "intel-rapl:0", "package-0", "");
  const Meters meters = powercap_meters(folder.path(""));
  EXPECT_TRUE(meters.found.empty());
  EXPECT_EQ(meters.notes,
            (std::vector<std::string>{"package-0 is not measured: its counter is not a number"}));
}

TEST(Powercap, SaysThatAMachineShowsNoPackage) {
  const TemporaryFolder folder;
  const std::string none = folder.path("none");
  const Meters meters = powercap_meters(none);
  EXPECT_TRUE(meters.found.empty());
  EXPECT_EQ(meters.notes, (std::vector<std::string>{none + " shows no CPU package"}));
}

}  // namespace
}  // namespace equipoise::powercap_test
