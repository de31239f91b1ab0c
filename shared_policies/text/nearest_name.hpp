// Which known names a user means: by patterns (`node-*`), or nearly, when an unknown one was typed.
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

/// Those of `names`, in their order, that `pattern` means: the one that is exactly `pattern`, or
/// else all that match it, where * stands for any text, ? for one character and [0-3] for one of a
/// range. Empty if there is none.
[[nodiscard]] std::vector<std::string> names_like(const std::string& pattern,
                                                  const std::vector<std::string>& names);

}  // namespace equipoise
