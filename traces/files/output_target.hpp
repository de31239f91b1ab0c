// Where an output goes: through symbolic links to the file that they name.
#pragma once

#include <string>

namespace equipoise {

/// The path at the end of the symbolic links at `path`, where a file may be or not. Links of the
/// kernel to what a process has open (/dev/stdout) are left as they are, and so are links without
/// end.
[[nodiscard]] std::string target_of_links(const std::string& path);

}  // namespace equipoise
