// A child process by fork, pipe and waitpid.
#include "sim/child_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <utility>

#include "shared_policies/model/failure.hpp"

namespace equipoise {
namespace {

/// The child runs `body` here and exits.
[[noreturn]] void run_child(const std::function<int(int)>& body, int write_fd, pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(70);  // the parent died before prctl took effect
  int exit_code = 70;
  try {
    exit_code = body(write_fd);
  } catch (...) {
    exit_code = 70;
  }
  std::cout.flush();
  std::fflush(nullptr);
  ::_exit(exit_code);
}

/// read() that is repeated after an interrupt by a signal.
ssize_t read_some(int fd, char* into, std::size_t size) {
  ssize_t got = 0;
  do {
    got = ::read(fd, into, size);
  } while (got < 0 && errno == EINTR);
  return got;
}

int wait_for_end(pid_t pid) {
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

}  // namespace

ChildProcess::ChildProcess(const std::function<int(int write_fd)>& body) {
  // Buffered output would otherwise be written twice, once by each process.
  std::cout.flush();
  std::fflush(nullptr);
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    throw BackendError(std::string("no pipe to a child process: ") + std::strerror(errno));
  }
  const pid_t parent = ::getpid();
  pid_ = ::fork();
  if (pid_ < 0) {
    const int error = errno;
    ::close(ends[0]);
    ::close(ends[1]);
    throw BackendError(std::string("no child process: ") + std::strerror(error));
  }
  if (pid_ == 0) {
    ::close(ends[0]);
    run_child(body, ends[1], parent);
  }
  ::close(ends[1]);
  read_fd_ = ends[0];
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      read_fd_(std::exchange(other.read_fd_, -1)),
      output_(std::move(other.output_)) {}

ChildProcess& ChildProcess::operator=(ChildProcess&& other) noexcept {
  if (this != &other) {
    kill_and_reap();
    pid_ = std::exchange(other.pid_, -1);
    read_fd_ = std::exchange(other.read_fd_, -1);
    output_ = std::move(other.output_);
  }
  return *this;
}

ChildProcess::~ChildProcess() { kill_and_reap(); }

bool ChildProcess::receive() {
  std::array<char, 4096> chunk;
  for (std::size_t taken = 0; taken < most_received; taken += chunk.size()) {
    pollfd readable{read_fd_, POLLIN, 0};
    if (::poll(&readable, 1, 0) <= 0) return true;
    const ssize_t got = read_some(read_fd_, chunk.data(), chunk.size());
    if (got <= 0) return false;
    output_.append(chunk.data(), static_cast<std::size_t>(got));
  }
  return true;
}

ChildProcess::Outcome ChildProcess::wait() {
  EQ_CHECK(pid_ > 0, "a child is waited for once");
  std::array<char, 4096> chunk;
  for (ssize_t got = 1; got > 0;) {
    got = read_some(read_fd_, chunk.data(), chunk.size());
    if (got > 0) output_.append(chunk.data(), static_cast<std::size_t>(got));
  }
  const int status = wait_for_end(std::exchange(pid_, -1));
  ::close(std::exchange(read_fd_, -1));
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 0, WIFSIGNALED(status) ? WTERMSIG(status) : 0,
          std::move(output_)};
}

void ChildProcess::kill_and_reap() {
  if (read_fd_ >= 0) ::close(std::exchange(read_fd_, -1));
  if (pid_ > 0) {
    ::kill(pid_, SIGKILL);
    wait_for_end(std::exchange(pid_, -1));
  }
}

bool write_all(int fd, std::string_view text) {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t wrote = ::write(fd, text.data() + done, text.size() - done);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) return false;
    done += static_cast<std::size_t>(wrote);
  }
  return true;
}

}  // namespace equipoise
