// Tests of the committed recordings of an H200: they fit together, and they run.
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <regex>
#include <string>

#include "shared_policies/fit/copy_fit.hpp"
#include "tests/support/places.hpp"
#include "tests/support/program.hpp"
#include "traces/trace_file.hpp"

namespace equipoise::h200_test {
namespace {

/// A recording, and a workload whose blocks it has: the one that was recorded, or half of it.
struct Recording {
  std::string name;
  std::string workload;
};

const Recording recordings[] = {
    {"h200-blackscholes", "blackscholes:options=1e7,iterations=5"},
    {"h200-binomial", "binomial:options=3e5,steps=1000"},
    {"h200-mandelbrot", "mandelbrot:width=4096,height=4096,max_iterations=4000"},
    {"h200-kmeans", "kmeans:points=1.5e5,iterations=3"},
    {"h200-fft2d", "fft2d:transforms=96"},
    {"h200-taylor", "taylor:points=1e7"},
    {"h200-parts-matmul", "matmul:n=6144"},
    {"h200-parts-nbody", "nbody:bodies=131072"},
    {"h200-parts-grn", "grn:genes=2e4"}};

/// The link `id` of a platform file; none: it has no such link.
std::optional<CopySpeed> link_of(const std::string& platform, const std::string& id) {
  const std::regex link("<link id=\"" + id + "\" bandwidth=\"([^\"]*)Bps\" latency=\"([^\"]*)s\"");
  std::smatch found;
  if (!std::regex_search(platform, found, link)) return {};
  return CopySpeed{Seconds{std::stod(found[2])}, std::stod(found[1])};
}

TEST(H200, LinksAreTheLinesThroughTheCopiesOfTheTraces) {
  for (const Recording& recording : recordings) {
    SCOPED_TRACE(recording.name);
    const Trace trace = read_trace(repository() / ("traces/" + recording.name + ".jsonl"), nullptr);
    const std::string platform = read_text(repository() / ("platforms/" + recording.name + ".xml"));
    for (std::uint32_t u = 0; u < trace.units.size(); ++u) {
      const std::string& name = trace.units[u].name;
      const std::string link = name == "gpu" ? "cuda:0" : name;
      const CopySpeeds copies = copy_speeds_of(trace, u, Workload{});
      const auto expect = [&](const std::optional<CopySpeed>& line, const std::string& id) {
        SCOPED_TRACE(id);
        const std::optional<CopySpeed> written = link_of(platform, id);
        ASSERT_TRUE(written.has_value());
        // nbody copies nothing in: a link that costs nothing.
        const CopySpeed wanted = line.value_or(CopySpeed{Seconds{}, 1e15});
        EXPECT_NEAR(written->bandwidth_bytes_per_s, wanted.bandwidth_bytes_per_s, 1.0);
        EXPECT_NEAR(written->latency.value, wanted.latency.value, 1e-12);
      };
      expect(copies.in, "RAM-" + link);
      expect(copies.out, link + "-RAM");
    }
  }
}

// The star is at the fastest policy. No block is larger or smaller than the recorded ones.
TEST(H200, EveryRecordingIsSimulatedWithoutAGpu) {
  for (const Recording& recording : recordings) {
    SCOPED_TRACE(recording.name);
    const ProgramRun run = run_equipoise(
        {"compare", "--quiet", "--platform", "platforms/" + recording.name + ".xml", "--trace",
         "traces/" + recording.name + ".jsonl", "--workload", recording.workload, "--policy",
         "greedy,equipoise", "--reps", "1", "--best-known", "off"});
    EXPECT_EQ(run.exit_code, 0) << run.err;
    EXPECT_EQ(run.out.find("outside"), std::string::npos) << run.out;
    EXPECT_NE(run.out.find("equipoise  sim       *"), std::string::npos) << run.out;
  }
}

}  // namespace
}  // namespace equipoise::h200_test
