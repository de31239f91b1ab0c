// Reads generated files back before they are written, so that our own readers accept every written
// file.
#pragma once

#include <string>

#include "platforms/platform_file.hpp"
#include "shared_policies/machine/trace.hpp"

namespace equipoise {

/// The text of the trace file. Throws InputError at `where`, the source of the trace, if the trace
/// reader refuses it.
[[nodiscard]] std::string readable_trace_text(const Trace& trace, const std::string& where);

/// The text of the platform file. Throws InputError at `where` if SimGrid or our own checks refuse
/// it; without SimGrid, only our own checks are made. Writes no file: SimGrid reads the text from
/// memory.
[[nodiscard]] std::string readable_platform_xml(const PlatformDescription& platform,
                                                const std::string& where);

}  // namespace equipoise
