// Which known name somebody meant who typed an unknown one.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace equipoise {

/// The one of `known` that differs from `name` by the fewest insertions, deletions, replacements
/// and swaps of neighbouring letters, case ignored; the first of several; empty if there is none.
[[nodiscard]] std::string nearest_name(const std::string& name, std::span<const std::string> known);

/// "did you mean plb-hec?", the nearest of `known`; where none of them has a name, says that.
[[nodiscard]] std::string did_you_mean(const std::string& name, std::span<const std::string> known);

/// "unknown policy 'plb-hek'; did you mean 'plb-hec'?", or with the list of all known names when
/// none is near: at most a third of the longer name differs, and one letter always may.
[[nodiscard]] std::string unknown_name(const std::string& what, const std::string& name,
                                       const std::vector<std::string>& known);

}  // namespace equipoise
