// The files of a new policy's project, as they stand beside this file: the policy weighted-greedy.
#pragma once

#include <span>
#include <string_view>

namespace equipoise {

/// A file of the project.
struct NewPolicyFile {
  std::string_view name;  ///< "weighted_greedy.cpp"
  std::string_view text;
};

/// All files that `equipoise new policy` writes, under other names than weighted-greedy.
[[nodiscard]] std::span<const NewPolicyFile> new_policy_files();

}  // namespace equipoise
