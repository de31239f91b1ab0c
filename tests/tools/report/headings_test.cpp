// A test that `equipoise explain` knows all headings of the tables that commands print.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "tests/support/program.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tools/report/glossary.hpp"

namespace equipoise::headings_test {
namespace {

/// Where a column begins in a line of UTF-8.
std::size_t byte_of_column(const std::string& line, std::size_t column) {
  std::size_t byte = 0;
  for (; column > 0 && byte < line.size(); --column) {
    do ++byte;
    while (byte < line.size() && (static_cast<unsigned char>(line[byte]) & 0xC0U) == 0x80U);
  }
  return byte;
}

/// The headings of all tables in `text`: the lines above lines of dashes, cut where columns begin.
std::vector<std::string> headings_in(const std::string& text) {
  std::vector<std::string> headings;
  std::string above;
  for (const std::string& line : lines_of(text)) {
    if (line.starts_with("--") && line.find_first_not_of("- ") == std::string::npos) {
      for (std::size_t at = 0; at < line.size();) {
        const std::size_t end = std::min(line.find(' ', at), line.size());
        const std::size_t begin = byte_of_column(above, at);
        const std::string cell = above.substr(begin, byte_of_column(above, end) - begin);
        const std::size_t first = cell.find_first_not_of(' ');
        if (first != std::string::npos) {
          headings.push_back(cell.substr(first, cell.find_last_not_of(' ') - first + 1));
        }
        at = line.find_first_not_of(' ', end);
      }
    }
    above = line;
  }
  return headings;
}

/// What a command prints, which must succeed.
std::string printed(const std::vector<std::string>& words) {
  const ProgramRun run = run_equipoise(words);
  EXPECT_EQ(run.exit_code, 0) << words.front() << ": " << run.err;
  return run.out;
}

TEST(Headings, AreAllExplained) {
  const TemporaryFolder scratch;
  const std::vector<std::string> machine = {"--platform", "platforms/sirocco.xml", "--trace",
                                            "traces/sirocco-dgemm.jsonl"};
  const auto of = [&](const std::string& command, const std::vector<std::string>& more) {
    return with(with({command}, machine), more);
  };
  const std::string load = "starpu_dgemm_gemm:items=1e5";
  const std::string run = scratch.path("run.jsonl");
  const std::string cmp = scratch.path("cmp");
  const std::vector<std::vector<std::string>> commands = {
      of("simulate", {"--workload", load, "--workload", load, "--policy", "gss"}),
      of("simulate", {"--workload", load, "--policy", "gss", "--out", run, "--scenario",
                      scratch.write("s.json", R"({"schema":"equipoise.scenario/1","events":[)"
                                              R"({"at_s":0.01,"unit":"cuda0","kind":"fail"}]})")}),
      {"show", run},
      of("optimum", {"--workload", load}),
      {"optimum", "--objective", "pareto", "--platform", "platforms/gtx-950-taylor.xml", "--trace",
       "traces/energy-taylor.jsonl", "--workload", "taylor:items=1e5"},
      of("compare", {"--workload", load, "--policy", "gss,plb-hec", "--reps", "2", "--best-known",
                     "off", "--out", cmp}),
      {"diff", cmp, cmp},
      {"run", "--unit", "cpu", "--workload", "blackscholes:options=1e4", "--policy", "gss",
       "--meters", "off"},
      {"list", "policies"},
      {"list", "kernels"},
      {"list", "units"},
      {"list", "devices"},
      {"platform", "show", "platforms/sirocco.xml"},
      {"trace", "show", "traces/sirocco-dgemm.jsonl"},
      {"validate", "--unit", "cpu", "--workload", "blackscholes:options=1e4", "--policy", "gss",
       "--reps", "2", "--seconds-max", "0.05", "--meters", "off", "--out", scratch.path("v")}};
  std::set<std::string> headings;
  for (const auto& command : commands) {
    for (const std::string& heading : headings_in(printed(command))) headings.insert(heading);
  }
  EXPECT_GT(headings.size(), 50U);
  for (const std::string& heading : headings) {
    EXPECT_NO_THROW({
      const std::vector<Term> found = find_terms(heading);
      EXPECT_LE(found.size(), 2U) << heading;
    }) << heading;
  }
}

}  // namespace
}  // namespace equipoise::headings_test
