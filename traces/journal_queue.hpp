// A journal that is written by its own thread.
#pragma once

#include <memory>

#include "traces/journal_file.hpp"

namespace equipoise {

/// Writes `next` outside of the run's critical path: records are copied into a bounded queue, and a
/// thread passes all of them to `next` and flushes it at least every 0.2 s. So the run pays only
/// for the copy, not for formatting and writing. It waits only if it is faster than the disk for so
/// long that the queue is full. The order of the records is kept.
///
/// If `next` fails, the next record, flush or finish throws std::runtime_error with its message;
/// lines that were already written remain. The destructor passes all queued records to `next`. The
/// disturbances that events point to must live until then.
[[nodiscard]] std::unique_ptr<JournalFile> make_queued_journal(std::unique_ptr<JournalFile> next);

}  // namespace equipoise
