// Locks with flock: files that are replaced, with patience, and outputs at once.
#include "traces/files/locked_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <utility>

#include "shared_policies/model/failure.hpp"
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

OutputLock::OutputLock(const std::string& file, EmptyFile if_empty, const std::string& option,
                       const std::string& others) {
  try {
    lock_ = std::make_unique<LockedFile>(file, std::chrono::milliseconds(0), if_empty);
  } catch (const LockHeld&) {
    throw InputError(option, others);
  } catch (const NoLocks&) {  // then two programs are the user's to keep apart
  }
}

OutputLock OutputLock::of_folder(const std::string& path, const std::string& option) {
  return {path + "/.lock", EmptyFile::removed, option,
          "another equipoise is writing to " + path +
              "; wait until it has ended, or give another folder"};
}

OutputLock OutputLock::of_file(const std::string& path, const std::string& option) {
  namespace fs = std::filesystem;
  std::error_code error;
  const bool is_there = fs::exists(path, error);
  if (path.empty() || (is_there && !fs::is_regular_file(path, error))) return {};
  return {
      path, is_there ? EmptyFile::kept : EmptyFile::removed, option,
      "another equipoise is writing " + path + "; wait until it has ended, or give another file"};
}

}  // namespace equipoise
