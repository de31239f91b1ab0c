// A file that grows by whole lines, so that it stays readable however the program ends.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace equipoise {

/// A file of lines to which lines are only appended.
class LineFile {
 public:
  /// Creates or truncates `path`. Throws InputError if that fails, or if the file was read as an
  /// input.
  explicit LineFile(std::string path);
  LineFile(const LineFile&) = delete;
  LineFile& operator=(const LineFile&) = delete;
  ~LineFile();

  /// Writes `lines`, each with its line end, before it returns. Throws std::runtime_error if the
  /// disk does not take them all: complete lines remain, a partly written line is removed, and all
  /// later calls throw as well.
  void append(std::string_view lines);

  [[nodiscard]] const std::string& path() const { return path_; }
  /// Number of lines in the file.
  [[nodiscard]] std::uint64_t lines() const { return lines_; }

 private:
  std::string path_;
  int file_ = -1;
  std::uint64_t lines_ = 0;
  std::string failure_;  ///< why nothing more can be written; empty: no failure
};

}  // namespace equipoise
