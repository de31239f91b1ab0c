// A file that several programs read and replace, one at a time.
#pragma once

#include <chrono>
#include <string>

namespace equipoise {

/// Keeps other threads and processes that lock the same file from it, for as long as this object
/// lives. What is renamed to its path meanwhile takes its place: who waited for it gets the new file.
class LockedFile {
 public:
  /// Locks the file at `path`. If there is none, makes an empty one, which is removed at the end
  /// unless it was replaced or written. Throws std::runtime_error if the file cannot be opened, or if
  /// others have kept it for longer than `patience`.
  explicit LockedFile(std::string path, std::chrono::milliseconds patience);
  LockedFile(const LockedFile&) = delete;
  LockedFile& operator=(const LockedFile&) = delete;
  ~LockedFile();

 private:
  /// Whether the path still leads to the file that was opened.
  [[nodiscard]] bool is_there() const;

  std::string path_;
  int file_ = -1;
};

}  // namespace equipoise
