// What is generated is read back before it is written: no file that our own readers refuse.
#pragma once

#include <string>

#include "platforms/platform_file.hpp"
#include "shared_policies/machine/trace.hpp"

namespace equipoise {

/// The text of the trace file. Throws InputError at `where`, what the trace was made from, if the
/// trace reader refuses it.
[[nodiscard]] std::string readable_trace_text(const Trace& trace, const std::string& where);

/// The text of the platform file. Throws InputError at `where` if SimGrid or our own checks refuse
/// it; where SimGrid is not there, our own checks alone. Writes no file: SimGrid reads it from
/// memory.
[[nodiscard]] std::string readable_platform_xml(const PlatformDescription& platform,
                                                const std::string& where);

}  // namespace equipoise
