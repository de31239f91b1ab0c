// Tests of the platforms that are written for devices whose links were measured, in simulations.
#include "tools/worlds/recorded_platform.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "platforms/platform_file.hpp"
#include "tests/support/gpu/gpu_stand_in.hpp"
#include "tests/support/program.hpp"
#include "tests/support/temporary_folder.hpp"

namespace equipoise::device_links_test {
namespace {

/// A trace in which units copy 4.8e9 bytes in and out with a block of 100 items.
std::string trace_of(const std::vector<std::string>& units) {
  std::string names;
  std::string samples;
  for (const std::string& unit : units) {
    names += (names.empty() ? "" : ",") + ("{\"id\":\"" + unit + "\",\"kind\":\"gpu\"}");
    samples += "{\"unit\":\"" + unit +
               R"(","items":100,"in_s":0.6,"compute_s":1e-6,"out_s":0.6,)"
               R"("in_bytes":4.8e9,"out_bytes":4.8e9})"
               "\n";
  }
  return R"({"schema":"equipoise.trace/1","source":"recorded","kernel":"k","item":"thing",)"
         R"("provenance":"a test","machine":{},"units":[)" +
         names + "]}\n" + samples;
}

Unit gpu(const std::string& name) {
  Unit unit;
  unit.name = name;
  unit.kind = UnitKind::gpu;
  unit.model = "Tested GPU";
  unit.node = "machine";
  unit.device = "cuda:0";
  unit.copy_engines = 2;
  unit.slots = 2;
  return unit;
}

/// A GPU that copies `alone` GB/s in each direction, and `both` GB/s in the two together.
LinkRates link(double alone, double both) {
  const CopySpeed speed{Seconds{1e-5}, alone * 1e9};
  return {speed, speed, both * 1e9};
}

const Gpu known_gpu{"cuda:0", "00000000:01:00.0", 114, 1.755e9};

RecordedUnit recorded(const std::string& name) {
  const CopySpeed copies{Seconds{}, 8e9};
  return {gpu(name), {copies, copies}, known_gpu};
}

class DeviceLinksInSimulations : public testing::Test {
 protected:
  /// The makespan of `blocks` blocks of 100 items on `platform`.
  double makespan(const PlatformDescription& platform, const std::vector<std::string>& units,
                  int blocks) {
    folder_.write("p.xml", platform_xml(platform));
    folder_.write("t.jsonl", trace_of(units));
    const ProgramRun run = run_equipoise({"simulate", "--platform", folder_.path("p.xml"),
                                          "--trace", folder_.path("t.jsonl"), "--workload",
                                          "k:items=" + std::to_string(100 * blocks), "--policy",
                                          "greedy:pieces=" + std::to_string(blocks), "--noise",
                                          "off", "--out", folder_.path("run.jsonl")});
    EXPECT_EQ(run.exit_code, 0) << run.err;
    const std::vector<std::string> lines = lines_of(read_text(folder_.path("run.jsonl")));
    return nlohmann::json::parse(lines.back()).at("makespan_s").get<double>();
  }

  TemporaryFolder folder_;
};

TEST_F(DeviceLinksInSimulations, TwoDirectionsAtOnceTakeAsLongAsTheSharedLinkSays) {
  // In alone: 0.6 s. Then the first block goes out and the second one in, 9.6e9 bytes at 12 GB/s:
  // 0.8 s. Out alone: 0.6 s.
  const PlatformDescription platform =
      recorded_platform({recorded("cuda0")}, {{"cuda:0", link(8.0, 12.0)}}, "k", "t.jsonl");
  EXPECT_EQ(platform.routes.at(0).links, (std::vector<std::string>{"RAM-cuda:0", "cuda:0-both"}));
  EXPECT_NEAR(makespan(platform, {"cuda0"}, 2), 2.0, 1e-3);
}

TEST_F(DeviceLinksInSimulations, DirectionsThatDoNotDelayEachOtherHaveNoLinkInCommon) {
  const PlatformDescription platform =
      recorded_platform({recorded("cuda0")}, {{"cuda:0", link(8.0, 16.0)}}, "k", "t.jsonl");
  EXPECT_EQ(platform.routes.at(0).links, (std::vector<std::string>{"RAM-cuda:0"}));
  EXPECT_EQ(platform.routes.at(1).links, (std::vector<std::string>{"cuda:0-RAM"}));
  EXPECT_NEAR(makespan(platform, {"cuda0"}, 2), 1.8, 1e-3);
}

TEST_F(DeviceLinksInSimulations, AUnitWithoutAMeasuredDeviceHasItsOwnLinksOnly) {
  const PlatformDescription platform = recorded_platform({recorded("cuda0")}, {}, "k", "t.jsonl");
  EXPECT_EQ(platform.links.size(), 2u);
  EXPECT_NEAR(makespan(platform, {"cuda0"}, 2), 1.8, 1e-3);
}

/// A platform of two parts of a GPU that copy in as fast as its bus, 8 GB/s, and `out` GB/s out.
PlatformDescription two_parts(double out, const LinkRates& bus) {
  std::vector<RecordedUnit> parts = {recorded("a"), recorded("b")};
  for (RecordedUnit& part : parts) {
    part.copies.out = CopySpeed{Seconds{}, out * 1e9};
    part.unit.slots = 1;  // so that each gets one of two blocks
  }
  return recorded_platform(parts, {{"cuda:0", bus}}, "k", "t.jsonl");
}

TEST_F(DeviceLinksInSimulations, PartsOfAGpuCopyOutByThemselvesAndShareItsBus) {
  const PlatformDescription platform = two_parts(2.0, link(8.0, 16.0));
  EXPECT_EQ(platform.routes.at(0).links, (std::vector<std::string>{"RAM-a", "RAM-cuda:0"}));
  EXPECT_EQ(platform.routes.at(3).links, (std::vector<std::string>{"b-RAM", "cuda:0-RAM"}));
  // A block each. In over the bus: 9.6e9 bytes at 8 GB/s, 1.2 s. Out, each by itself: 2.4 s.
  EXPECT_NEAR(makespan(platform, {"a", "b"}, 2), 3.6, 1e-3);
}

TEST_F(DeviceLinksInSimulations, PartsOfAGpuTogetherCopyNoFasterThanItsBus) {
  // Out: 6 GB/s each would be more than the bus has, so 9.6e9 bytes at 8 GB/s, 1.2 s.
  EXPECT_NEAR(makespan(two_parts(6.0, link(8.0, 16.0)), {"a", "b"}, 2), 2.4, 1e-3);
}

TEST_F(DeviceLinksInSimulations, PartsOfAGpuCrossWhatBothDirectionsShare) {
  const PlatformDescription platform = two_parts(2.0, link(8.0, 8.0));
  EXPECT_EQ(platform.routes.at(0).links,
            (std::vector<std::string>{"RAM-a", "RAM-cuda:0", "cuda:0-both"}));
  EXPECT_NEAR(makespan(platform, {"a", "b"}, 2), 3.6, 1e-3);
}

TEST_F(DeviceLinksInSimulations, UnitsOfADeviceThatWasNotMeasuredShareItsLinks) {
  const PlatformDescription platform =
      recorded_platform({recorded("a"), recorded("b")}, {}, "k", "t.jsonl");
  EXPECT_EQ(platform.links.size(), 2u);
  EXPECT_EQ(platform.routes.at(0).links, platform.routes.at(2).links);
}

TEST_F(DeviceLinksInSimulations, APlatformSaysWhatItsGpusConsistOf) {
  folder_.write("p.xml", platform_xml(recorded_platform({recorded("cuda0")}, {}, "k", "t")));
  const ProgramRun shown = run_equipoise({"platform", "show", folder_.path("p.xml")});
  EXPECT_NE(shown.out.find("Tested GPU, 114 SMs, 1.755 GHz"), std::string::npos) << shown.out;
}

TEST_F(DeviceLinksInSimulations, DetectedGpusHaveTheLinksOfPinnedMemory) {
  PlatformDescription platform = local_platform({}, 5e9, "a test");
  UnitSpec spec = parse_units({"cpu"}).front();
  spec.unit = gpu("cuda0");
  put_on_gpu(spec, known_gpu);
  const std::vector<MeasuredGpu> gpus = {{spec, link(10.0, 15.0)}};
  add_gpus(platform, gpus);
  EXPECT_NE(platform.comment.find("cuda0: 10 GB/s in, 10 GB/s out, 15 GB/s both"),
            std::string::npos)
      << platform.comment;
  // 10 us of latency each; 0.48 s in, 9.6e9 bytes at 15 GB/s: 0.64 s, 0.48 s out.
  EXPECT_NEAR(makespan(platform, {"cuda0"}, 2), 1.6, 1e-3);
}

TEST(GpuLine, SaysWhatIsKnownOfAGpu) {
  UnitSpec spec = parse_units({"cpu"}).front();
  spec.unit = gpu("cuda0");
  put_on_gpu(spec, known_gpu);
  spec.unit.memory_bytes = 1.5 * (1 << 30);
  EXPECT_EQ(gpu_line(spec),
            "cuda:0: Tested GPU, 114 SMs of up to 1.75 GHz, 2 copy engines, 1.5 GiB for blocks, "
            "PCI 00000000:01:00.0");
}

TEST(GpuLine, LeavesOutWhatIsNotKnown) {
  UnitSpec spec = parse_units({"cpu"}).front();
  spec.unit = gpu("cuda0");
  spec.unit.copy_engines = 1;
  EXPECT_EQ(gpu_line(spec), "cuda:0: Tested GPU, 1 copy engine");
}

TEST(MeasureLinks, OfADeviceWithSeveralUnitsAreWhatTheseShare) {
  std::vector<UnitSpec> specs = parse_units({"cpu", "cpu", "cpu"});
  for (UnitSpec& spec : specs) {
    spec.unit.device = "cuda:0";
    put_on_gpu(spec, known_gpu);
  }
  specs[0].unit.device = "cuda:1";
  const DeviceLinks links = measure_links(specs);
  EXPECT_EQ(links.at("cuda:1").out.bandwidth_bytes_per_s, 2e9) << "as blocks are copied";
  EXPECT_EQ(links.at("cuda:0").out.bandwidth_bytes_per_s, 8e9) << "with pinned memory";
}

TEST(MeasureLinks, LeavesOutUnitsOfNoDevice) {
  const std::vector<UnitSpec> specs = parse_units({"cpu", "emulated"});
  EXPECT_TRUE(measure_links(specs).empty());
}

}  // namespace
}  // namespace equipoise::device_links_test
