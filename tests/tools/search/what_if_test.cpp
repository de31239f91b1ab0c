// Tests of what other speeds, links and overheads make of the order of policies, on machines whose
// makespans are worked out by hand.
#include "tools/search/what_if.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/refusal.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tools/simulations/simulations.hpp"
#include "tools/worlds/sim_machine_loading.hpp"

namespace equipoise::what_if_test {
namespace {

/// A CPU on the master, and a GPU behind a link, with blocks of 1000 bytes an item. `gpu_s`: mean
/// times of its blocks by size, in seconds.
class WhatIfMachine : public testing::Test {
 protected:
  SimMachine machine(double bytes_per_s, const std::map<std::string, std::string>& cpu_s,
                     const std::map<std::string, std::string>& gpu_s) {
    options.platform_file = folder.write(
        "p.xml",
        "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
        "<platform version=\"4.1\"><zone id=\"z\" routing=\"Full\">"
        "<host id=\"ram\" speed=\"1Gf\"><prop id=\"master\" value=\"true\"/></host>"
        "<host id=\"cpu\" speed=\"1Gf\"/><host id=\"gpu\" speed=\"1Gf\"/>"
        "<link id=\"bus\" bandwidth=\"" +
            std::to_string(bytes_per_s) +
            "Bps\" latency=\"0s\"/><link id=\"local\" bandwidth=\"1e15Bps\" latency=\"0s\"/>"
            "<route src=\"ram\" dst=\"gpu\"><link_ctn id=\"bus\"/></route>"
            "<route src=\"ram\" dst=\"cpu\"><link_ctn id=\"local\"/></route></zone></platform>\n");
    std::string trace =
        R"({"schema":"equipoise.trace/1","source":"modelled","kernel":"k","item":"thing",)"
        R"("provenance":"a test","machine":{},"dispatch_s":0,"units":[{"id":"cpu","kind":"cpu"},)"
        R"({"id":"gpu","kind":"gpu","model":"M"}]})"
        "\n";
    for (const auto& [unit, times] : {std::pair{"cpu", cpu_s}, std::pair{"gpu", gpu_s}}) {
      for (const auto& [items, seconds] : times) {
        trace += std::string(R"({"unit":")") + unit + R"(","items":)" + items + R"(,"compute_s":)" +
                 seconds + "}\n";
      }
    }
    options.trace_files = {folder.write("k.jsonl", trace)};
    options.workloads = {"k:items=1000,in_bytes_per_item=1000"};
    options.noise = false;
    return load_sim_machine(options);
  }

  /// What changes by 30 % make of all items on the CPU, and of all on the GPU in one block, which
  /// is the faster one.
  [[nodiscard]] std::map<std::string, std::pair<std::string, double>> changes_of(
      const SimMachine& of) const {
    const WhatIf found =
        simulate_changes(of, {parse_policy("fixed:shares=1/0"), parse_policy("fixed:shares=0/1")},
                         "fixed:shares=0/1", 0.3, options);
    std::map<std::string, std::pair<std::string, double>> changes;
    for (const WhatIfChange& change : found.changes) {
      EXPECT_FALSE(change.may_be_chance);
      changes[change.change] = {change.fastest, change.ratio.value()};
    }
    return changes;
  }

  TemporaryFolder folder;
  RunOptions options;
};

TEST_F(WhatIfMachine, ASlowerLinkTurnsTheOrder) {
  // All on the CPU takes 1 s. On the GPU: 1 MB at 2.5 MB/s, then 0.5 s: 0.9 s.
  const auto changes = changes_of(
      machine(2.5e6, {{"1", "0.001"}, {"1000", "1"}}, {{"1", "0.0005"}, {"1000", "0.5"}}));
  ASSERT_EQ(changes.size(), 8U);  // two kinds of units, two links; no overhead
  const auto expect = [&](const std::string& change, const std::string& shares, double ratio) {
    const auto& [fastest, found] = changes.at(change);
    EXPECT_EQ(fastest, "fixed:shares=" + shares) << change;
    EXPECT_NEAR(found, ratio, 1e-6) << change;
  };
  expect("links of 2.50 MB/s 30 % slower", "1/0", 0.5 + 0.4 / 0.7);  // 1.071 s against 1 s
  expect("links of 2.50 MB/s 30 % faster", "0/1", 1.0);
  expect("CPUs 30 % slower", "0/1", 1.0);
  expect("CPUs 30 % faster", "1/0", 0.9 * 1.3);                   // against 1 s / 1.3
  expect("GPUs of model M 30 % slower", "1/0", 0.5 / 0.7 + 0.4);  // 1.114 s
  expect("GPUs of model M 30 % faster", "0/1", 1.0);
}

TEST_F(WhatIfMachine, NothingTurnsAClearOrder) {
  const SimMachine clear =
      machine(1e9, {{"1", "0.003"}, {"1000", "3"}}, {{"1", "0.0005"}, {"1000", "0.5"}});
  for (const auto& [change, fastest] : changes_of(clear)) {
    EXPECT_EQ(fastest.first, "fixed:shares=0/1") << change;
  }
}

TEST_F(WhatIfMachine, AnOverheadIsWhatABlockTakesLongerThanAtTheSpeedOfTheLargest) {
  // The GPU's largest blocks take 1.2 ms an item. One of 10 items takes 18 ms longer than 12 ms;
  // one of 50 items is faster than that and stays as it is.
  const SimMachine of = machine(1e9, {{"1", "0.001"}, {"100", "0.1"}},
                                {{"10", "0.030"}, {"50", "0.05"}, {"100", "0.12"}});
  std::map<std::string, std::vector<double>> times_s;
  for (const ChangedMachine& changed : changed_machines(of, 0.3)) {
    for (const TraceSample& sample : changed.machine.inputs->traces.front().samples) {
      if (sample.unit == 1) times_s[changed.change].push_back(sample.compute_mean_s);
    }
  }
  EXPECT_FALSE(times_s.contains("overhead of small blocks on CPUs 30 % higher"));
  const auto expect = [&](const std::string& change, const std::vector<double>& expected_s) {
    const std::vector<double>& found_s = times_s[change];  // by spelled size: 10, 100, 50
    ASSERT_EQ(found_s.size(), expected_s.size()) << change;
    for (std::size_t i = 0; i < found_s.size(); ++i) {
      EXPECT_NEAR(found_s[i], expected_s[i], 1e-12) << change;
    }
  };
  expect("overhead of small blocks on GPUs of model M 30 % higher", {0.0354, 0.12, 0.05});
  expect("overhead of small blocks on GPUs of model M 30 % lower", {0.0246, 0.12, 0.05});
  expect("GPUs of model M 30 % slower", {0.03 / 0.7, 0.12 / 0.7, 0.05 / 0.7});
}

TEST(WhatIfSentence, NamesOnlyChangesThatCertainlyHaveAnotherFastestPolicy) {
  WhatIf found{0.3, "a", 5, {{"all links 30 % slower", "a", 1.0, false}}};
  const std::string stays =
      "The fastest policy (a) stays the fastest if speeds, links or the overhead of small blocks "
      "are 30 % higher or lower, one at a time";
  found.changes.push_back({"CPUs 30 % faster", "b", 1.01, true});
  EXPECT_EQ(sentence_of(found), stays + ".");
  found.changes.push_back({"GPUs of model M 30 % slower", "b", 1.04, false});
  found.changes.push_back({"CPUs 30 % slower", "c", std::nullopt, false});
  EXPECT_EQ(sentence_of(found),
            stays +
                ", except: GPUs of model M 30 % slower: b (by 4 %); CPUs 30 % slower: c (a "
                "does not complete its runs).");
}

}  // namespace
}  // namespace equipoise::what_if_test
