// Tests of energy-alpha and the ideal split on the committed machines of the energy paper. Every
// run must spend the energy that the closed forms give.
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/energy_paper.hpp"
#include "tests/support/places.hpp"
#include "tests/support/program.hpp"
#include "tests/support/temporary_folder.hpp"

namespace equipoise::energy_paper_test {
namespace {

using Json = nlohmann::json;

constexpr double items = 50'000.0;

class PaperPlatform : public testing::TestWithParam<PaperRow> {
 protected:
  static std::string cpu() { return std::string(GetParam().machine) + ".cpu"; }
  static std::string trace() {
    return std::string("traces/energy-") + GetParam().benchmark + ".jsonl";
  }

  static ProgramRun run(const std::string& command, const std::vector<std::string>& more) {
    const PaperRow& row = GetParam();
    std::vector<std::string> words = {
        command,
        "--platform",
        std::string("platforms/") + row.machine + "-" + row.benchmark + ".xml",
        "--trace",
        trace(),
        "--workload",
        row.benchmark + std::string(":items=50000"),
        "--noise",
        "off",
        "--dispatch-cost",
        "0"};
    words.insert(words.end(), more.begin(), more.end());
    return run_equipoise(words);
  }

  /// W / S_C in seconds: the time of the CPU alone.
  static double cpu_alone_s() {
    for (const std::string& line : lines_of(read_text(repository() / trace()))) {
      const Json sample = Json::parse(line);
      if (sample.contains("unit") && sample.at("unit") == cpu()) {
        const Json& compute = sample.at("compute_s");
        const double seconds =
            compute.is_object() ? compute.at("mean").get<double>() : compute.get<double>();
        return items * seconds / sample.at("items").get<double>();
      }
    }
    ADD_FAILURE() << "no time of " << cpu();
    return 1.0;
  }

  /// The column of a row's energies for the split `alpha`, one of the row's own values.
  static std::size_t column(double alpha) {
    if (alpha == together) return 1;
    return alpha == 0.0 ? 0 : 2;
  }
};

TEST_P(PaperPlatform, IsDividedByEnergyAlphaAsTheClosedFormsSay) {
  const PaperRow& row = GetParam();
  const TemporaryFolder scratch;
  const ProgramRun ran =
      run("compare", {"--policy", "energy-alpha", "--policy", "energy-alpha:objective=energy",
                      "--policy", "energy-alpha:objective=edp,groups=cpu-gpu", "--reps", "1",
                      "--out", scratch.path("out")});
  ASSERT_EQ(ran.exit_code, 0) << ran.err;
  std::map<std::string, Json> results;
  const Json file = Json::parse(read_text(scratch.path("out/results.json")));
  for (const Json& result : file.at("results")) {
    results[result.at("spelling")] = result;
  }
  const double unit_s = cpu_alone_s();
  const auto expect = [&](const std::string& spelling, double alpha) {
    const Json& result = results.at(spelling);
    const double share = alpha == together ? row.alpha_time : alpha;
    EXPECT_NEAR(result.at("share_by_unit").at(cpu()), share, 2e-5) << spelling;
    EXPECT_NEAR(result.at("energy_j").get<double>() / unit_s, row.energy_j[column(alpha)], 0.01)
        << spelling;
  };
  expect("energy-alpha", together);
  expect("energy-alpha:objective=energy", row.energy_alpha);
  expect("energy-alpha:objective=edp,groups=cpu-gpu", row.edp_alpha);
}

TEST_P(PaperPlatform, HasTheIdealSplitOfTheClosedForms) {
  const PaperRow& row = GetParam();
  const double unit_s = cpu_alone_s();
  const Json energy = Json::parse(run("optimum", {"--objective", "energy", "--json"}).out);
  EXPECT_NEAR(energy.at("best").at("energy_j").get<double>() / unit_s,
              row.energy_j[column(row.energy_alpha)], 0.01);
  const Json edp = Json::parse(run("optimum", {"--objective", "edp", "--json"}).out);
  const double expected = row.edp_js[column(row.edp_alpha)];
  EXPECT_NEAR(edp.at("best").at("edp_js").get<double>() / (unit_s * unit_s), expected,
              2e-4 * expected);
}

INSTANTIATE_TEST_SUITE_P(Rows, PaperPlatform, testing::ValuesIn(paper_rows), [](const auto& test) {
  std::string name = std::string(test.param.machine) + "_" + test.param.benchmark;
  std::erase(name, '-');
  return name;
});

}  // namespace
}  // namespace equipoise::energy_paper_test
