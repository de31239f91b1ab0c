// Reads and writes trace files, schema equipoise.trace/1 (traces/README.md has it field by field).
#pragma once

#include <istream>
#include <span>
#include <string>
#include <vector>

#include "shared_policies/machine/trace.hpp"
#include "traces/line_file.hpp"

namespace equipoise {

/// Reads the trace file at `path`. What can be gone on with (a truncated last line, a unit without
/// samples) is appended to `warnings`, one line each, if that is not null.
///
/// Throws InputError with FILE:LINE for everything else that is malformed: no file, an empty one or
/// one without samples; JSON that does not parse or is nested deeper than 64; another major schema
/// version; unknown values of `source`, `kind` and `unit`; times that are not finite and positive;
/// sizes and counts below or beyond what can be counted; fields of a wrong type. Unknown fields are
/// ignored.
[[nodiscard]] Trace read_trace(const std::string& path, std::vector<std::string>* warnings);

/// Reads a trace from `in`; `path` is what messages name.
[[nodiscard]] Trace read_trace(std::istream& in, const std::string& path,
                               std::vector<std::string>* warnings);

/// The text of a trace file.
[[nodiscard]] std::string trace_text(const Trace& trace);

/// A trace that goes to disk while it is recorded: a readable file whatever ends the program.
class StreamedTrace {
 public:
  /// Creates the file at `path`, or empties it. `header` is all that is known before the first
  /// sample. Throws InputError when that cannot be done.
  StreamedTrace(std::string path, Trace header);
  StreamedTrace(const StreamedTrace&) = delete;
  StreamedTrace& operator=(const StreamedTrace&) = delete;
  /// The file stays if it holds samples.
  ~StreamedTrace();

  /// Writes `samples`, behind the header if they are the first, before it returns. Throws
  /// std::runtime_error when the disk does not take them all; those that it took stay.
  void append(std::span<const TraceSample> samples);
  /// Removes the file.
  void discard();

  /// There is no sample in it.
  [[nodiscard]] bool is_empty() const { return file_.lines() < 2; }
  [[nodiscard]] const std::string& path() const { return file_.path(); }

 private:
  Trace header_;
  LineFile file_;
};

}  // namespace equipoise
