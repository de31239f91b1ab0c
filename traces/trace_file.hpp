// Reads and writes trace files, schema equipoise.trace/1 (traces/README.md has it field by field).
#pragma once

#include <string>
#include <vector>

#include "shared_policies/model/trace.hpp"

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

/// Writes `trace` beside `path` and renames it into place. Throws InputError when that fails;
/// nothing is left behind then.
void write_trace(const Trace& trace, const std::string& path);

}  // namespace equipoise
