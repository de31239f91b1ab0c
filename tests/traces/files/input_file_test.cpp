// Tests of input files: which files can be read, and that outputs do not overwrite them.
#include "traces/files/input_file.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <sstream>

#include "tests/support/filled_pipe.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/temporary_folder.hpp"

namespace equipoise::input_file_test {
namespace {

std::string refusal_to_open(const std::string& path) {
  return refusal_of([&] { static_cast<void>(open_input(path, "give a trace")); });
}

std::string refusal_to_write(const std::string& path) {
  return refusal_of([&] { expect_no_input(path, "--out"); });
}

TEST(InputFile, IsReadWhole) {
  const TemporaryFolder scratch;
  const std::string text = std::string(200'000, 'x') + '\0' + "\nend";
  EXPECT_EQ(read_input(scratch.write("f", text), "give a trace"), text);
}

TEST(InputFile, IsAFileOrAPipeThatSomebodyWrites) {
  const TemporaryFolder scratch;
  const std::string fifo = scratch.path("fifo");
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  EXPECT_EQ(refusal_to_open(fifo),
            fifo + ": is a named pipe, which may never be written; give a trace");
  EXPECT_EQ(refusal_to_open("/dev/zero"),
            "/dev/zero: is a device, which may never end; give a trace");
  EXPECT_EQ(refusal_to_open(scratch.path("")), scratch.path("") + ": is a folder; give a trace");
  EXPECT_EQ(refusal_to_open("/nowhere/t.jsonl"), "/nowhere/t.jsonl: no such file; give a trace");
  const FilledPipe pipe("text");
  EXPECT_EQ(read_input(pipe.path(), "give a trace"), "text");
}

TEST(InputFile, IsReadAgainWhereItIsAPipe) {
  const std::string text = "one\ntwo\n";
  const FilledPipe pipe(text);
  const FilledPipe empty("");
  std::string line;
  std::ifstream in = open_input(pipe.path(), "give a trace");
  ASSERT_TRUE(next_line(in, line, pipe.path(), 1));
  EXPECT_EQ(line, "one");
  const std::string other_name = "/proc/self/fd/" + pipe.path().substr(pipe.path().rfind('/') + 1);
  for (const std::string& name : {pipe.path(), other_name}) {
    EXPECT_EQ(read_input(name, "give a trace"), text);
  }
  for (int time = 0; time < 2; ++time) EXPECT_EQ(read_input(empty.path(), "give a trace"), "");
  const pid_t child = ::fork();
  if (child == 0) ::_exit(read_input(pipe.path(), "give a trace") == text ? 0 : 1);
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST(InputFile, IsReadLineByLineAndNoLineIsEndless) {
  std::istringstream in("one\n\ntorn");
  std::string line;
  ASSERT_TRUE(next_line(in, line, "f", 1));
  EXPECT_EQ(line, "one");
  ASSERT_TRUE(next_line(in, line, "f", 2));
  EXPECT_EQ(line, "");
  EXPECT_FALSE(in.eof());
  ASSERT_TRUE(next_line(in, line, "f", 3));
  EXPECT_EQ(line, "torn");
  EXPECT_TRUE(in.eof());
  EXPECT_FALSE(next_line(in, line, "f", 4));
  std::istringstream endless("one\n" + std::string((std::size_t{64} << 20) + 1, 'x'));
  ASSERT_TRUE(next_line(endless, line, "f", 1));
  EXPECT_EQ(refusal_of([&] { static_cast<void>(next_line(endless, line, "f", 2)); }),
            "f:2: a line of more than 67108864 bytes; is this the right file?");
}

TEST(InputFile, IsNotWrittenOverByAnyOfItsNames) {
  const TemporaryFolder scratch;
  const std::string file = scratch.write("t.jsonl", "text");
  const std::string link = scratch.path("link");
  const std::string name = scratch.path("name");
  std::filesystem::create_symlink(file, link);
  std::filesystem::create_hard_link(file, name);
  EXPECT_EQ(refusal_to_write(file), "not refused");
  static_cast<void>(read_input(file, "give a trace"));
  EXPECT_EQ(refusal_to_write(file),
            "--out: " + file + " is read by this command; give another file");
  for (const std::string& other : {link, name, scratch.path("./t.jsonl")}) {
    EXPECT_EQ(refusal_to_write(other),
              "--out: " + other + " is read by this command, as " + file + "; give another file");
  }
  EXPECT_EQ(refusal_to_write(scratch.path("new")), "not refused");
  EXPECT_EQ(refusal_to_write(scratch.write("old", "text")), "not refused");
}

TEST(InputFile, IsForgottenWhenItIsGoneAndAnotherHasItsNumber) {
  const TemporaryFolder scratch;
  for (int i = 0; i < 20; ++i) {  // file systems give a free number again soon
    const std::string file = scratch.write("read" + std::to_string(i), "text");
    static_cast<void>(read_input(file, "give a trace"));
    std::filesystem::remove(file);
    EXPECT_EQ(refusal_to_write(scratch.write("new" + std::to_string(i), "text")), "not refused");
  }
}

TEST(InputFile, IsKnownWhenItIsOnlyNamed) {
  const TemporaryFolder scratch;
  const std::string file = scratch.write("profile.jsonl", "text");
  remember_input(file);
  remember_input(scratch.path("none"));
  EXPECT_NE(refusal_to_write(file), "not refused");
  EXPECT_EQ(refusal_to_write(scratch.path("none")), "not refused");
}

}  // namespace
}  // namespace equipoise::input_file_test
