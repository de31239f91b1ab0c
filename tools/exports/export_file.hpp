// What a command exports: a file that appears when it is complete, or printed text.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tools/console/file_in_progress.hpp"

namespace equipoise {

/// Receives the text of an export, piece by piece.
class ExportFile {
 public:
  /// `path`: where it goes; "-" is stdout. Throws InputError at `option` if no file can be made
  /// there, or if it was read as an input.
  ExportFile(const std::string& path, const std::string& option);

  /// Appends `text`. Throws std::runtime_error if it cannot be written.
  void put(std::string_view text);
  /// To be called when the text is complete; without it no file appears. Throws like `put`.
  void finish();

 private:
  [[noreturn]] void fail() const;

  std::string path_;
  std::optional<FileInProgress> file_;  ///< none: stdout
};

}  // namespace equipoise
