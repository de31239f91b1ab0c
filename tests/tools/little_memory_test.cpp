// Tests of the program where memory is short: it ends, and says what it lacks.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "tests/support/little_memory.hpp"
#include "tests/support/program.hpp"
#include "tests/support/temporary_folder.hpp"

namespace equipoise::little_memory_test {
namespace {

constexpr rlim_t mib = rlim_t{1024} * 1024;

/// Runs the program with `bytes` of address space.
ProgramRun run_with(rlim_t bytes, const std::vector<std::string>& arguments) {
  const LittleMemory little(bytes);
  return run_equipoise(arguments);
}

TEST(LittleMemory, IsEnoughToSayTheVersionAndToEnd) {
  const ProgramRun run = run_with(100 * mib, {"--version"});
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_EQ(lines_of(run.out).size(), 1u) << run.out;
  EXPECT_EQ(run.err, "");
}

/// `count` equal machines of two units each, in a network.
std::string spec_of(int count, int cpus = 1) {
  return fmt::format(
      R"({{"schema":"equipoise.machines/1","source":"a test",
          "network":{{"bytes_per_s":1e9,"latency_s":1e-5}},
          "machines":[{{"id":"n","count":{},"units":[
            {{"id":"cpu","kind":"cpu","count":{},"peak_flop_per_s":1e9}},
            {{"id":"gpu","kind":"gpu","peak_flop_per_s":1e10,
             "bus":{{"in_bytes_per_s":1e10,"out_bytes_per_s":1e10,"latency_s":1e-6}}}}]}}],
          "platforms":[{{"name":"p","machines":["n"]}}]}})",
      count, cpus);
}

TEST(LittleMemory, HoldsAGeneratedPlatformOfManyMachines) {
  // In one zone, 16,001 hosts would take 2.0 GB for the pairs alone.
  const TemporaryFolder folder;
  const std::string spec = folder.write("spec.json", spec_of(8000));
  const std::string out = folder.path("out");
  const ProgramRun made =
      run_with(700 * mib, {"platform", "generate", "--spec", spec, "--out", out});
  EXPECT_EQ(made.exit_code, 0) << made.err;
  EXPECT_EQ(made.out, out + "/p.xml: 16000 units of 8000 machines\n");
}

TEST(LittleMemory, IsNotFilledWithMorePossibleUnitsThanAPlatformHas) {
  const TemporaryFolder folder;
  const std::string spec = folder.write("spec.json", spec_of(100'000, 99));
  const ProgramRun run =
      run_with(100 * mib, {"platform", "generate", "--spec", spec, "--out", folder.path("out")});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_EQ(run.err, "equipoise: error: " + spec +
                         ":3: more than 999999 units, 10000000 up to here; give a smaller count\n");
}

TEST(LittleMemory, IsComparedWithWhatAZoneNeedsBeforeItIsLoaded) {
  std::string xml =
      "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"simgrid.dtd\">\n"
      "<platform version=\"4.1\">\n<zone id=\"z\" routing=\"Full\">\n";
  for (int i = 0; i < 16'384; ++i) xml += fmt::format("<host id=\"h{}\" speed=\"1Gf\"/>\n", i);
  const TemporaryFolder folder;
  const std::string file = folder.write("p.xml", xml + "</zone></platform>\n");
  const ProgramRun run = run_with(1024 * mib, {"platform", "check", file});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_EQ(run.err,
            "equipoise: error: " + file +
                ":4: zone z: SimGrid needs 2.0 GiB for the routes of 16384 hosts and zones "
                "with routing Full (8 bytes for every pair), and 1.0 GiB are free; divide "
                "the hosts among several zones, or describe them with <cluster>\n");
}

TEST(LittleMemory, IsNamedWhereItDoesNotHoldAPlatform) {
  const TemporaryFolder folder;
  const std::string spec = folder.write("spec.json", spec_of(40'000));
  const ProgramRun run =
      run_with(64 * mib, {"platform", "generate", "--spec", spec, "--out", folder.path("out")});
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_EQ(run.err,
            "equipoise: error: there is not enough memory for this; free some, raise the limit "
            "(ulimit -v), or give smaller inputs\n");
}

TEST(LittleMemory, IsNoReasonToInstallSimGrid) {
  int refused = 0;
  for (rlim_t limit = 20 * mib; limit <= 120 * mib; limit += 10 * mib) {
    const ProgramRun run = run_with(limit, {"platform", "check", "platforms/sirocco.xml"});
    EXPECT_EQ(run.err.find("install SimGrid"), std::string::npos) << run.err;
    if (run.err.find("; free some memory, or raise the limit") != std::string::npos) ++refused;
  }
  EXPECT_GT(refused, 0);
}

}  // namespace
}  // namespace equipoise::little_memory_test
