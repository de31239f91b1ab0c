// Follows links one by one, because the file at their end need not be there. Locks with flock:
// files that are replaced, with patience, and outputs at once.
#include "traces/files/locked_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/magic.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/vfs.h>
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

namespace equipoise {
namespace {

namespace fs = std::filesystem;

/// Whether the link lies in /proc, where it stands for an open file whatever its text says.
bool is_of_kernel(const fs::path& link) {
  struct statfs where = {};
  const fs::path folder = link.has_parent_path() ? link.parent_path() : ".";
  return ::statfs(folder.c_str(), &where) == 0 && where.f_type == PROC_SUPER_MAGIC;
}

}  // namespace

std::string target_of_links(const std::string& path) {
  constexpr int most_links = 40;  // as many as Linux follows
  fs::path at = path;
  for (int links = 0; links < most_links; ++links) {
    std::error_code error;
    if (!fs::is_symlink(at, error)) return at.string();
    if (is_of_kernel(at)) return at.string();
    const fs::path next = fs::read_symlink(at, error);
    if (error) return at.string();
    at = at.parent_path() / next;  // an absolute one replaces the folder
  }
  return path;
}

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
  std::error_code error;
  const bool is_there = fs::exists(path, error);
  if (path.empty() || (is_there && !fs::is_regular_file(path, error))) return {};
  return {
      path, is_there ? EmptyFile::kept : EmptyFile::removed, option,
      "another equipoise is writing " + path + "; wait until it has ended, or give another file"};
}

}  // namespace equipoise
