// Tests of energy in the program: a platform with watts, energy-alpha, results and refusals.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/program.hpp"
#include "tests/support/temporary_folder.hpp"

namespace equipoise::energy_test {
namespace {

using Json = nlohmann::json;

/// A machine of the energy paper: a CPU that does 100 items/s and a GPU, with equal routes to the
/// master.
class PaperMachine : public testing::Test {
 protected:
  /// Watts are given as `idle:busy`; the GPU does `gpu_items_per_s`.
  void write_machine(const std::string& cpu_watts, const std::string& gpu_watts,
                     double gpu_items_per_s, const std::string& kind_of_gpu = "gpu") {
    std::ofstream(scratch_.path("machine.xml"))
        << "<?xml version='1.0'?>\n"
           "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
           "<platform version=\"4.1\"><zone id=\"z\" routing=\"Full\">\n"
           "<host id=\"ram\" speed=\"1Gf\"><prop id=\"master\" value=\"true\"/></host>\n"
           "<host id=\"cpu\" speed=\"1Gf\"><prop id=\"kind\" value=\"cpu\"/>"
           "<prop id=\"wattage_per_state\" value=\""
        << cpu_watts
        << "\"/></host>\n"
           "<host id=\"gpu\" speed=\"1Gf\"><prop id=\"kind\" value=\""
        << kind_of_gpu
        << "\"/>"
           "<prop id=\"wattage_per_state\" value=\""
        << gpu_watts
        << "\"/></host>\n"
           "<link id=\"bus\" bandwidth=\"1GBps\" latency=\"0s\" sharing_policy=\"FATPIPE\"/>\n"
           "<route src=\"ram\" dst=\"cpu\"><link_ctn id=\"bus\"/></route>\n"
           "<route src=\"ram\" dst=\"gpu\"><link_ctn id=\"bus\"/></route>\n"
           "</zone></platform>\n";
    std::ofstream(scratch_.path("times.jsonl"))
        << R"({"schema":"equipoise.trace/1","source":"modelled","kernel":"work","item":"item",)"
        << R"("dispatch_s":0,"units":[{"id":"cpu","kind":"cpu"},{"id":"gpu","kind":"gpu"}]})"
        << "\n"
        << R"({"unit":"cpu","items":1,"compute_s":0.01})"
        << "\n"
        << R"({"unit":"cpu","items":10000,"compute_s":100})"
        << "\n"
        << R"({"unit":"gpu","items":1,"compute_s":)" << 1.0 / gpu_items_per_s << "}\n"
        << R"({"unit":"gpu","items":10000,"compute_s":)" << 1e4 / gpu_items_per_s << "}\n";
  }

  ProgramRun run(const std::string& command, const std::vector<std::string>& more) {
    std::vector<std::string> words = {command,
                                      "--platform",
                                      scratch_.path("machine.xml"),
                                      "--trace",
                                      scratch_.path("times.jsonl"),
                                      "--workload",
                                      "work:items=10000",
                                      "--dispatch-cost",
                                      "0"};
    words.insert(words.end(), more.begin(), more.end());
    return run_equipoise(words);
  }

  TemporaryFolder scratch_;
};

TEST_F(PaperMachine, SpendsWhatThePaperForetellsForEveryObjective) {
  write_machine("50:100", "16.5:44", 313.70);  // Kepler 324, NBody
  const ProgramRun run =
      this->run("compare", {"--policy", "energy-alpha", "--policy", "energy-alpha:objective=energy",
                            "--policy", "energy-alpha:objective=edp,groups=cpu-gpu", "--reps", "1",
                            "--out", scratch_.path("out")});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_NE(run.out.find("gpu J"), std::string::npos) << run.out;
  const Json results = Json::parse(read_text(scratch_.path("out/results.json")));
  std::map<std::string, Json> by_spelling;
  for (const Json& result : results.at("results")) by_spelling[result.at("spelling")] = result;
  // From section 10.1 of the recomputed tables, with W / S_C = 100 s: together 3480.8 J, the GPU
  // alone 2996.5 J. The EDP is least if both end together.
  const Json& time = by_spelling.at("energy-alpha");
  const Json& energy = by_spelling.at("energy-alpha:objective=energy");
  const Json& edp = by_spelling.at("energy-alpha:objective=edp,groups=cpu-gpu");
  EXPECT_NEAR(time.at("energy_j"), 3480.8, 0.5);
  EXPECT_NEAR(time.at("makespan_s").at("mean"), 24.172, 0.01);
  EXPECT_NEAR(energy.at("energy_j"), 2996.5, 0.1);
  EXPECT_NEAR(energy.at("energy_by_unit_j").at("cpu"), 50 * 1e4 / 313.7, 0.01);
  EXPECT_NEAR(energy.at("energy_by_unit_j").at("gpu"), 44 * 1e4 / 313.7, 0.01);
  EXPECT_EQ(edp.at("energy_j"), time.at("energy_j"));
  EXPECT_NE(read_text(scratch_.path("out/report.html")).find("The energy of each unit"),
            std::string::npos);
}

TEST_F(PaperMachine, SaysInTheRunFileWhatEveryUnitSpent) {
  write_machine("50:100", "16.5:44", 313.70);
  const ProgramRun run =
      this->run("simulate", {"--policy", "greedy", "--out", scratch_.path("run.jsonl")});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_NE(run.out.find("energy J"), std::string::npos) << run.out;
  const std::vector<std::string> lines = lines_of(read_text(scratch_.path("run.jsonl")));
  const Json header = Json::parse(lines.front());
  const Json summary = Json::parse(lines.back());
  double all_j = 0.0;
  for (const Json& unit : header.at("units")) {
    double computing_s = 0.0;
    for (const std::string& line : lines) {
      const Json record = Json::parse(line);
      if (record.contains("first_item") && record.at("unit") == unit.at("id")) {
        computing_s += record.at("compute_s").get<double>();
      }
    }
    const double idle_w = unit.at("idle_w");
    const double energy_j = idle_w * summary.at("makespan_s").get<double>() +
                            (unit.at("busy_w").get<double>() - idle_w) * computing_s;
    EXPECT_NEAR(summary.at("by_unit").at(unit.at("id")).at("energy_j"), energy_j, 1e-6);
    all_j += energy_j;
  }
  EXPECT_NEAR(summary.at("energy_j"), all_j, 1e-6);
}

TEST_F(PaperMachine, HasAnIdealSplitForEveryObjective) {
  write_machine("50:100", "16.5:44", 313.70);
  const auto optimum = [&](const std::string& objective) {
    const ProgramRun run = this->run("optimum", {"--objective", objective, "--json"});
    EXPECT_EQ(run.exit_code, 0) << run.err;
    return Json::parse(run.out);
  };
  const Json energy = optimum("energy");
  EXPECT_NEAR(energy.at("best").at("energy_j"), 2996.5, 0.1);
  EXPECT_EQ(energy.at("best").at("by_unit").at("cpu").at("items"), 0);
  EXPECT_NEAR(energy.at("for_time").at("energy_j"), 3480.8, 0.5);
  const Json edp = optimum("edp");
  EXPECT_NEAR(edp.at("best").at("edp_js"), 84138, 30);
  EXPECT_NEAR(edp.at("best").at("by_unit").at("cpu").at("share"), 0.24172, 1e-4);
  const ProgramRun said = run("optimum", {"--objective", "energy"});
  EXPECT_NE(said.out.find("not used: cpu\n"), std::string::npos) << said.out;
}

TEST_F(PaperMachine, SaysInOneLineWhetherTheCpuIsWorthUsingAsWell) {
  write_machine("50:100", "10:60", 300.0);
  const auto last_line = [&](const std::string& objective) {
    const ProgramRun said = run("optimum", {"--objective", objective});
    EXPECT_EQ(said.exit_code, 0) << said.err;
    return lines_of(said.out).back();
  };
  // The GPU alone needs 1e4 / 300 = 33.33 s, in which the machine takes 50 + 60 W: 3666.7 J. Both
  // need 1e4 / 400 = 25 s at 100 + 60 W: 4.000 kJ.
  EXPECT_EQ(last_line("time"),
            "The CPU is worth using: with it the makespan is 25.00 s, with gpu alone 33.33 s (25 % "
            "less).");
  EXPECT_EQ(last_line("edp"),
            "The CPU is worth using: with it the EDP is 100.0 kJ s, with gpu alone 122.2 kJ s (18 "
            "% less).");
  EXPECT_EQ(last_line("energy"),
            "The CPU is not worth using: gpu alone has the least energy, 3.667 kJ; the fastest "
            "schedule uses it and has 4.000 kJ (9.1 % more).");
  const ProgramRun json = run("optimum", {"--objective", "edp", "--json"});
  const Json without = Json::parse(json.out).at("without");
  EXPECT_EQ(without.at("is_worth_using"), true);
  EXPECT_EQ(without.at("left_out"), Json({"cpu"}));
  EXPECT_EQ(without.at("units"), Json({"gpu"}));
  EXPECT_NEAR(without.at("makespan_s"), 33.333, 0.001);
  EXPECT_NEAR(without.at("energy_j"), 3666.7, 0.1);
  EXPECT_NEAR(without.at("edp_js"), 122222, 5);
  EXPECT_EQ(without.at("answer").get<std::string>(), last_line("edp"));
}

TEST_F(PaperMachine, IsNotWorthItsCpuIfThatTakesTooMuch) {
  // Together 25 s at 500 + 60 W have 350.0 kJ s, the GPU alone 122.2 kJ s.
  write_machine("50:500", "10:60", 300.0);
  const ProgramRun edp = run("optimum", {"--objective", "edp"});
  ASSERT_EQ(edp.exit_code, 0) << edp.err;
  EXPECT_EQ(lines_of(edp.out).back(),
            "The CPU is not worth using: gpu alone has the least EDP, 122.2 kJ s; the fastest "
            "schedule uses it and has 350.0 kJ s (186 % more).");
}

TEST_F(PaperMachine, ComparesUnitsOfOneKindWithTheBestOneAlone) {
  write_machine("50:100", "10:60", 300.0, "cpu");
  const ProgramRun time = run("optimum", {"--objective", "edp"});
  ASSERT_EQ(time.exit_code, 0) << time.err;
  EXPECT_EQ(lines_of(time.out).back(),
            "Several units are worth using: together the EDP is 100.0 kJ s, with gpu alone 122.2 "
            "kJ s (18 % less).");
}

// Four pieces of 2500 items take 25 s each on the CPU, and 2500 / 313.7 = 7.969 s on the GPU. With
// one on the CPU, the run takes 25 s and 25 x 66.5 W + 25 x 50 W + 23.908 x 27.5 W = 3570.0 J; with
// all on the GPU, 31.878 s and 31.878 x 94 W = 2996.5 J. More on the CPU takes more of both.
TEST_F(PaperMachine, HasAFrontOfTimeAndEnergyThatRunsKeepTo) {
  write_machine("50:100", "16.5:44", 313.70);
  const std::string svg = scratch_.path("front.svg");
  const ProgramRun json =
      run("optimum", {"--objective", "pareto", "--pieces", "4", "--json", "--svg", svg});
  ASSERT_EQ(json.exit_code, 0) << json.err;
  const Json front = Json::parse(json.out);
  EXPECT_EQ(front.at("pieces"), 4);
  EXPECT_EQ(front.at("piece_items"), 2500);
  EXPECT_NEAR(front.at("static_w"), 66.5, 1e-9);
  const Json& points = front.at("points");
  ASSERT_EQ(points.size(), 2U);
  EXPECT_EQ(points[0].at("items_by_unit"), Json({{"cpu", 2500}, {"gpu", 7500}}));
  EXPECT_EQ(points[1].at("items_by_unit"), Json({{"cpu", 0}, {"gpu", 10000}}));
  EXPECT_NEAR(points[0].at("makespan_s"), 25.0, 1e-6);
  EXPECT_NEAR(points[0].at("energy_j"), 3570.0, 0.05);
  EXPECT_NEAR(points[0].at("dynamic_j"), 1907.5, 0.05);
  EXPECT_NEAR(points[1].at("makespan_s"), 31.878, 0.001);
  EXPECT_NEAR(points[1].at("energy_j"), 2996.5, 0.05);
  EXPECT_NEAR(points[1].at("edp_js"), 31.878 * 2996.5, 10.0);
  for (const Json& point : points) {
    EXPECT_EQ(point.at("is_beaten_in_all"), false);
    const Json& simulated = point.at("simulated");
    EXPECT_NEAR(simulated.at("makespan_s").get<double>() / point.at("makespan_s").get<double>(),
                1.0, 1e-9);
    EXPECT_NEAR(simulated.at("energy_j").get<double>() / point.at("energy_j").get<double>(), 1.0,
                1e-9);
  }
  EXPECT_NE(read_text(svg).find("work:items=10000: divisions that none beats"), std::string::npos);
  const auto makespan = [&](const std::string& policy) {
    const ProgramRun one = run("simulate", {"--policy", policy, "--noise", "off", "--json"});
    EXPECT_EQ(one.exit_code, 0) << one.err;
    return Json::parse(one.out).at("makespan_s").get<double>();
  };
  EXPECT_NEAR(makespan("pareto:objective=energy,pieces=4"), 31.878, 0.001);
  EXPECT_NEAR(makespan("pareto:objective=energy,pieces=4,slack=0.27"), 25.0, 1e-6);
  EXPECT_NEAR(makespan("pareto:pieces=4"), 25.0, 1e-6);
}

TEST_F(PaperMachine, ShowsItsFrontAsATable) {
  write_machine("50:100", "16.5:44", 313.70);
  const ProgramRun said = run("optimum", {"--objective", "pareto", "--pieces", "4"});
  ASSERT_EQ(said.exit_code, 0) << said.err;
  // 25 s x 3569.98 J = 89249 J s, and 31.8776 s x 2996.5 J = 95521 J s.
  const std::string expected =
      R"(makespan s  energy J  EDP J s  simulated s  simulated J  least      shares
----------  --------  -------  -----------  -----------  ---------  ----------------------
25.000        3570.0    89249       25.000       3570.0  time, EDP  cpu 25.0 %, gpu 75.0 %
31.878        2996.5    95521       31.878       2996.5  energy     cpu 0.0 %, gpu 100.0 %

No division into 4 pieces of 2500 items beats one of these in both time and energy, by mean block
times and if nothing else uses a unit's links: each unit gets its share at once.
Simulated, they take 1.000 times this time and 1.000 times this energy.
)";
  EXPECT_EQ(lines_of(said.out), lines_of(expected));
  // 256 pieces: the fastest has the least EDP, too, and is one of 19 that are spread evenly.
  const ProgramRun fine = run("optimum", {"--objective", "pareto"});
  EXPECT_EQ(lines_of(fine.out).size(), 2U + 19U + 5U) << fine.out;
  EXPECT_NE(fine.out.find(" more lie between those that are shown; --json and --svg have them."),
            std::string::npos);
}

TEST_F(PaperMachine, RefusesAFrontOfSeveralWorkloadsAndOptionsThatAreOfAFrontAlone) {
  write_machine("50:100", "16.5:44", 313.70);
  EXPECT_EQ(run("optimum", {"--objective", "pareto", "--workload", "work:items=10"}).err,
            "equipoise: error: --workload: a front is of one workload, and several are given; give "
            "each a command of its own\n");
  EXPECT_EQ(run("optimum", {"--pieces", "4"}).err,
            "equipoise: error: --pieces: is of the front; add --objective pareto\n");
  EXPECT_EQ(run("optimum", {"--objective", "edp", "--svg", "x.svg"}).err,
            "equipoise: error: --svg: is of the front; add --objective pareto\n");
  EXPECT_EQ(run("optimum", {"--objective", "pareto", "--pieces", "0"}).err,
            "equipoise: error: --pieces: give a number of pieces from 1 to 4096\n");
  const ProgramRun refused = run_equipoise(
      {"optimum", "--objective", "pareto", "--platform", "platforms/attila.xml", "--trace",
       "traces/attila-dgemm.jsonl", "--workload", "starpu_dgemm_gemm:items=1e6"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.err.find("--objective pareto needs the idle and busy watts"), std::string::npos)
      << refused.err;
}

TEST_F(PaperMachine, SaysThatTheCpuIsNeededIfTheGpuFails) {
  write_machine("50:100", "16.5:44", 313.70);
  std::ofstream(scratch_.path("fails.json"))
      << R"({"schema":"equipoise.scenario/1","events":[{"at_s":1,"unit":"gpu","kind":"fail"}]})";
  const ProgramRun time = run("optimum", {"--scenario", scratch_.path("fails.json")});
  ASSERT_EQ(time.exit_code, 0) << time.err;
  EXPECT_EQ(lines_of(time.out).back(), "The CPU is needed: gpu alone cannot do all items.");
}

TEST_F(PaperMachine, RefusesAnIdealSplitForEnergyWithoutWatts) {
  const ProgramRun run = run_equipoise({"optimum", "--platform", "platforms/attila.xml", "--trace",
                                        "traces/attila-dgemm.jsonl", "--workload",
                                        "starpu_dgemm_gemm:items=1e6", "--objective", "energy"});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_NE(run.err.find("cuda2"), std::string::npos) << run.err;
}

TEST_F(PaperMachine, SaysThatAUnitWithIdleWattsAloneIsToBeRecordedAlone) {
  write_machine("50:100", "10:60", 300.0);
  std::string xml = read_text(scratch_.path("machine.xml"));
  std::string trace = read_text(scratch_.path("times.jsonl"));
  const auto replace = [](std::string& text, const std::string& old, const std::string& by) {
    for (std::size_t at = text.find(old); at != std::string::npos; at = text.find(old, at + 1)) {
      text.replace(at, old.size(), by);
    }
  };
  replace(xml, "wattage_per_state", "note");
  replace(trace, R"("kind":"cpu")", R"("kind":"cpu","idle_w":50)");
  scratch_.write("machine.xml", xml);
  scratch_.write("times.jsonl", trace);
  EXPECT_EQ(run("optimum", {"--objective", "edp"}).err,
            "equipoise: error: " + scratch_.path("machine.xml") + " and " +
                scratch_.path("times.jsonl") +
                ": --objective edp needs the idle and busy watts of every unit; cpu has idle watts "
                "but no busy watts; record it with --alone; gpu has none; record them where there "
                "are meters, or give its host the property wattage_per_state\n");
  replace(trace, R"("kind":"gpu")", R"("kind":"gpu","idle_w":10,"busy_w":60)");
  scratch_.write("times.jsonl", trace);
  const ProgramRun refused = run("optimum", {"--objective", "edp"});
  EXPECT_TRUE(
      refused.err.ends_with("; cpu has idle watts but no busy watts; record it with "
                            "--alone\n"))
      << refused.err;
}

TEST_F(PaperMachine, IsShownWithItsWatts) {
  write_machine("50:100", "16.5:44", 313.70);
  const ProgramRun shown = run_equipoise({"platform", "show", scratch_.path("machine.xml")});
  ASSERT_EQ(shown.exit_code, 0) << shown.err;
  const std::vector<std::string> lines = lines_of(shown.out);
  EXPECT_NE(lines[2].find("  idle W  busy W  links in"), std::string::npos) << shown.out;
  EXPECT_TRUE(lines[4].ends_with("       -       -")) << shown.out;
  EXPECT_NE(lines[5].find("   50.00   100.0  "), std::string::npos) << shown.out;
  EXPECT_NE(lines[6].find("   16.50   44.00  "), std::string::npos) << shown.out;
  const ProgramRun without = run_equipoise({"platform", "show", "platforms/attila.xml"});
  EXPECT_EQ(without.out.find("idle W"), std::string::npos) << without.out;
}

TEST_F(PaperMachine, RefusesAnEnergyObjectiveWithoutWattsAndNamesTheUnits) {
  const ProgramRun run = run_equipoise(
      {"simulate", "--platform", "platforms/attila.xml", "--trace", "traces/attila-dgemm.jsonl",
       "--workload", "starpu_dgemm_gemm:items=1e6", "--policy", "energy-alpha:objective=edp"});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_TRUE(run.err.starts_with("equipoise: error: --policy: energy-alpha:objective=edp needs"))
      << run.err;
  EXPECT_NE(run.err.find("cuda2"), std::string::npos) << run.err;
}

}  // namespace
}  // namespace equipoise::energy_test
