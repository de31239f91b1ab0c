// The files of a new policy's project, as they stand beside this file: the policy weighted-greedy.
#pragma once

#include <span>

#include "tools/console/embedded_file.hpp"

namespace equipoise {

/// All files that `equipoise new policy` writes, under other names than weighted-greedy.
[[nodiscard]] std::span<const EmbeddedFile> new_policy_files();

}  // namespace equipoise
