// A file that is written piece by piece and gets its name when it is complete.
#pragma once

#include <sys/stat.h>

#include <fstream>
#include <string>
#include <string_view>
#include <utility>

namespace equipoise {

/// A file that is being written: under a name of its own beside its place, which no other writer
/// has, and then renamed. A symbolic link stays, and the file that it names is replaced. A file
/// that is replaced leaves its mode to the new one, and its owner and group where we may give them;
/// its other names (hard links) keep what was there, which a note says. A device, a pipe or what is
/// open already (/dev/stdout) is written directly. What has not been renamed is removed at the end.
/// Does not check whether an input is overwritten.
class FileInProgress {
 public:
  explicit FileInProgress(std::string path) : path_(std::move(path)) {}
  FileInProgress(const FileInProgress&) = delete;
  FileInProgress& operator=(const FileInProgress&) = delete;
  ~FileInProgress();

  /// Appends `text`. False, with the reason in errno, if that failed.
  [[nodiscard]] bool put(std::string_view text);
  /// Writes what is still buffered. False, with the reason in errno, if anything failed. Nothing
  /// can be appended afterwards.
  [[nodiscard]] bool close();
  /// Gives it its name. False, with the reason in errno, if that failed.
  [[nodiscard]] bool move_there();

 private:
  bool open();
  bool make_temporary(const struct stat* replaced);

  std::string path_;
  std::string target_;     ///< where the path leads
  std::string temporary_;  ///< beside the target; empty: written directly
  bool has_other_names_ = false;
  std::ofstream file_;
};

}  // namespace equipoise
