// Suggests the known name that a user most likely meant when an unknown one was typed.
#pragma once

#include <string>
#include <vector>

namespace equipoise {

/// "unknown policy 'plb-hek'; did you mean 'plb-hec'?", with the name in `known` that has the
/// smallest edit distance to `name` (insertions, deletions, replacements and swaps of neighbouring
/// letters), ignoring case; the first of several. If no known name is near, lists all of them
/// instead, and says so if there are none. Near: the distance is at most a third of the longer
/// name's length, or 1.
[[nodiscard]] std::string unknown_name(const std::string& what, const std::string& name,
                                       const std::vector<std::string>& known);

/// The names in `known` that are near to `name`, the nearest first; see above.
[[nodiscard]] std::vector<std::string> near_names(const std::string& name,
                                                  const std::vector<std::string>& known);

}  // namespace equipoise
