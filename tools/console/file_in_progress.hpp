// A file that is written piece by piece and gets its name when it is complete.
#pragma once

#include <fstream>
#include <string>
#include <string_view>
#include <utility>

namespace equipoise {

/// A file that is being written: under a name of its own beside its path, which no other writer has,
/// and then renamed. A device or a pipe is written directly. What has not been renamed is removed at
/// the end. Does not check whether an input is overwritten.
class FileInProgress {
 public:
  explicit FileInProgress(std::string path) : path_(std::move(path)) {}
  FileInProgress(const FileInProgress&) = delete;
  FileInProgress& operator=(const FileInProgress&) = delete;
  ~FileInProgress();

  /// Appends `text`. False, with the reason in errno, if that failed.
  [[nodiscard]] bool put(std::string_view text);
  /// Writes what is still buffered. False, with the reason in errno, if anything failed. Nothing can
  /// be appended afterwards.
  [[nodiscard]] bool close();
  /// Gives it its name. False, with the reason in errno, if that failed.
  [[nodiscard]] bool move_there();

 private:
  bool open();
  bool make_temporary();

  std::string path_;
  std::string temporary_;
  std::ofstream file_;
};

}  // namespace equipoise
