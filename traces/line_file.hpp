// A file that grows by whole lines and is readable whatever ends the program.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace equipoise {

/// A file of lines that is only appended to.
class LineFile {
 public:
  /// Creates `path`, or empties it. Throws InputError when that cannot be done, and for a file that
  /// was read.
  explicit LineFile(std::string path);
  LineFile(const LineFile&) = delete;
  LineFile& operator=(const LineFile&) = delete;
  ~LineFile();

  /// Writes `lines`, each with its end, before it returns. Throws std::runtime_error when the disk
  /// does not take them all: those that it took stay, the one that it took in part does not, and
  /// no later ones are written behind the gap.
  void append(std::string_view lines);

  [[nodiscard]] const std::string& path() const { return path_; }
  /// Lines that the file holds.
  [[nodiscard]] std::uint64_t lines() const { return lines_; }

 private:
  std::string path_;
  int file_ = -1;
  std::uint64_t lines_ = 0;
  std::string failure_;  ///< why it takes no more; empty: it does
};

}  // namespace equipoise
