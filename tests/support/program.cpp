// Runs the program with fork and exec. Its output goes into two temporary files.
#include "tests/support/program.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <thread>

#include "shared_policies/modules/run_time_module.hpp"
#include "tests/support/places.hpp"
#include "tests/support/temporary_folder.hpp"

namespace equipoise {

namespace {

namespace fs = std::filesystem;

/// Redirects stdout of this process as `to` says; `file` is used for Stdout::file. Returns whether
/// that succeeded.
bool redirect(Stdout to, const std::string& file) {
  constexpr int mode = O_WRONLY | O_CREAT | O_TRUNC;
  std::array<int, 2> ends{};
  switch (to) {
    case Stdout::file:
      return ::dup2(::open(file.c_str(), mode, 0600), 1) == 1;
    case Stdout::full:
      return ::dup2(::open("/dev/full", O_WRONLY), 1) == 1;
    case Stdout::unread:
      return ::pipe2(ends.data(), O_CLOEXEC) == 0 && ::dup2(ends[1], 1) == 1;
    case Stdout::closed:
      return ::close(1) == 0;
  }
  return false;
}

/// Starts a program whose stdout and stderr go into the files `out` and `err`.
pid_t start(const std::string& program, const std::vector<std::string>& arguments,
            const std::string& out, const std::string& err, Stdout to = Stdout::file) {
  std::vector<std::string> words = {program};
  words.insert(words.end(), arguments.begin(), arguments.end());
  const std::string root = repository();
  const pid_t child = ::fork();
  if (child < 0) throw std::runtime_error("cannot fork");
  if (child == 0) {
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    const bool ready = ::chdir(root.c_str()) == 0 &&
                       ::dup2(::open(err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), 2) == 2 &&
                       redirect(to, out);
    if (ready) ::execv(argv[0], argv.data());
    ::_exit(127);
  }
  return child;
}

int exit_code_of(int status) { return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status); }

}  // namespace

std::string program_file() {
  const fs::path around = folder_of_this_program() / "..";
  const fs::path installed = around / "bin/equipoise";
  return fs::exists(installed) ? installed : around / "tools/equipoise";
}

std::string module_file(const char* name, const char* folder) {
  return file_of({.name = name, .folder = folder, .refusal = "", .remedy = ""}).value();
}

ProgramRun run_equipoise(const std::vector<std::string>& arguments, Stdout to) {
  return run_copy(program_file(), arguments, to);
}

ProgramRun run_copy(const std::string& program, const std::vector<std::string>& arguments,
                    Stdout to) {
  const TemporaryFolder scratch;
  const pid_t child = start(program, arguments, scratch.path("out"), scratch.path("err"), to);
  int status = 0;
  ::waitpid(child, &status, 0);
  return {exit_code_of(status), scratch.read("out"), scratch.read("err")};
}

ProgramRun signal_equipoise(const std::vector<std::string>& arguments, int signal,
                            const std::function<bool()>& when) {
  const TemporaryFolder scratch;
  const pid_t child = start(program_file(), arguments, scratch.path("out"), scratch.path("err"));
  int status = 0;
  while (::waitpid(child, &status, WNOHANG) == 0) {
    if (when()) {
      ::kill(child, signal);
      ::waitpid(child, &status, 0);
      break;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return {exit_code_of(status), scratch.read("out"), scratch.read("err")};
}

std::vector<std::string> with(std::vector<std::string> words,
                              const std::vector<std::string>& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

std::string read_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

}  // namespace equipoise
