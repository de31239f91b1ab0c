// The guard is a fork of this program that reads what it is to guard from a socket. That ends when
// the last process that may write to it is gone: this program, or a command before its program is
// loaded. It calls nothing that is unsafe after a fork of a program with threads.
#include "real/commands/process_guard.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <mutex>

#include "shared_policies/model/failure.hpp"

namespace equipoise {
namespace {

constexpr std::size_t groups_max = 4096;
constexpr std::size_t folders_max = 16;

/// What the guard knows. In memory of its own that exists before the fork.
struct Guarded {
  std::array<pid_t, groups_max> groups{};
  std::size_t group_count = 0;
  std::array<std::array<char, guard_path_max>, folders_max> folders{};
  std::size_t folder_count = 0;

  void take(const GuardEntry& entry) {
    if (entry.kind == '+' && group_count < groups.size()) groups[group_count++] = entry.group;
    if (entry.kind == '-') {
      auto* const end = groups.data() + group_count;
      auto* const found = std::find(groups.data(), end, entry.group);
      if (found != end) *found = groups[--group_count];
    }
    if (entry.kind == 'f' && folder_count < folders.size()) {
      std::memcpy(folders[folder_count++].data(), entry.path, guard_path_max);
    }
    if (entry.kind == 'g') {
      for (std::size_t i = 0; i < folder_count; ++i) {
        if (std::strncmp(folders[i].data(), entry.path, guard_path_max) != 0) continue;
        folders[i] = folders[--folder_count];
        break;
      }
    }
  }

  void end_all() {
    for (std::size_t i = 0; i < group_count; ++i) kill(-groups[i], SIGKILL);
    for (std::size_t i = 0; i < folder_count; ++i) {
      const pid_t child = fork();
      if (child == 0) {
        execl("/bin/rm", "rm", "-rf", "--", folders[i].data(), nullptr);
        _exit(127);
      }
      if (child > 0) waitpid(child, nullptr, 0);
    }
  }
};

Guarded guarded;

/// Closes all files from `first` on.
void close_from(int first) {
  if (close_range(static_cast<unsigned>(first), ~0U, 0) == 0) return;
  rlimit files{};  // an old kernel, or one that is told to refuse it
  const bool is_known = getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur < 65536;
  const int end = is_known ? static_cast<int>(files.rlim_cur) : 65536;
  for (int file = first; file < end; ++file) close(file);
}

[[noreturn]] void guard(int entries) {
  setsid();                     // Ctrl-C does not reach it
  prctl(PR_SET_NAME, "guard");  // nor what ends programs by name
  for (const int ignored : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) signal(ignored, SIG_IGN);
  const int nothing = open("/dev/null", O_RDWR);
  for (int standard = 0; standard <= 2; ++standard) dup2(nothing, standard);
  // Whatever this program has open is not kept open, or locked, by its guard.
  dup2(entries, 3);
  close_from(4);
  GuardEntry entry;
  for (;;) {
    const ssize_t bytes = recv(3, &entry, sizeof entry, 0);
    if (bytes < 0 && errno == EINTR) continue;
    if (bytes != static_cast<ssize_t>(sizeof entry)) break;
    guarded.take(entry);
  }
  guarded.end_all();
  _exit(0);
}

/// This program's end of the socket. At the end of the program, waits for the guard.
struct Entrance {
  ~Entrance() {
    if (socket < 0 || program != getpid()) return;
    close(socket);
    waitpid(guard, nullptr, 0);
  }
  std::mutex starting;
  int socket = -1;
  pid_t guard = 0;
  pid_t program = 0;  ///< whose guard it is
};

Entrance entrance;

void write_folder(char kind, const std::string& path) {
  if (path.size() >= guard_path_max || entrance.socket < 0) return;
  GuardEntry entry{.kind = kind};
  std::copy(path.begin(), path.end(), entry.path);
  send_to_guard(entrance.socket, entry);
}

}  // namespace

bool send_to_guard(int socket, const GuardEntry& entry) {
  for (;;) {
    if (send(socket, &entry, sizeof entry, MSG_NOSIGNAL) == static_cast<ssize_t>(sizeof entry)) {
      return true;
    }
    if (errno != EINTR) return false;
  }
}

void process_guard::start() {
  const std::lock_guard<std::mutex> lock(entrance.starting);
  const pid_t program = getpid();
  if (entrance.socket >= 0 && entrance.program == program) return;
  if (entrance.socket >= 0)
    close(entrance.socket);  // that of the program from which this is a fork
  entrance.socket = -1;
  // Who ignores the end of processes, as a launcher may have told us, is told no exit codes.
  signal(SIGCHLD, SIG_DFL);
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
    throw BackendError(std::string("commands cannot be guarded: ") + std::strerror(errno));
  }
  const pid_t child = fork();
  if (child < 0) {
    throw BackendError(std::string("commands cannot be guarded: ") + std::strerror(errno));
  }
  if (child == 0) guard(ends[0]);
  close(ends[0]);
  entrance.socket = ends[1];
  entrance.guard = child;
  entrance.program = program;
}

int process_guard::socket() { return entrance.socket; }

void process_guard::forget(pid_t group) {
  send_to_guard(entrance.socket, {.kind = '-', .group = group});
}

void process_guard::remember_folder(const std::string& path) { write_folder('f', path); }

void process_guard::forget_folder(const std::string& path) { write_folder('g', path); }

}  // namespace equipoise
