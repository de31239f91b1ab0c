// Which known name somebody meant who typed an unknown one.
#pragma once

#include <span>
#include <string>

namespace equipoise {

/// The one of `known` that differs from `name` by the fewest insertions, deletions, replacements
/// and swaps of neighbouring letters, case ignored; the first of several; empty if there is none.
[[nodiscard]] std::string nearest_name(const std::string& name, std::span<const std::string> known);

}  // namespace equipoise
