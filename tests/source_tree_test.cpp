// Reads the source tree and fails if a rule of the architecture is broken.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "tests/support/places.hpp"

namespace {

namespace fs = std::filesystem;
using equipoise::repository;

/// A source file: its path from the repository root and its lines.
struct Source {
  std::string path;
  std::vector<std::string> lines;
};

bool starts_with(const std::string& text, const std::string& start) {
  return text.rfind(start, 0) == 0;
}

const std::vector<std::string> folders = {"shared_policies", "sim",   "real", "traces",
                                          "platforms",       "tools", "tests"};

std::vector<Source> read_sources() {
  std::vector<Source> all;
  for (const std::string& folder : folders) {
    for (const auto& entry : fs::recursive_directory_iterator(repository() / folder)) {
      const std::string ending = entry.path().extension();
      if (ending != ".cpp" && ending != ".hpp" && ending != ".cu") continue;
      Source source{fs::relative(entry.path(), repository()).string(), {}};
      std::ifstream file(entry.path());
      for (std::string line; std::getline(file, line);) source.lines.push_back(line);
      all.push_back(std::move(source));
    }
  }
  return all;
}

const std::vector<Source>& sources() {
  static const std::vector<Source> all = read_sources();
  return all;
}

/// Fails for every line that matches `pattern` in files for which `applies` returns true.
template <class Applies>
void expect_none(const std::string& pattern, const std::string& why, Applies&& applies) {
  const std::regex forbidden(pattern);
  for (const Source& source : sources()) {
    if (!applies(source.path) || source.path == "tests/source_tree_test.cpp") continue;
    for (std::size_t i = 0; i < source.lines.size(); ++i) {
      EXPECT_FALSE(std::regex_search(source.lines[i], forbidden))
          << source.path << ":" << i + 1 << ": " << why << ": " << source.lines[i];
    }
  }
}

const auto anywhere = [](const std::string&) { return true; };

/// Fails if no source begins with `place`: a rule for it would hold for nothing.
void expect_there(const std::string& place) {
  EXPECT_TRUE(std::ranges::any_of(
      sources(), [&](const Source& source) { return starts_with(source.path, place); }))
      << "a rule is about " << place << ", which is not there";
}

auto inside(const std::string& folder) {
  expect_there(folder);
  return [folder](const std::string& path) { return starts_with(path, folder); };
}

auto outside(const std::vector<std::string>& places) {
  for (const std::string& place : places) expect_there(place);
  return [places](const std::string& path) {
    return std::none_of(places.begin(), places.end(),
                        [&](const std::string& place) { return starts_with(path, place); });
  };
}

/// The headers of ours that `path` includes, directly or through other headers.
const std::set<std::string>& included_by(const std::string& path) {
  static const std::map<std::string, std::vector<std::string>> direct = [] {
    std::map<std::string, std::vector<std::string>> found;
    const std::regex include("^#include \"([^\"]+)\"");
    for (const Source& source : sources()) {
      std::vector<std::string>& headers = found[source.path];
      for (const std::string& line : source.lines) {
        std::smatch match;
        if (std::regex_search(line, match, include)) headers.push_back(match[1]);
      }
    }
    return found;
  }();
  static std::map<std::string, std::set<std::string>> known;
  const auto [found, is_new] = known.try_emplace(path);
  std::set<std::string>& all = found->second;
  if (!is_new) return all;
  std::vector<std::string> open = {path};
  while (!open.empty()) {
    const auto headers = direct.find(open.back());
    open.pop_back();
    if (headers == direct.end()) continue;
    for (const std::string& header : headers->second) {
      if (all.insert(header).second) open.push_back(header);
    }
  }
  return all;
}

/// Fails for every source inside `folder` that includes a header matching `pattern`, itself or
/// through other headers.
void expect_knows_none(const std::string& folder, const std::string& pattern,
                       const std::string& why) {
  expect_there(folder);
  const std::regex forbidden("^(" + pattern + ")");
  for (const Source& source : sources()) {
    if (!starts_with(source.path, folder)) continue;
    for (const std::string& header : included_by(source.path)) {
      EXPECT_FALSE(std::regex_search(header, forbidden))
          << source.path << " knows " << header << ", itself or through what it includes: " << why;
    }
  }
}

TEST(SourceTree, SharedPoliciesKnowNobody) {
  expect_knows_none("shared_policies/", "(sim|real|traces|platforms|tools|tests)/",
                    "policies are the same in every world");
}

TEST(SourceTree, SharedPoliciesHaveNoClockThreadChanceOrOutput) {
  expect_none(
      "std::chrono|<chrono>|<thread>|std::thread|<mutex>|std::mutex|std::async|random_device|"
      "unordered_|std::cout|getenv|<fstream>",
      "it would no longer be a deterministic function of its events", inside("shared_policies/"));
}

TEST(SourceTree, FoldersOfTheStarDoNotKnowOneAnother) {
  const std::vector<std::string> points = {"traces", "platforms", "sim", "real"};
  for (const std::string& folder : points) {
    for (const std::string& other : points) {
      if (other == folder) continue;
      // The folder files/ inside another folder, which opens files, may be included by all.
      expect_knows_none(folder + "/", other + "/(?!files/)", "they meet in tools/ only");
    }
    expect_knows_none(folder + "/", "(tools|tests)/", "these use it");
  }
}

TEST(SourceTree, PoliciesRunModelFitAndSolveKeepTheirOrder) {
  const std::string in = "shared_policies/";
  expect_knows_none(in + "model/", in + "(machine|run|fit|solve|policies)/", "depends on nothing");
  expect_knows_none(in + "machine/", in + "(run|fit|solve|policies)/", "depends on model/");
  expect_knows_none(in + "run/", in + "(fit|solve|policies)/", "depends on model/ and machine/");
  expect_knows_none(in + "fit/", in + "(run|solve|policies)/", "depends on model/ and machine/");
  expect_knows_none(in + "solve/", in + "(run|policies)/", "depends on fit/, model/ and machine/");
}

TEST(SourceTree, FoldersOfToolsKeepTheirOrder) {
  // Each may know those before it. Pages, exports, guards and sweeps show what is reported.
  const std::vector<std::string> order = {"console", "runs",   "simulations", "search",
                                          "worlds",  "report", "page",        "exports",
                                          "guard",   "sweep",  "commands",    "loop"};
  for (std::size_t i = 0; i < order.size(); ++i) {
    for (std::size_t later = i + 1; later < order.size(); ++later) {
      expect_knows_none("tools/" + order[i] + "/", "tools/" + order[later] + "/",
                        "it comes later in the order of folders");
    }
  }
  for (const Source& source : sources()) {
    if (!starts_with(source.path, "tools/") || source.path == "tools/main.cpp") continue;
    const std::string folder = *std::next(fs::path(source.path).begin());
    const bool has_a_place =
        folder == "new_policy" || std::ranges::find(order, folder) != order.end();
    EXPECT_TRUE(has_a_place) << source.path << ": the folder has no place in the order";
  }
}

TEST(SourceTree, PoliciesDoNotKnowTheTruthOfTheMachine) {
  const std::vector<std::string> truth = {
      "shared_policies/machine/", "shared_policies/fit/timing_curve.hpp",
      "shared_policies/fit/copy_fit.hpp", "shared_policies/solve/lower_bound.hpp"};
  for (const Source& source : sources()) {
    if (!starts_with(source.path, "shared_policies/policies/")) continue;
    for (const std::string& header : included_by(source.path)) {
      for (const std::string& forbidden : truth) {
        EXPECT_FALSE(starts_with(header, forbidden))
            << source.path << " knows " << header << ", itself or through what it includes";
      }
    }
  }
}

TEST(SourceTree, SimGridIsKnownToTheModuleTheBareProgramAndOneTestOnly) {
  expect_none("#include <(simgrid|xbt)/", "a global engine, and MPI's names: module files only",
              outside({"sim/alarm.cpp", "sim/platform_probe.cpp", "sim/sim_executor.cpp",
                       "sim/simgrid_engine.cpp", "sim/stage_activities.cpp",
                       "tests/bench/bare_simgrid.cpp", "tests/sim/energy_test.cpp"}));
}

TEST(SourceTree, SimGridIpoptClpAndOpenBlasAreLinkedWithModulesOnly) {
  // The benchmark compares kernels with OpenBLAS itself.
  const std::regex links_them(
      "target_link_libraries\\((\\w+)[^)]*PkgConfig::(SIMGRID|IPOPT|CLP|OPENBLAS)");
  const std::set<std::string> modules = {"equipoise_simgrid", "equipoise_bare_simgrid",
                                         "equipoise_ipopt",   "equipoise_clp",
                                         "equipoise_blas",    "equipoise_bench"};
  std::size_t found = 0;
  for (const std::string& folder : folders) {
    for (const auto& entry : fs::recursive_directory_iterator(repository() / folder)) {
      const std::string name = entry.path().filename();
      if (name != "CMakeLists.txt" && entry.path().extension() != ".cmake") continue;
      std::ifstream file(entry.path());
      const std::string text{std::istreambuf_iterator<char>(file), {}};
      for (std::sregex_iterator at(text.begin(), text.end(), links_them), end; at != end; ++at) {
        EXPECT_TRUE(modules.contains((*at)[1])) << entry.path() << ": " << (*at)[1];
        ++found;
      }
    }
  }
  EXPECT_EQ(found, modules.size());
}

TEST(SourceTree, IpoptIsKnownToOneFile) {
  expect_none("#include <(coin/|coin-or/)?Ip[A-Z]", "one place",
              outside({"shared_policies/solve/ipopt_solver.cpp"}));
}

TEST(SourceTree, UsersFilesAreOpenedInOnePlaceThatRemembersThem) {
  // A sweep's own points are read and written. Files of the system have their names in the source,
  // or in the folder that shows meters.
  expect_none("ifstream \\w+[({](?!\")|\\bfopen\\(|\\bfreopen\\(",
              "open inputs with traces/files/input_file.hpp, so that no output overwrites them",
              outside({"traces/files/", "tools/sweep/point_store.cpp", "real/meters/powercap.cpp",
                       "tests/"}));
}

TEST(SourceTree, JsonIsKnownToReadersAndWritersOnlyAndToTheirHeadersByName) {
  expect_none("#include <nlohmann/", "only traces and tools read and write JSON",
              outside({"traces/", "tools/", "tests/"}));
  expect_none("#include <nlohmann/(?!json_fwd\\.hpp>)|#include \"traces/json_record\\.hpp",
              "seconds of compile time: .cpp files only", [](const std::string& path) {
                return fs::path(path).extension() == ".hpp" && !starts_with(path, "tests/") &&
                       path != "traces/json_record.hpp";
              });
}

TEST(SourceTree, OnlyCommandsMainAndLoopsIncludeCommands) {
  expect_none("#include \"tools/commands/",
              "what several parts need is in another folder of tools/",
              outside({"tools/commands/", "tools/main.cpp", "tools/loop/"}));
}

TEST(SourceTree, TheCommandLineLibraryIsKnownToTheCommandLineOnly) {
  expect_none("#include <CLI/", "seconds of compile time", [](const std::string& path) {
    return path != "tools/commands/command_options.hpp" &&
           (!starts_with(path, "tools/commands/command_line") ||
            fs::path(path).extension() == ".hpp");
  });
}

TEST(SourceTree, CudaAndMpiHaveOneFolderEach) {
  expect_none("#include <(cuda|cublas|cufft)", "one place, and the stand-in for its library",
              outside({"real/cuda/", "tests/support/gpu/fake_cuda"}));
  expect_none("#include <mpi\\.h>", "MPI belongs to real/mpi",
              outside({"real/mpi/", "tests/bench/bare_mpi.cpp"}));
  expect_none("#include \"real/cuda/", "GPUs of other makers use it, too", inside("real/gpu/"));
}

TEST(SourceTree, MetersAreReadInOneFolder) {
  const auto elsewhere = outside({"real/meters/", "tests/real/meters/",
                                  "tests/support/gpu/fake_nvml", "tests/support/metered_machine"});
  expect_none("libnvidia-ml|\\bnvml[A-Z]", "one place, and the stand-in for NVML", elsewhere);
  expect_none("/sys/class/powercap|energy_uj", "one place", elsewhere);
}

TEST(SourceTree, NoArrayIsIndexedByAKind) {
  expect_none("static_cast<std::size_t>\\(([a-z_.]*[._])?kind\\)",
              "an array has no place for a kind that is added later; take a map", anywhere);
}

TEST(SourceTree, HasNoConditionalCompilation) {
  expect_none("^\\s*#\\s*(if|ifdef|ifndef)\\b", "CMake chooses a file, not a branch in the text",
              anywhere);
}

TEST(SourceTree, HeadersUsePragmaOnceAndIncludesStartAtTheRoot) {
  for (const Source& source : sources()) {
    if (fs::path(source.path).extension() != ".hpp") continue;
    EXPECT_NE(std::find(source.lines.begin(), source.lines.end(), "#pragma once"),
              source.lines.end())
        << source.path;
  }
  expect_none("#include \"(?!(shared_policies|sim|real|traces|platforms|tools|tests)/)",
              "write includes from the repository root", anywhere);
}

TEST(SourceTree, EveryFileSaysWhatItIsFor) {
  for (const Source& source : sources()) {
    ASSERT_FALSE(source.lines.empty()) << source.path;
    EXPECT_TRUE(starts_with(source.lines.front(), "//")) << source.path << ": no opening comment";
  }
}

TEST(SourceTree, FilesAreShort) {
  for (const Source& source : sources()) {
    EXPECT_LE(source.lines.size(), 800u)
        << source.path << ": longer than 800 lines; split it by subject";
  }
}

// clang-format breaks code, but no comments.
TEST(SourceTree, CommentsHaveAtMost100Columns) {
  for (const Source& source : sources()) {
    for (const std::string& line : source.lines) {
      const bool is_comment =
          line.find("//") != std::string::npos && line.find('"') == std::string::npos;
      EXPECT_FALSE(is_comment && line.size() > 100) << source.path << ": " << line;
    }
  }
}

TEST(SourceTree, NamesSayWhatThingsAre) {
  const std::regex vague("(^|[_/])(util|utils|common|helper|helpers|manager|base|impl)([_.]|$)");
  for (const Source& source : sources()) {
    EXPECT_FALSE(std::regex_search(source.path, vague)) << source.path;
  }
}

TEST(SourceTree, LeavesNothingUnfinished) {
  expect_none("\\b(TODO|FIXME|XXX)\\b", "finish it, or open an issue", anywhere);
  expect_none("DISABLED_|EXPECT_TRUE\\(true\\)|ASSERT_TRUE\\(true\\)",
              "a test that never runs or cannot fail", inside("tests/"));
}

}  // namespace
