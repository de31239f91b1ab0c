// Where outputs go, and files and folders that one program at a time may write: those that several
// programs read and replace, and outputs.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>

namespace equipoise {

/// The path at the end of the symbolic links at `path`, where a file may be or not. Links of the
/// kernel to what a process has open (/dev/stdout) are left as they are, and so are links without
/// end.
[[nodiscard]] std::string target_of_links(const std::string& path);

/// Others have kept a file locked for longer than a caller would wait.
class LockHeld : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The file system has no locks.
class NoLocks : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// What becomes of a locked file to which nothing was written.
enum class EmptyFile : std::uint8_t { removed, kept };

/// Keeps other threads and processes that lock the same file from it, for as long as this object
/// lives. What is renamed to its path meanwhile takes its place: who waited for it gets the new
/// file.
class LockedFile {
 public:
  /// Locks the file at `path`. If there is none, makes an empty one. What is still empty and was
  /// not replaced at the end is removed, if `if_empty` says so. Throws LockHeld if others have kept
  /// it for longer than `patience`, NoLocks, or std::runtime_error if the file cannot be opened.
  LockedFile(std::string path, std::chrono::milliseconds patience,
             EmptyFile if_empty = EmptyFile::removed);
  LockedFile(const LockedFile&) = delete;
  LockedFile& operator=(const LockedFile&) = delete;
  ~LockedFile();

 private:
  /// Whether the path still leads to the file that was opened.
  [[nodiscard]] bool is_there() const;

  std::string path_;
  EmptyFile if_empty_;
  int file_ = -1;
};

/// As long as it lives, no other program that locks the same output gets it. Where the file system
/// has no locks, nothing is locked. The lock ends with the process, however that ends.
class OutputLock {
 public:
  /// Locks the folder at `path`, which exists, through a file in it (`.lock`) that is removed at
  /// the end. Throws InputError at `option` if another program has locked it.
  [[nodiscard]] static OutputLock of_folder(const std::string& path, const std::string& option);
  /// Locks the file at `path`. If there is none, makes it; what nothing was written to is removed
  /// at the end. A device or a pipe is not locked, nor is anything if `path` is empty. Throws like
  /// `of_folder`.
  [[nodiscard]] static OutputLock of_file(const std::string& path, const std::string& option);

 private:
  OutputLock() = default;
  OutputLock(const std::string& file, EmptyFile if_empty, const std::string& option,
             const std::string& others);

  std::unique_ptr<LockedFile> lock_;  ///< null: there is nothing to lock, or no way to
};

}  // namespace equipoise
