// Writes run files, `equipoise.run/1.1`: a journal that is streamed to disk line by line.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "shared_policies/run/journal.hpp"

namespace equipoise {

/// A journal in a file. Lines are written whole. A file without a summary line is an interrupted
/// run. Memory does not grow with the number of blocks.
class JournalFile : public Journal {
 public:
  /// Writes all buffered lines. This function and those that receive records throw
  /// std::runtime_error if the disk cannot take them.
  virtual void flush() = 0;
  /// Writes the summary line (`summary` is a JSON object as text) and closes the file.
  virtual void finish(const std::string& summary) = 0;
};

/// Creates the file and writes `header`, a JSON object as text. `units` are the unit names, indexed
/// by UnitId. A file that would reach `bytes_max` is given up: it is removed, and what is recorded
/// then is dropped. Throws InputError if `path` cannot be written.
[[nodiscard]] std::unique_ptr<JournalFile> make_journal_file(
    const std::string& path, const std::string& header, const std::vector<std::string>& units,
    std::optional<std::uint64_t> bytes_max = std::nullopt);

/// Writes `next` outside of the run's critical path: records are copied into a bounded queue, and a
/// thread passes all of them to `next` and flushes it at least every 0.2 s. So the run pays only
/// for the copy, not for formatting and writing. It waits only if it is faster than the disk for so
/// long that the queue is full. The order of the records is kept.
///
/// If `next` fails, the next record, flush or finish throws std::runtime_error with its message;
/// lines that were already written remain. The destructor passes all queued records to `next`.
[[nodiscard]] std::unique_ptr<JournalFile> make_queued_journal(std::unique_ptr<JournalFile> next);

}  // namespace equipoise
