// stderr, files that are whole or not there, signals that set a flag.
#include "tools/commands/console.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>
#include <stdexcept>
#include <string_view>

#include "shared_policies/model/failure.hpp"

namespace equipoise {
namespace {

std::atomic<int> caught_signal = 0;
static_assert(std::atomic<int>::is_always_lock_free);

void handle_stop_signals(void (*handler)(int)) {
  struct sigaction action = {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESETHAND;  // a second Ctrl-C ends at once
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
}

}  // namespace

void warn(const std::string& message) {
  static std::set<std::string> said;
  if (!said.insert(message).second) return;
  std::fprintf(stderr, "equipoise: warning: %s\n", message.c_str());
}

void say_error(const std::string& message) {
  std::fprintf(stderr, "equipoise: error: %s\n", message.c_str());
}

Progress::Progress(bool quiet) : on_(!quiet && ::isatty(STDERR_FILENO) == 1) {}

Progress::~Progress() { clear(); }

void Progress::show(const std::string& text) {
  if (!on_) return;
  std::fprintf(stderr, "\r\033[K%s", text.c_str());
  std::fflush(stderr);
  shown_ = true;
}

void Progress::clear() {
  if (shown_) std::fprintf(stderr, "\r\033[K");
  shown_ = false;
}

void write_whole_file(const std::string& path, const std::string& text) {
  const std::string beside = path + ".part";
  std::ofstream file(beside, std::ios::binary | std::ios::trunc);
  file << text;
  file.close();
  if (!file || std::rename(beside.c_str(), path.c_str()) != 0) {
    const std::string reason = std::strerror(errno);
    std::remove(beside.c_str());
    throw std::runtime_error(path + ": cannot be written: " + reason +
                             "; make room there, or give --out another path");
  }
}

void check_writable(const std::string& path, const std::string& option) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (fs::is_directory(path, error)) {
    throw InputError(option, path + " is a folder; give a file name");
  }
  if (fs::exists(path, error)) {
    if (::access(path.c_str(), W_OK) == 0) return;
    throw InputError(option, path + " cannot be written: " + std::strerror(errno));
  }
  const fs::path parent = fs::absolute(path, error).parent_path();
  if (!fs::is_directory(parent, error)) {
    throw InputError(option, path + " cannot be written: " + parent.string() +
                                 " is not a folder; make it first");
  }
  if (::access(parent.c_str(), W_OK) != 0) {
    throw InputError(option, path + " cannot be written: " + std::strerror(errno));
  }
}

void make_folder(const std::string& path, const std::string& option) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error || !std::filesystem::is_directory(path)) {
    throw InputError(option, path + " cannot be made a folder: " +
                                 (error ? error.message() : "a file is in the way"));
  }
  if (::access(path.c_str(), W_OK) != 0) {
    throw InputError(option, path + " cannot be written: " + std::strerror(errno));
  }
}

void catch_stop_signals() {
  handle_stop_signals([](int number) { caught_signal.store(number); });
}

void end_on_stop_signals() {
  handle_stop_signals([](int number) {
    constexpr std::string_view words = "equipoise: error: interrupted\n";
    static_cast<void>(!::write(STDERR_FILENO, words.data(), words.size()));
    ::_exit(128 + number);
  });
}

int stop_signal() { return caught_signal.load(); }

}  // namespace equipoise
