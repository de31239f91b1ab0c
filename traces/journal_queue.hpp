// A journal that is written by a thread of its own.
#pragma once

#include <memory>

#include "traces/journal_file.hpp"

namespace equipoise {

/// `next`, written off the run's path: records are copied into a bounded queue, and a thread gives
/// them to `next` and flushes it, all that has come, at least every 0.2 s. So the run pays for
/// a copy, not for formatting and writing; only a run that is faster than the disk for long waits
/// for room. The order of the records is kept.
///
/// When `next` fails, the next record, flush or finish throws std::runtime_error with its words;
/// what was written until then stays as `next` leaves it. The destructor gives `next` what is
/// queued. Disturbances of events must live until then.
[[nodiscard]] std::unique_ptr<JournalFile> make_queued_journal(std::unique_ptr<JournalFile> next);

}  // namespace equipoise
