// Temporary names, and the renaming of finished files.
#include "tools/console/file_in_progress.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>

namespace equipoise {
namespace {

/// Whether `path` is written under a temporary name and renamed.
bool is_renamed(const std::string& path) {
  std::error_code error;
  return !std::filesystem::exists(path, error) || std::filesystem::is_regular_file(path, error);
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
  if (std::rename(temporary_.c_str(), path_.c_str()) != 0) return false;
  temporary_.clear();
  return true;
}

bool FileInProgress::open() {
  if (is_renamed(path_) && !make_temporary()) return false;
  file_.open(temporary_.empty() ? path_ : temporary_, std::ios::binary | std::ios::trunc);
  return file_.is_open();
}

/// Makes an empty file whose name no other process and no other thread has.
bool FileInProgress::make_temporary() {
  static std::atomic<int> made = 0;
  int file = -1;
  std::string name;
  do {
    name = fmt::format("{}.{}-{}.part", path_, ::getpid(), ++made);
    file = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  } while (file < 0 && errno == EEXIST);
  if (file < 0) return false;
  ::close(file);
  temporary_ = name;
  return true;
}

}  // namespace equipoise
