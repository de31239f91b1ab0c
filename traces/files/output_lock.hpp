// Keeps two programs from writing to the same file or folder at the same time.
#pragma once

#include <memory>
#include <string>

#include "traces/files/locked_file.hpp"

namespace equipoise {

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
