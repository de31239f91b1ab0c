// Tests of tools/tidy in a small repository, with programs in place of clang-tidy and CMake.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/places.hpp"
#include "tests/support/temporary_folder.hpp"

namespace equipoise::tidy_test {
namespace {

namespace fs = std::filesystem;

/// A repository with sources a.cpp and b.cpp; a.cpp includes a.hpp. The program that stands for
/// clang-tidy notes what it is given: a group of sources as "a.cpp+b.cpp"; a source as "a.cpp" if
/// all checks are made, as "a.cpp:some" if only those that look at one file. It fails for sources
/// that contain "bad", for groups that contain "clash", and for single sources that contain
/// "unused".
class Tidy : public testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(scratch.path("tools"));
    fs::copy_file(repository() / "tools/tidy", scratch.path("tools/tidy"));
    scratch.write("a.hpp", "int a();\n");
    scratch.write("a.cpp", "#include \"a.hpp\"\n");
    scratch.write("b.cpp", "int b();\n");
    scratch.write(".clang-tidy", "Checks: '*'\n");
    script("nproc", "echo 1");
    script("cmake", "true");
    has_targets_for({"a.cpp", "b.cpp"});
    have_clang_tidy("14");
    ASSERT_EQ(run("git init -q . && git add a.hpp a.cpp b.cpp .clang-tidy tools/tidy"), 0);
  }

  void has_targets_for(const std::vector<std::string>& sources) const {
    std::string entries;
    for (const std::string& source : sources) {
      entries += std::string(entries.empty() ? "" : ",\n") + "{\n  \"directory\": \"/\",\n" +
                 "  \"command\": \"c++ -o x.o -c x.cpp\",\n  \"file\": \"" + scratch.path(source) +
                 "\"\n}";
    }
    scratch.write("build/tidy/compile_commands.json", "[\n" + entries + "\n]\n");
  }

  void have_clang_tidy(const std::string& version) const {
    scratch.write("version", "Debian LLVM version " + version + ".0.6\n");
    script("clang-tidy", R"sh([ "$1" != --version ] || exec cat version
given="${@: -1}"
sources=$(sed -n 's/^#include .\(.*[.]cpp\).$/\1/p' "$given")
if [ -n "$sources" ]; then
  while [ "$1" != -p ]; do shift; done
  [ ! -e no_groups ] && grep -q "${given##*/}" "$2/compile_commands.json" || { echo Skipping; exit 0; }
  echo $(basename -a $sources) | tr ' ' + >>checked
  ! grep -q -e bad -e clash $sources
else
  echo "$given$(printf '%s\n' "$@" | grep -q -- '--checks=-[*],' && echo :some)" >>checked
  ! grep -q -e bad -e unused "$given"
fi)sh");
  }

  void script(const std::string& name, const std::string& body) const {
    fs::permissions(scratch.write("bin/" + name, "#!/usr/bin/env bash\n" + body + "\n"),
                    fs::perms::owner_all);
  }

  [[nodiscard]] int run(const std::string& command) const {
    const std::string line = "cd " + scratch.path("") + " && PATH=" + scratch.path("bin") +
                             ":$PATH && { " + command + "; } >/dev/null 2>&1";
    const int status = std::system(line.c_str());  // NOLINT(concurrency-mt-unsafe): one thread
    return WEXITSTATUS(status);
  }

  /// Runs tools/tidy. Returns its exit code and the sources that were checked, in order.
  [[nodiscard]] std::string tidy() const {
    scratch.write("checked", "");
    const int code = run("tools/tidy");
    EXPECT_EQ(run("sort -o checked checked"), 0);
    std::istringstream names(scratch.read("checked"));
    std::string text = std::to_string(code);
    for (std::string name; names >> name;) text += " " + name;
    return text;
  }

  TemporaryFolder scratch;
};

TEST_F(Tidy, ChecksOnlySourcesThatHaveNotPassedAsTheyAre) {
  EXPECT_EQ(tidy(), "0 a.cpp+b.cpp a.cpp:some b.cpp:some");
  EXPECT_EQ(tidy(), "0");
  scratch.write("b.cpp", "int b2();\n");
  EXPECT_EQ(tidy(), "0 b.cpp");
  scratch.write("a.hpp", "int a2();\n");
  EXPECT_EQ(tidy(), "0 a.cpp");
  scratch.write(".clang-tidy", "Checks: 'none'\n");
  EXPECT_EQ(tidy(), "0 a.cpp+b.cpp a.cpp:some b.cpp:some");
}

TEST_F(Tidy, ChecksASourceThatFailedAgain) {
  scratch.write("b.cpp", "int bad();\n");
  EXPECT_EQ(tidy(), "1 a.cpp a.cpp+b.cpp b.cpp");
  EXPECT_EQ(tidy(), "1 b.cpp");
  scratch.write("b.cpp", "int good();\n");
  EXPECT_EQ(tidy(), "0 b.cpp");
}

TEST_F(Tidy, LeavesTheListAloneWithAnotherVersionOfClangTidy) {
  EXPECT_EQ(tidy(), "0 a.cpp+b.cpp a.cpp:some b.cpp:some");
  const std::string passed = scratch.read("tools/tidy.passed");
  have_clang_tidy("19");
  scratch.write("b.cpp", "int bad();\n");
  EXPECT_EQ(tidy(), "0");
  EXPECT_EQ(scratch.read("tools/tidy.passed"), passed);
}

TEST_F(Tidy, ChecksSourcesAloneThatDoNotPassAsOne) {
  scratch.write("b.cpp", "int clash();\n");
  EXPECT_EQ(tidy(), "0 a.cpp a.cpp+b.cpp b.cpp");
  EXPECT_EQ(tidy(), "0");
}

TEST_F(Tidy, ChecksSourcesAloneIfTheirGroupWasNotChecked) {
  scratch.write("no_groups", "");
  EXPECT_EQ(tidy(), "0 a.cpp b.cpp");
}

TEST_F(Tidy, ChecksAloneWhatAGroupDoesNotShow) {
  scratch.write("b.cpp", "int unused();\n");
  EXPECT_EQ(tidy(), "1 a.cpp+b.cpp a.cpp:some b.cpp:some");
  EXPECT_EQ(tidy(), "1 b.cpp");
}

TEST_F(Tidy, ChecksSourcesAloneThatDefineMacros) {
  scratch.write("b.cpp", "#define B 1\n");
  EXPECT_EQ(tidy(), "0 a.cpp b.cpp");
}

TEST_F(Tidy, ChecksSourcesAloneThatAreCompiledWithSeveralOptions) {
  has_targets_for({"a.cpp", "b.cpp", "b.cpp"});
  std::string commands = scratch.read("build/tidy/compile_commands.json");
  commands.replace(commands.rfind("c++ "), 4, "c++ -DX ");
  scratch.write("build/tidy/compile_commands.json", commands);
  EXPECT_EQ(tidy(), "0 a.cpp b.cpp");
}

TEST_F(Tidy, ChecksSourcesThatNoTargetBuilds) {
  has_targets_for({"a.cpp"});
  EXPECT_EQ(tidy(), "0 a.cpp b.cpp");
  EXPECT_EQ(tidy(), "0");
}

}  // namespace
}  // namespace equipoise::tidy_test
