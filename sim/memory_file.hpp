// Files without a name, in memory.
#pragma once

#include <cstddef>
#include <string>

namespace equipoise {

/// A file in memory that is deleted with this object. Child processes inherit it.
class MemoryFile {
 public:
  /// The folder of the names of all files in memory.
  static constexpr const char* folder = "/proc/self/fd/";

  /// Throws BackendError if there is no memory or no file descriptor for it.
  explicit MemoryFile(const std::string& text);
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  ~MemoryFile();

  [[nodiscard]] int fd() const { return fd_; }
  /// The name by which this process can open the file.
  [[nodiscard]] std::string path() const { return folder + std::to_string(fd_); }
  /// The first `most` bytes of the file.
  [[nodiscard]] std::string text(std::size_t most) const;

 private:
  int fd_;
};

}  // namespace equipoise
