// Temporary names, and the renaming of finished files.
#include "tools/console/file_in_progress.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>

#include "tools/console/console.hpp"
#include "traces/files/locked_file.hpp"

namespace equipoise {
namespace {

/// Gives `file`, which only we can read so far, the mode of the file that it is to replace, and its
/// owner and group if we may. Where the group is another one, it may do what all may.
void inherit_access(int file, const struct stat& replaced) {
  const bool has_group = ::fchown(file, replaced.st_uid, replaced.st_gid) == 0 ||
                         ::fchown(file, static_cast<uid_t>(-1), replaced.st_gid) == 0;
  constexpr mode_t everyone = S_IRWXU | S_IRWXG | S_IRWXO;
  mode_t mode = replaced.st_mode & everyone;
  if (!has_group) mode &= S_IRWXU | S_IRWXO | ((mode & S_IRWXO) << 3);
  static_cast<void>(::fchmod(file, mode));
}

}  // namespace

FileInProgress::~FileInProgress() {
  if (!temporary_.empty()) std::remove(temporary_.c_str());
}

bool FileInProgress::put(std::string_view text) {
  if (!file_.is_open() && !open()) return false;
  file_.write(text.data(), static_cast<std::streamsize>(text.size()));
  return static_cast<bool>(file_);
}

bool FileInProgress::close() {
  if (!file_.is_open() && !open()) return false;
  file_.close();
  return static_cast<bool>(file_);
}

bool FileInProgress::move_there() {
  if (temporary_.empty()) return true;
  if (std::rename(temporary_.c_str(), target_.c_str()) != 0) return false;
  temporary_.clear();
  if (has_other_names_) {
    note(path_ + " was replaced; its other names (hard links) keep what was there");
  }
  return true;
}

bool FileInProgress::open() {
  target_ = target_of_links(path_);
  struct stat there = {};
  const bool is_there = ::lstat(target_.c_str(), &there) == 0;
  if (is_there && !S_ISREG(there.st_mode)) {
    file_.open(target_, std::ios::binary | std::ios::app);
    return file_.is_open();
  }
  has_other_names_ = is_there && there.st_nlink > 1;
  return make_temporary(is_there ? &there : nullptr);
}

/// Makes and opens an empty file whose name no other process and no other thread has.
bool FileInProgress::make_temporary(const struct stat* replaced) {
  static std::atomic<int> made = 0;
  int file = -1;
  std::string name;
  do {
    name = fmt::format("{}.{}-{}.part", target_, ::getpid(), ++made);
    file = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
                  replaced == nullptr ? 0666 : 0600);
  } while (file < 0 && errno == EEXIST);
  if (file < 0) return false;
  temporary_ = name;
  file_.open(temporary_, std::ios::binary | std::ios::trunc);
  if (replaced != nullptr) inherit_access(file, *replaced);
  ::close(file);
  return file_.is_open();
}

}  // namespace equipoise
