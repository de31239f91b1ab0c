// Run files, `equipoise.run/1`: a journal that streams to disk, line by line.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "shared_policies/run/journal.hpp"

namespace equipoise {

/// A journal in a file. Each line is whole as soon as it is written; a file without its summary
/// line is an interrupted run. Memory does not grow with blocks.
class JournalFile : public Journal {
 public:
  /// Writes what is buffered, as whole lines. Throws std::runtime_error when the disk does not take
  /// it; so do the records.
  virtual void flush() = 0;
  /// Writes the summary line (`summary`: a JSON object as text) and closes the file.
  virtual void finish(const std::string& summary) = 0;
};

/// Creates the file and writes `header`, a JSON object as text. `units`: names, by UnitId. Throws
/// InputError when `path` cannot be written.
[[nodiscard]] std::unique_ptr<JournalFile> make_journal_file(const std::string& path,
                                                             const std::string& header,
                                                             const std::vector<std::string>& units);

}  // namespace equipoise
