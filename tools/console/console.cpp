// Messages on stderr, writing of files as a whole, and signal handlers that set a flag.
#include "tools/console/console.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <deque>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <utility>

#include "shared_policies/model/failure.hpp"
#include "shared_policies/text/printable_text.hpp"
#include "tools/console/file_in_progress.hpp"
#include "tools/console/terminal.hpp"
#include "traces/files/input_file.hpp"
#include "traces/files/locked_file.hpp"
#include "traces/json_record.hpp"

namespace equipoise {
namespace {

std::atomic<int> caught_signal = 0;
static_assert(std::atomic<int>::is_always_lock_free);

/// Makes `message` safe for a terminal, because names in it come from inputs and may hold anything.
/// Cuts very long names, so that the end of the message, which says what to do, stays visible.
std::string as_message(const std::string& message) {
  constexpr std::size_t longest_word = 300;
  constexpr std::size_t longest_message = 8000;
  std::string shown;
  for (std::size_t at = 0; at <= message.size() && shown.size() < longest_message;) {
    const std::size_t end = std::min(message.find(' ', at), message.size());
    shown += (at == 0 ? "" : " ") + printable(message.substr(at, end - at), longest_word);
    at = end + 1;
  }
  return shown;
}

/// Prints "equipoise: KIND: MESSAGE", the kind in its style.
void say(const char* kind, Style style, const std::string& message) {
  std::fflush(stdout);  // where both streams go to one place, messages do not break lines
  std::fprintf(stderr, "equipoise: %s %s\n",
               styled(std::string(kind) + ":", style, OutputStream::err).c_str(),
               as_message(message).c_str());
}

/// Says it unless it has been said before.
void say_once(const char* kind, Style style, const std::string& message) {
  static std::mutex mutex;  // agents of nodes have threads of their own
  static std::set<std::string> said;
  const std::lock_guard<std::mutex> lock(mutex);
  if (said.insert(kind + message).second) say(kind, style, message);
}

void handle_stop_signals(void (*handler)(int)) {
  struct sigaction action = {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESETHAND;  // a second Ctrl-C ends the program at once
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
}

}  // namespace

int print_json(const Json& json) { return print_out("{}\n", line_of(json)); }

void warn(const std::string& message) { say_once("warning", Style::warning, message); }

void note(const std::string& message) { say_once("note", Style::heading, message); }

void say_error(const std::string& message) { say("error", Style::error, message); }

std::vector<std::string> paths_of(const std::vector<WholeFile>& files) {
  std::vector<std::string> paths;
  for (const WholeFile& file : files) paths.push_back(file.path);
  return paths;
}

void write_whole_files(const std::vector<WholeFile>& files) {
  for (const WholeFile& file : files) expect_no_inputs({file.path}, file.path);
  std::deque<FileInProgress> written;
  const auto failed = [&]() -> const WholeFile* {
    for (const WholeFile& file : files) {
      FileInProgress& one = written.emplace_back(file.path);
      if (!one.put(file.text) || !one.close()) return &file;
    }
    for (std::size_t i = 0; i < files.size(); ++i) {
      if (!written[i].move_there()) return &files[i];
    }
    return nullptr;
  }();
  if (failed == nullptr) return;
  throw std::runtime_error(failed->path + ": cannot be written: " + std::strerror(errno) +
                           "; make room there, or give another path");
}

void write_whole_file(const std::string& path, const std::string& text) {
  write_whole_files({{path, text}});
}

void expect_no_inputs(const std::vector<std::string>& paths, const std::string& option) {
  for (const std::string& path : paths) expect_no_input(path, option);
}

void check_writable(const std::string& path, const std::string& option) {
  namespace fs = std::filesystem;
  expect_no_inputs({path}, option);
  std::error_code error;
  if (fs::is_directory(path, error)) {
    throw InputError(option, path + " is a folder; give a file name");
  }
  if (fs::exists(path, error)) {
    if (::access(path.c_str(), W_OK) == 0) return;
    throw InputError(option, path + " cannot be written: " + std::strerror(errno));
  }
  const fs::path parent = fs::absolute(target_of_links(path), error).parent_path();
  if (!fs::is_directory(parent, error)) {
    throw InputError(option, path + " cannot be written: " + parent.string() +
                                 " is not a folder; make it first");
  }
  if (::access(parent.c_str(), W_OK) != 0) {
    throw InputError(option, path + " cannot be written: " + std::strerror(errno));
  }
}

bool is_same_path(const std::string& a, const std::string& b) {
  std::error_code error;
  const auto place = [&error](const std::string& path) {
    return std::filesystem::weakly_canonical(target_of_links(path), error);
  };
  return place(a) == place(b);
}

void expect_different(const std::vector<std::pair<const char*, std::string>>& outputs) {
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const auto& [option, path] = outputs[i];
      const auto& [other_option, other] = outputs[j];
      if (path.empty() || other.empty() || !is_same_path(path, other)) continue;
      throw InputError(option, fmt::format("{} is also what {} writes; give each a file of its own",
                                           path, other_option));
    }
  }
}

void make_folder(const std::string& path, const std::string& option) {
  namespace fs = std::filesystem;
  std::error_code error;
  for (fs::path at = path; !at.empty() && at != at.parent_path(); at = at.parent_path()) {
    if (fs::exists(at, error) && !fs::is_directory(at, error)) {
      throw InputError(option, at.string() + " is a file; give a folder");
    }
  }
  fs::create_directories(path, error);
  if (error) throw InputError(option, path + " cannot be made a folder: " + error.message());
  if (::access(path.c_str(), W_OK) != 0) {
    throw InputError(option, path + " cannot be written: " + std::strerror(errno));
  }
}

void open_standard_files() {
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd) {
    if (::fcntl(fd, F_GETFD) < 0 && errno == EBADF) static_cast<void>(::open("/dev/null", O_RDWR));
  }
}

namespace {

/// Whether the reader of the pipe has closed it. Then earlier output may have failed unnoticed.
bool is_unread(int fd) {
  pollfd pipe{fd, 0, 0};
  return ::poll(&pipe, 1, 0) == 1 && (pipe.revents & POLLERR) != 0;
}

}  // namespace

int finish_printing(int exit_code) {
  errno = 0;
  const bool is_flushed = std::fflush(stdout) == 0;
  const int reason = errno;
  if (exit_code != 0 || (is_flushed && std::ferror(stdout) == 0)) return exit_code;
  if (reason == EPIPE || is_unread(STDOUT_FILENO)) return 128 + SIGPIPE;
  say_error(std::string("the output could not be written") +
            (is_flushed ? "" : std::string(": ") + std::strerror(reason)) +
            "; make room there, or print to another place");
  return 1;
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

struct StopSignals::Before {
  struct sigaction interrupt = {};
  struct sigaction terminate = {};
};

StopSignals::StopSignals() : before_(std::make_unique<Before>()) {
  ::sigaction(SIGINT, nullptr, &before_->interrupt);
  ::sigaction(SIGTERM, nullptr, &before_->terminate);
  caught_signal.store(0);
}

StopSignals::~StopSignals() {
  ::sigaction(SIGINT, &before_->interrupt, nullptr);
  ::sigaction(SIGTERM, &before_->terminate, nullptr);
  caught_signal.store(0);
}

std::string shell_word(const std::string& word) {
  constexpr const char* plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=:,./@%";
  if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) return word;
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

}  // namespace equipoise
