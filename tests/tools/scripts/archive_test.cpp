// Tests of what is typed in an archive: it starts the program with a C++ library that suffices, or
// says what this system lacks.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "tests/support/places.hpp"
#include "tests/support/program.hpp"
#include "tests/support/temporary_folder.hpp"

namespace equipoise::archive_test {
namespace {

namespace fs = std::filesystem;

class Archive : public testing::Test {
 protected:
  Archive() {
    fs::create_directories(archive_ / "libexec");
    fs::create_directories(archive_ / "bin");
    fs::create_directories(archive_ / "lib/if-needed");
    fs::copy_file(repository() / "tools/archive/equipoise", archive_ / "bin/equipoise");
    fs::copy_file(repository() / "tools/archive/libraries.sh", archive_ / "libexec/libraries.sh");
    needs("true");
    folder_.write("archive/libexec/needs.sh",
                  "needs_glibc=2.35\nneeds_cxx=GLIBCXX_3.4.30\nneeds_glibc_for_own_cxx=2.36\n");
  }
  /// The program can be started only where the shell finds that `condition` is true.
  void needs(const std::string& condition) const {
    fs::permissions(folder_.write("archive/libexec/equipoise",
                                  "#!/bin/sh\n" + condition +
                                      " || { echo 'version GLIBC_2.35 not found' >&2; exit 127; }\n"
                                      "printf '%s|' \"${LD_LIBRARY_PATH-none}\" \"$@\"\n"),
                    fs::perms::owner_all);
  }
  /// Types the program by that path, without or with LD_LIBRARY_PATH.
  [[nodiscard]] ProgramRun type(const std::string& program,
                                const std::string& variables = "") const {
    return run_copy("/usr/bin/env", {"sh", "-c",
                                     "unset LD_LIBRARY_PATH; cd " + archive_.string() + "; " +
                                         variables + " " + program + " run 'two words'"});
  }

  TemporaryFolder folder_;
  fs::path archive_ = folder_.path("archive");
};

TEST_F(Archive, TakesTheCxxLibraryOfThisSystem) {
  EXPECT_EQ(type("bin/equipoise").out, "none|run|two words|");
  EXPECT_EQ(type("bin/equipoise", "LD_LIBRARY_PATH=/mine").out, "/mine|run|two words|");
}

TEST_F(Archive, TakesItsOwnCxxLibraryWhereThisSystemHasNone) {
  needs("case $LD_LIBRARY_PATH in */lib/if-needed*) ;; *) false ;; esac");
  const std::string own = (archive_ / "lib/if-needed").string();
  EXPECT_EQ(type("bin/equipoise").out, own + "|run|two words|");
  EXPECT_EQ(type("bin/equipoise", "LD_LIBRARY_PATH=/mine").out, own + ":/mine|run|two words|");
}

TEST_F(Archive, SaysWhatThisSystemLacks) {
  needs("false");
  const ProgramRun run = type("bin/equipoise");
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_EQ(run.out, "");
  const std::string lacks =
      "equipoise: error: the program cannot be started: version GLIBC_2.35 not found\n"
      "equipoise: it needs glibc 2.35 or newer with a C++ library that has GLIBCXX_3.4.30, or "
      "glibc "
      "2.36 with the one in lib/if-needed; this system has glibc ";
  EXPECT_EQ(run.err.substr(0, lacks.size()), lacks);
}

TEST_F(Archive, MayBeStartedThroughALinkFromAnywhere) {
  fs::create_directory(archive_ / "elsewhere");
  fs::create_symlink("../bin/equipoise", archive_ / "elsewhere/linked");
  EXPECT_EQ(type("elsewhere/linked").out, "none|run|two words|");
  EXPECT_EQ(type("linked", "PATH=$PWD/elsewhere:$PATH;").out, "none|run|two words|");
  EXPECT_EQ(type("./equipoise", "cd bin;").out, "none|run|two words|");
}

}  // namespace
}  // namespace equipoise::archive_test
