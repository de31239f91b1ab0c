// Suggests the known name that a user most likely meant when an unknown one was typed.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace equipoise {

/// The name in `known` with the smallest edit distance to `name` (insertions, deletions,
/// replacements and swaps of neighbouring letters), ignoring case. The first of several; empty if
/// `known` is empty.
[[nodiscard]] std::string nearest_name(const std::string& name, std::span<const std::string> known);

/// "did you mean plb-hec?" with the nearest name in `known`; says so if `known` has no name.
[[nodiscard]] std::string did_you_mean(const std::string& name, std::span<const std::string> known);

/// "unknown policy 'plb-hek'; did you mean 'plb-hec'?". If no known name is near, lists all of them
/// instead. Near: the distance is at most a third of the longer name's length, or 1.
[[nodiscard]] std::string unknown_name(const std::string& what, const std::string& name,
                                       const std::vector<std::string>& known);

}  // namespace equipoise
