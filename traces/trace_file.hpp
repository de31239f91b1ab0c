// Reads and writes trace files, schema equipoise.trace/1 (traces/README.md describes all fields).
#pragma once

#include <istream>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "shared_policies/machine/trace.hpp"
#include "traces/line_file.hpp"

namespace equipoise {

/// Reads the trace file at `path`. For defects that can be ignored (a truncated last line, a unit
/// without samples), one line each is appended to `warnings`, if that is not null.
///
/// Throws InputError with FILE:LINE for everything else that is malformed: a missing or empty file,
/// or one without samples; JSON that cannot be parsed or is nested deeper than 64 levels; another
/// major schema version; unknown values of `source`, `kind` and `unit`; times that are not finite
/// and positive; sizes and counts that are not positive or do not fit in 63 bits; fields of a wrong
/// type. Unknown fields are ignored.
[[nodiscard]] Trace read_trace(const std::string& path, std::vector<std::string>* warnings);

/// Reads a trace from `in`; messages name the file `path`.
[[nodiscard]] Trace read_trace(std::istream& in, const std::string& path,
                               std::vector<std::string>* warnings);

/// The text of a trace file.
[[nodiscard]] std::string trace_text(const Trace& trace);

/// A trace that is written to disk while it is recorded. The file stays readable however the
/// program ends.
class StreamedTrace {
 public:
  /// Creates or truncates the file at `path`. `header` contains everything known before the first
  /// sample. Throws InputError if that fails.
  StreamedTrace(std::string path, Trace header);
  StreamedTrace(const StreamedTrace&) = delete;
  StreamedTrace& operator=(const StreamedTrace&) = delete;
  /// Removes the file if it has no samples.
  ~StreamedTrace();

  /// Says how items differ. To be called before there are samples.
  void set_costs(CostsRecord costs) { header_.costs = std::move(costs); }
  /// Writes `samples` before it returns; the first call writes the header before them. Throws
  /// std::runtime_error if the disk does not take them all; complete lines remain.
  void append(std::span<const TraceSample> samples);
  /// Removes the file.
  void discard();

  /// Whether the file has no samples.
  [[nodiscard]] bool is_empty() const { return file_.lines() < 2; }
  [[nodiscard]] const std::string& path() const { return file_.path(); }

 private:
  Trace header_;
  LineFile file_;
};

}  // namespace equipoise
