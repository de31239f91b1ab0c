// Locks with flock, and begins again if the file was replaced while it waited.
#include "traces/files/locked_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <thread>
#include <utility>

#include "traces/files/output_target.hpp"

namespace equipoise {
namespace {

using Clock = std::chrono::steady_clock;

/// Opens the file, or makes it, and waits for its lock. Returns its descriptor.
int lock(const std::string& path, Clock::time_point until) {
  constexpr std::chrono::milliseconds between_attempts{10};
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  while (file >= 0 && ::flock(file, LOCK_EX | LOCK_NB) != 0) {
    const int reason = errno;
    if (reason == EINTR) continue;
    if (reason == EWOULDBLOCK && Clock::now() < until) {
      std::this_thread::sleep_for(between_attempts);
      continue;
    }
    ::close(file);
    if (reason == EWOULDBLOCK) {
      throw LockHeld(path +
                     ": another program keeps it locked; end that program, or give another file");
    }
    throw NoLocks(fmt::format("{}: cannot be locked: {}; give a file on another disk", path,
                              std::strerror(reason)));
  }
  if (file >= 0) return file;
  throw std::runtime_error(
      fmt::format("{}: cannot be written: {}; give another path", path, std::strerror(errno)));
}

}  // namespace

LockedFile::LockedFile(std::string path, std::chrono::milliseconds patience, EmptyFile if_empty)
    : path_(std::move(path)), if_empty_(if_empty) {
  const Clock::time_point until = Clock::now() + patience;
  for (file_ = lock(path_, until); !is_there(); file_ = lock(path_, until)) ::close(file_);
}

LockedFile::~LockedFile() {
  struct stat file = {};
  const bool is_removed = if_empty_ == EmptyFile::removed && is_there();
  if (is_removed && ::fstat(file_, &file) == 0 && file.st_size == 0) {
    ::unlink(target_of_links(path_).c_str());
  }
  ::close(file_);
}

bool LockedFile::is_there() const {
  struct stat opened = {};
  struct stat there = {};
  return ::fstat(file_, &opened) == 0 && ::stat(path_.c_str(), &there) == 0 &&
         opened.st_dev == there.st_dev && opened.st_ino == there.st_ino;
}

}  // namespace equipoise
